//! A Python process ends early when nothing is left to do, and compiled tools are kept:
//! neither may be noticed.

use serde_json::json;

use super::{launchers, machine, result};

#[test]
fn what_a_tool_left_unwritten_is_written_at_its_end() {
    let context = machine();
    let cases = [
        (
            "global_file",
            "out = open('out.txt', 'w')\ndef main():\n    out.write('kept')\n",
        ),
        (
            "handler",
            "import atexit\ndef main():\n    atexit.register(lambda: open('out.txt', 'w').write('kept'))\n",
        ),
        (
            "thread",
            "import threading, time\ndef write():\n    time.sleep(0.2); open('out.txt', 'w').write('kept')\ndef main():\n    threading.Thread(target=write).start()\n",
        ),
        (
            "moved",
            "import os\nos.close(0)\nout = open('out.txt', 'w')\ndef main():\n    out.write('kept')\n",
        ),
        (
            "finalizer",
            "class C:\n    def __del__(self): self.out.write('kept'); self.out.close()\nc = C()\nc.out = open('out.txt', 'w')\ndef main(): pass\n",
        ),
    ];
    for (name, text) in cases {
        context.tool(&format!("{name}.py"), text);
        assert_eq!(result(&context, &[name]), json!(null), "{name}");
        let out = context.project().join("out.txt");
        assert_eq!(fs_err::read_to_string(&out).unwrap(), "kept", "{name}");
        fs_err::remove_file(out).unwrap();
    }
}

#[test]
fn what_a_tool_printed_is_all_there_at_its_end() {
    let context = machine();
    let cases = [
        "import sys\ndef main():\n    sys.stdout.write('kept')\n",
        "import sys\ndef main():\n    sys.stdout.buffer.write(b'kept')\n",
        "import os\nout = os.fdopen(1, 'w', closefd=False)\ndef main():\n    out.write('kept')\n",
        "import sys, io\ndef main():\n    sys.stdout.write('ke'); sys.stdout = io.StringIO(); sys.__stdout__.write('pt')\n",
    ];
    for (index, text) in cases.into_iter().enumerate() {
        context.tool(&format!("p{index}.py"), text);
        let data = context.data(&["run", &format!("p{index}")]);
        assert_eq!(data["stdout"], "kept", "{text}: {data}");
    }
}

#[test]
fn a_kept_tool_is_never_older_than_its_file() {
    let context = machine();
    let file = context.project().join(".ai/tools/f.py");
    let times = |at: u64| {
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(at);
        std::fs::File::options()
            .write(true)
            .open(&file)
            .unwrap()
            .set_modified(time)
            .unwrap();
    };
    for number in [1, 2, 3, 1] {
        context.tool("f.py", format!("def main(): return {number}\n"));
        times(1_000_000_000);
        assert_eq!(result(&context, &["f"]), json!(number));
        assert_eq!(result(&context, &["f"]), json!(number));
    }
}

#[test]
fn a_kept_tool_that_was_damaged_is_compiled_again() {
    let context = machine();
    context.tool("f.py", "def main(): return 1\n");
    assert_eq!(result(&context, &["f"]), json!(1));
    let folder = launchers(&context);
    let kept = fs_err::read_dir(folder.join("toolroom/kept")).unwrap();
    let kept = kept.map(|entry| entry.unwrap().path()).next().unwrap();
    let whole = fs_err::read(&kept).unwrap();
    for damaged in [
        &whole[..0],
        &whole[..12],
        &whole[..whole.len() / 2],
        b"rubbish",
    ] {
        fs_err::write(&kept, damaged).unwrap();
        assert_eq!(result(&context, &["f"]), json!(1));
    }
}

#[test]
fn a_launcher_whose_compiled_form_was_not_written_to_its_end_mends_itself() {
    let context = machine();
    context.tool(
        "f.py",
        "def main(fail: bool = False): return 1 / (not fail)\n",
    );
    let ways = [&["f"] as &[&str], &["f", "--fail"]];
    let call = || ways.map(|args| context.data(&[&["run"], args].concat())["status"].clone());
    assert_eq!(call(), ["success", "error"]);
    let folder = launchers(&context).join("toolroom/__pycache__");
    let compiled = fs_err::read_dir(folder).unwrap();
    for path in compiled.map(|entry| entry.unwrap().path()) {
        let whole = fs_err::read(&path).unwrap();
        for length in [0, 10, 16, whole.len() / 2] {
            fs_err::write(&path, &whole[..length]).unwrap();
            assert_eq!(call(), ["success", "error"], "{length} of {path:?}");
            let data = context.data(&["run", "f", "--fail"]);
            assert_eq!(data["error"]["type"], "ZeroDivisionError", "{data}");
        }
    }
}

#[test]
fn a_syntax_error_names_the_tool_and_its_line_each_time() {
    let context = machine();
    context.tool("f.py", "def main():\n    return eval('1 +')\n");
    for _ in 0..2 {
        let data = context.data(&["run", "f"]);
        assert_eq!(data["error"]["type"], "SyntaxError", "{data}");
        let frames = data["error"]["frames"].as_array().unwrap();
        assert_eq!(frames[0]["line"], 2, "{data}");
    }
}
