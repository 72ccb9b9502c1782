//! What a tool gives: results, prints beside them, failures with their place, output that does not fit.

use serde_json::json;

use super::machine;

#[test]
fn what_a_function_prints_is_beside_its_result() {
    let context = machine();
    context.tool("noisy.py", "import sys\ndef main():\n    print('out')\n    print('err', file=sys.stderr)\n    return {'ok': True}\n");
    let data = context.data(&["run", "noisy"]);
    assert_eq!(data["data"], json!({"ok": true}));
    assert_eq!(data["stdout"], "out\n");
    assert_eq!(data["stderr"], "err\n");
    let shown = context.run(&["run", "noisy"]);
    assert_eq!(shown.stdout, "{\"ok\":true}\n");
}

/// A terminal comes from Python, which has one for everybody.
#[cfg(unix)]
#[test]
fn a_person_at_a_terminal_gets_lines_and_every_digit() {
    const TERMINAL: &str = "import pty, sys; pty.spawn(sys.argv[1:])";
    let Some(python) = toolroom_test::program("python3") else {
        return;
    };
    let context = machine();
    context.tool(
        "f.py",
        "def main(): return {'id': '1234567890123456789012', 'n': 1234567890123456789012, 'empty': []}\n",
    );
    let inner = context.command(&["run", "f", "--color", "never"]);
    let mut outer = std::process::Command::new(python);
    outer.args(["-c", TERMINAL]).arg(inner.get_program());
    outer.args(inner.get_args()).env_clear();
    let variables = inner.get_envs();
    outer.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    outer.current_dir(inner.get_current_dir().unwrap());
    outer.stdin(std::process::Stdio::null());
    let shown = String::from_utf8(outer.output().unwrap().stdout).unwrap();
    let wanted = "{\n  \"id\": \"1234567890123456789012\",\n  \"n\": 1234567890123456789012,\n  \"empty\": []\n}\n";
    assert_eq!(shown.replace("\r\n", "\n"), wanted);
}

#[test]
fn a_huge_integer_stays_exact() {
    let context = machine();
    context.tool("f.py", "def main(): return 2 ** 200\n");
    let output = context.run(&["run", "f", "--json"]);
    assert!(
        output
            .stdout
            .contains("1606938044258990275541962092341162602522202993782792835301376"),
        "{output}"
    );
}

