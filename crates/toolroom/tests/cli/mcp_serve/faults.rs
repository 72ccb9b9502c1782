//! What goes wrong between programs, on purpose.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::Client;
use super::{echo, machine};

#[test]
fn half_a_line_at_the_end_is_no_request() {
    let context = machine();
    let mut client = Client::start(&context, &[]);
    client.raw(br#"{"jsonrpc":"2.0","id":1,"method":"ser"#);
    let took = client.end();
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert!(client.try_next(Duration::from_millis(50)).is_none());
}

#[test]
fn what_is_not_json_is_skipped() {
    let context = machine();
    let mut client = Client::start(&context, &[]);
    client.raw(b"hello\n\n{\"jsonrpc\n\xff\xfe\n[1,2]\n");
    let id = client.send_modern("server/discover", json!({}));
    loop {
        let message = client.next();
        if message["id"] == id {
            assert!(message["result"].is_object());
            return;
        }
        assert!(message["error"].is_object(), "{message}");
    }
}

#[test]
fn a_line_of_twenty_megabytes_is_refused_and_the_next_one_answered() {
    let context = machine();
    echo(&context);
    let mut client = Client::start(&context, &[]);
    let large = "x".repeat(20 << 20);
    let call = json!({"name": "echo", "arguments": {"value": large}});
    assert_eq!(client.modern_error("tools/call", call)["code"], -32600);
    client.modern("server/discover", json!({}));
}

#[test]
fn ten_thousand_requests_at_once_are_all_answered() {
    const COUNT: usize = 10_000;
    let context = machine();
    echo(&context);
    let mut client = Client::start(&context, &[]);
    let mut stdin = client.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        let mut out = std::io::BufWriter::new(&mut stdin);
        let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        for id in 1..=COUNT {
            writeln!(
                out,
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{"_meta":{meta}}}}}"#
            )
            .unwrap();
        }
        drop(out);
        stdin
    });
    let mut seen = vec![false; COUNT + 1];
    for _ in 0..COUNT {
        let id = usize::try_from(client.next_response()["id"].as_u64().unwrap()).unwrap();
        assert!(!std::mem::replace(&mut seen[id], true), "{id} twice");
    }
    client.stdin = Some(writer.join().unwrap());
}

#[test]
fn two_hundred_calls_at_once_lose_nothing() {
    const COUNT: usize = 200;
    let context = machine();
    context.tool("id.sh", "# Gives back what it gets.\necho \"$2\"\n");
    let mut client = Client::start(&context, &[]);
    for value in 0..COUNT {
        client.send_modern(
            "tools/call",
            json!({"name": "id", "arguments": {"value": value}}),
        );
    }
    let mut answers: Vec<u64> = (0..COUNT)
        .map(|_| {
            let response = client.next_response();
            let text = response["result"]["content"][0]["text"]
                .as_str()
                .unwrap_or_else(|| panic!("{response}"))
                .to_owned();
            text.trim().parse().unwrap_or_else(|_| panic!("{text}"))
        })
        .collect();
    answers.sort_unstable();
    assert_eq!(answers, (0..COUNT as u64).collect::<Vec<_>>());
}

#[test]
fn a_list_of_five_thousand_tools_is_one_answer() {
    let context = machine();
    for n in 0..5000 {
        context.tool(
            &format!("group{}/tool{n}.py", n % 50),
            format!("\"\"\"Tool {n}.\"\"\"\ndef main(a: int): return a\n"),
        );
    }
    let begun = Instant::now();
    let mut client = Client::start(&context, &[]);
    let tools = client.modern("tools/list", json!({}));
    assert_eq!(tools["tools"].as_array().unwrap().len(), 5000);
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_client_that_does_not_read_does_not_hold_up_a_tool() {
    let context = machine();
    context.tool("noisy.py", "import toolroom\ndef main(note: str):\n    for n in range(20000):\n        toolroom.log('info', 'x' * 100)\n    open(note, 'w').close()\n    return 1\n");
    let note = context.root().join("note");
    let mut command = context.command(&["mcp", "serve"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/logLevel": "debug"});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "noisy", "arguments": {"note": note.to_string_lossy()}, "_meta": meta}});
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{call}").unwrap();
    let begun = Instant::now();
    while !note.exists() {
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "the tool waits for a client that does not read"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(stdin);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_whose_file_was_replaced_goes_on() {
    let context = machine();
    echo(&context);
    let copy = context.root().join("toolroom");
    fs_err::copy(env!("CARGO_BIN_EXE_toolroom"), &copy).unwrap();
    let mut client = Client::of(&context, &copy, &[]);
    client.modern("server/discover", json!({}));
    fs_err::remove_file(&copy).unwrap();
    let result = client.modern(
        "tools/call",
        json!({"name": "echo", "arguments": {"value": "here"}}),
    );
    assert_eq!(result["content"][0]["text"], "here", "{result}");
}

/// The limit of processes holds for everyone but root, who has to be somebody else.
#[cfg(target_os = "linux")]
fn without_threads(context: &toolroom_test::TestContext, args: &[&str]) -> Option<Command> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
    let usual = context.command(args);
    let mut command = Command::new(toolroom_test::program("setpriv")?);
    let limit = toolroom_test::program("prlimit")?;
    if fs_err::metadata(context.root()).unwrap().uid() == 0 {
        fs_err::set_permissions(context.root(), PermissionsExt::from_mode(0o755)).unwrap();
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    }
    command.arg(limit).arg("--nproc=1").arg(usual.get_program());
    command
        .args(usual.get_args())
        .current_dir(context.project());
    command.env_clear();
    for (name, value) in usual.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    Some(command)
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_gets_no_threads_says_so_and_ends() {
    let context = machine();
    for args in [&["mcp", "serve"][..], &["mcp", "serve", "--http", "0"]] {
        let Some(mut command) = without_threads(&context, args) else {
            return;
        };
        let output = command.stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("mcp::no_threads"), "{stderr}");
        assert!(stderr.contains("ulimit -u"), "{stderr}");
        assert_eq!(output.status.code(), Some(125), "{stderr}");
    }
}
