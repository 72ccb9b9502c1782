//! Files that cannot be read, or are none.

use toolroom_test::TestContext;

use super::*;
use crate::context;

#[test]
fn a_data_file_that_says_nothing_of_itself_is_told_so() {
    let problem = problem_of("settings.yaml", "colour: red\n");
    assert_eq!(problem["code"], "catalog::missing_executor");
}

#[test]
fn bytes_that_are_no_text_are_shown_where_they_are() {
    assert_at(
        &problem_of("bad.py", b"# fine\nx = '\xff'\n"),
        "catalog::not_utf8",
        2,
        6,
    );
    let problem = problem_of("bad.py", b"\xff\xfe#\0");
    assert_eq!(problem["message"], "the file is UTF-16, not UTF-8");
}

#[test]
fn a_fifty_megabyte_file_is_not_read() {
    let problem = problem_of("big.py", vec![b'#'; 50_000_000]);
    assert_eq!(problem["code"], "catalog::too_large");
    assert_eq!(
        problem["message"],
        "the file has 50 MB; a tool file has at most 4 MB"
    );
}

#[test]
fn deeply_nested_literals_end_in_a_problem_not_in_a_crash() {
    for depth in [100, 1_000, 100_000] {
        let nested = format!("CONFIG = {}{}\n", "[".repeat(depth), "]".repeat(depth));
        problem_of("deep.py", nested);
        let nested = format!(
            "export const config = {}{};\n",
            "[".repeat(depth),
            "]".repeat(depth)
        );
        problem_of("deep.js", nested);
        let nested = format!(
            "tool_type: x\nconfig: {}{}\n",
            "[".repeat(depth),
            "]".repeat(depth)
        );
        problem_of("deep.yaml", nested);
        let nested = format!(
            "tool_type = 'x'\nconfig = {}{}\n",
            "[".repeat(depth),
            "]".repeat(depth)
        );
        problem_of("deep.toml", nested);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_a_problem() {
    use std::os::unix::fs::symlink;
    let context = context();
    symlink("nowhere", context.project().join(".ai/tools/dangling.py")).unwrap();
    assert_eq!(one_problem(&context)["code"], "catalog::unreadable");
}

#[cfg(unix)]
#[test]
fn what_only_looks_like_a_file_is_named_and_blocks_nothing() {
    let context = context();
    let tools = context.project().join(".ai/tools");
    let made = std::process::Command::new("mkfifo")
        .arg(tools.join("pipe.py"))
        .status()
        .unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(tools.join("socket.py")).unwrap();
    std::os::unix::fs::symlink(tools.join("pipe.py"), tools.join("to_pipe.py")).unwrap();
    context.tool("good.py", "def main(): ...\n");
    let listing = context.data(&["list"]);
    assert_eq!(listing["tools"].as_array().unwrap().len(), 1);
    let problems = listing["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 3, "{problems:?}");
    for (problem, name) in problems.iter().zip(["pipe.py", "socket.py", "to_pipe.py"]) {
        assert_eq!(problem["message"], "it is not a plain file");
        assert!(problem["path"].as_str().unwrap().ends_with(name));
        assert!(problem["help"].is_string(), "{problem}");
    }
    assert_eq!(
        context.error(&["show", "pipe"])["code"],
        "catalog::unreadable"
    );
}

/// A file that is a pipe in every other moment, while listings read it.
#[cfg(unix)]
#[test]
fn a_file_that_keeps_turning_into_a_pipe_holds_nothing_up() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let context = context();
    context.tool("good.py", "def main(): ...\n");
    let (file, pipe) = (context.root().join("file"), context.root().join("pipe"));
    fs_err::write(&file, "def main(): ...\n").unwrap();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let (beside, tool) = (
        context.root().join("beside"),
        context.project().join(".ai/tools/flips.py"),
    );
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for source in [&pipe, &file] {
                    fs_err::hard_link(source, &beside).unwrap();
                    fs_err::rename(&beside, &tool).unwrap();
                }
            }
        });
        let ended: Vec<bool> = (0..30).map(|_| ends(&context, &["list"])).collect();
        let shown: Vec<bool> = (0..10)
            .map(|_| ends(&context, &["show", "flips"]))
            .collect();
        is_over.store(true, Ordering::Relaxed);
        assert!(ended.iter().chain(&shown).all(|ended| *ended));
    });
}

/// Whether a command comes to its end; one that does not is ended.
#[cfg(unix)]
fn ends(context: &TestContext, args: &[&str]) -> bool {
    use std::process::Stdio;
    let mut command = context.command(args);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    for _ in 0..2000 {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    false
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_space_comes_with_a_cure() {
    let context = context();
    let outside = context.home().join("elsewhere.py");
    fs_err::write(&outside, "def main(): ...\n").unwrap();
    std::os::unix::fs::symlink(&outside, context.project().join(".ai/tools/leak.py")).unwrap();
    let problem = one_problem(&context);
    assert_eq!(problem["code"], "catalog::leaves_space");
    let error = context.error(&["show", "leak"]);
    for told in [&problem, &error] {
        let message = told["message"].as_str().unwrap();
        assert!(message.ends_with("elsewhere.py"), "{message}");
        assert!(told["help"].as_str().unwrap().starts_with("copy the file"));
    }
}