#[test]
fn an_exception_comes_with_the_tools_own_frames() {
    let context = machine();
    context.tool(
        "f.py",
        "def helper(x):\n    return 1 / x\n\ndef main():\n    return helper(0)\n",
    );
    let output = context.run(&["run", "f", "--json"]);
    assert_eq!(output.status, 1);
    let data = output.data();
    assert_eq!(data["status"], "error");
    assert_eq!(data["error"]["type"], "ZeroDivisionError");
    let functions: Vec<&str> = data["error"]["frames"]
        .as_array()
        .unwrap()
        .iter()
        .map(|frame| frame["function"].as_str().unwrap())
        .collect();
    assert_eq!(functions, ["main", "helper"]);
    insta::assert_snapshot!(context.run(&["run", "f"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error[tool::raised]: ZeroDivisionError: division by zero
      [PROJECT]/.ai/tools/f.py:5 in main
        return helper(0)
      [PROJECT]/.ai/tools/f.py:2 in helper
        return 1 / x
    ");
}

#[test]
fn a_failure_comes_with_what_led_to_it() {
    let context = machine();
    context.tool(
        "f.py",
        "def main():\n    try:\n        raise ValueError('root')\n    except ValueError as cause:\n        raise RuntimeError('outer') from cause\n",
    );
    let output = context.run(&["run", "f", "--json"]);
    let error = &output.data()["error"];
    assert_eq!(
        error["causes"],
        json!([{"type": "ValueError", "message": "root"}])
    );
    assert_eq!(error["omitted"], 0);
    let text = context.run(&["run", "f"]).stderr;
    assert!(text.contains("caused by ValueError: root"), "{text}");
    context.tool(
        "deep.py",
        "def main(n=200):\n    if n: return main(n - 1)\n    raise ValueError('deep')\n",
    );
    let text = context.run(&["run", "deep"]).stderr;
    assert!(text.contains("calls left out"), "{text}");
}

#[test]
fn a_result_is_written_to_the_byte() {
    let context = machine();
    context.tool("k.py", "def main(): return 'a\\x1b[31mred'\n");
    assert_eq!(context.run(&["run", "k"]).stdout, "a\u{1b}[31mred\n");
}

#[test]
fn an_answer_that_cannot_be_written_is_no_success() {
    let context = machine();
    context.tool("k.py", "def main(): return 1\n");
    context.tool("script.sh", "echo 1\n");
    for args in [
        &["run", "k"][..],
        &["run", "k", "--json"],
        &["run", "script"],
        &["list"],
        &["env", "bash", "--shell", "bash"],
    ] {
        let mut command = context.command(args);
        command.stdout(
            std::fs::File::options()
                .write(true)
                .open("/dev/full")
                .unwrap(),
        );
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(125), "{args:?}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("io::not_written"),
            "{args:?}"
        );
    }
}

#[test]
fn a_tool_that_ends_the_process_has_no_result() {
    let context = machine();
    context.tool("f.py", "import os\ndef main(): os._exit(0)\n");
    let output = context.run(&["run", "f", "--json"]);
    assert_eq!(output.status, 1);
    assert_eq!(output.data()["error"]["code"], "tool::no_result");
}

#[test]
fn output_is_kept_on_disk_for_programs_only() {
    let context = machine();
    context.tool("big.sh", "head -c 3000000 /dev/zero | tr '\\0' x\n");
    let output = context.home().join(".cache/toolroom/output");
    assert_eq!(context.run(&["run", "big"]).stdout.len(), 3_000_000);
    assert!(!output.exists());
    let data = context.run(&["run", "big", "--json"]).data();
    assert_eq!(data["truncated"], true);
    assert!(data["spill"].is_string(), "{}", data["spill"]);
    assert_eq!(data.get("spill_error"), None);
    fs_err::remove_dir_all(&output).unwrap();
    fs_err::write(&output, "in the way").unwrap();
    let data = context.run(&["run", "big", "--json"]).data();
    assert!(data["spill"].is_null());
    assert!(data["spill_error"].is_string());
}

#[test]
fn bytes_that_are_no_text_are_passed_on_or_marked() {
    let context = machine();
    context.tool("garbage.sh", "printf 'a\\377\\000b\\n'\n");
    let output = context.command(&["run", "garbage"]).output().unwrap();
    assert_eq!(output.stdout, b"a\xff\0b\n");
    let data = context.data(&["run", "garbage"]);
    assert_eq!(data["lossy"], true);
    assert_eq!(data["stdout"], "a\u{fffd}\0b\n");
    context.tool("bytes.py", "def main(): return b'\\xff\\x00'\n");
    assert_eq!(
        context.data(&["run", "bytes"])["data"],
        json!({"base64": "/wA="})
    );
}

#[test]
fn numbers_that_json_lacks_come_back_by_name() {
    let context = machine();
    context.tool(
        "f.py",
        "def main(): return [float('nan'), float('inf'), -float('inf'), 2 ** 70]\n",
    );
    let output = context.run(&["run", "f"]);
    assert_eq!(
        output.stdout,
        "[\"NaN\",\"Infinity\",\"-Infinity\",1180591620717411303424]\n"
    );
}

#[test]
fn blocks_of_content_come_back_as_they_are() {
    let context = machine();
    let blocks = json!({"content": [
        {"type": "text", "text": "hi"},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        {"type": "resource_link", "uri": "file:///x", "name": "x"},
    ]});
    context.tool(
        "rich.py",
        format!(
            "import json\ndef main(): return json.loads({:?})\n",
            blocks.to_string()
        ),
    );
    assert_eq!(context.data(&["run", "rich"])["data"], blocks);
}

#[test]
fn output_that_shall_not_be_kept_is_only_shown() {
    let context = machine();
    context.tool(
        "loud.sh",
        "# ---\n# config: {capture_output: false}\n# ---\necho shown\n",
    );
    assert_eq!(context.run(&["run", "loud"]).stdout, "shown\n");
    let data = context.data(&["run", "loud"]);
    assert_eq!((&data["stdout"], &data["data"]), (&json!(""), &json!(null)));
    assert_eq!(data["status"], "success");
}

#[test]
fn both_outputs_that_do_not_fit_are_named() {
    let context = machine();
    context.tool(
        "f.sh",
        "head -c 5000000 /dev/zero; head -c 3000000 /dev/zero >&2\n",
    );
    let data = context.data(&["run", "f"]);
    let home = context.home().to_string_lossy().into_owned();
    let length = |key: &str| {
        let path = data[key].as_str().unwrap().replace("[HOME]", &home);
        fs_err::metadata(path).unwrap().len()
    };
    let lengths = (length("spill"), length("stderr_spill"));
    assert_eq!(lengths, (5_000_000, 3_000_000));
}

/// A limit on the size of files is a disk that is full at that size.
#[cfg(unix)]
#[test]
fn a_limit_on_files_costs_the_spill_and_not_the_run() {
    let context = machine();
    context.tool(
        "big.sh",
        "head -c 30000000 /dev/zero | tr '\\0' x; echo; ulimit -f\n",
    );
    let toolroom = context.command::<&str>(&[]);
    let mut command = std::process::Command::new("bash");
    command
        .args(["-c", "ulimit -f 2000; \"$0\" run big --json"])
        .arg(toolroom.get_program())
        .env_clear()
        .envs(
            toolroom
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .current_dir(context.project());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let data = &document["data"];
    assert_eq!(
        (&data["status"], &data["truncated"]),
        (&json!("success"), &json!(true))
    );
    assert!(data["spill_error"].is_string(), "{}", data["spill_error"]);
    assert!(data["stdout"].as_str().unwrap().ends_with("x\n2000\n"));
}

/// As JSON a control character is six times as long; it is kept as the byte it is.
#[cfg(target_os = "linux")]
#[test]
fn output_without_a_letter_takes_no_more_memory_than_a_text() {
    let context = machine();
    let Some(python) = toolroom_test::program("python3") else {
        return;
    };
    context.tool("text.sh", "head -c 3000000 /dev/zero | tr '\\0' x\n");
    context.tool("zero.sh", "head -c 3000000 /dev/zero\n");
    let data = context.data(&["run", "zero"]);
    assert_eq!(data["truncated"], true);
    assert_eq!(data["data"], data["stdout"]);
    assert!(data["stdout"].as_str().unwrap().starts_with("\0\0"));
    // The most that any child took, after the first and after the second.
    let measure = "import resource, subprocess, sys\n\
        for tool in 'text', 'zero':\n\
        \x20   subprocess.run([sys.argv[1], 'run', tool, '--json'], stdout=subprocess.DEVNULL, check=True)\n\
        \x20   print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n";
    let program = context.command::<&str>(&[]);
    let measured = std::process::Command::new(python)
        .args(["-c", measure])
        .arg(program.get_program())
        .env_clear()
        .envs(
            program
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .current_dir(context.project())
        .output()
        .unwrap();
    let printed = String::from_utf8(measured.stdout).unwrap();
    let kilobytes: Vec<u32> = printed.lines().map(|line| line.parse().unwrap()).collect();
    assert!(kilobytes[1] < kilobytes[0] + (3 << 10), "{kilobytes:?}");
}
