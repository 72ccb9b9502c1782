//! `init` and `new`: a first tool in a minute, and nothing of the user's touched.

use crate::context;

#[test]
fn init_makes_a_project_whose_first_tool_is_listed() {
    let mut context = context();
    context.enter("fresh");
    let made = context.run(&["init"]);
    insta::assert_snapshot!(made, @"
    status: 0
    ----- stdout -----
    made toolroom.toml
    made .ai/tools/hello.py
    ----- stderr -----
    next: toolroom run hello --name World
    ");
    let listed = context.run(&["list"]);
    insta::assert_snapshot!(listed, @"
    status: 0
    ----- stdout -----
    hello  project  python  Greets someone by name.
    ----- stderr -----
    ");
}

#[test]
fn init_keeps_what_is_there() {
    let mut context = context();
    context.enter("mine");
    context.file("mine/toolroom.toml", "# mine\n");
    let data = context.data(&["init"]);
    assert_eq!(data["kept"][0], "[PROJECT]/mine/toolroom.toml");
    assert_eq!(data["created"][0], "[PROJECT]/mine/.ai/tools/hello.py");
    let kept = fs_err::read_to_string(context.project().join("mine/toolroom.toml")).unwrap();
    assert_eq!(kept, "# mine\n");
}

#[test]
fn init_works_in_a_directory_with_spaces_and_quotes() {
    let context = context();
    let data = context.data(&["init", "it's a \"dir\" $HOME (x)"]);
    assert_eq!(data["project"], "[PROJECT]/it's a \"dir\" $HOME (x)");
}

#[test]
fn new_makes_a_tool_for_each_runtime_that_has_a_template() {
    let context = context();
    let runtimes = context.data(&["list", "--runtimes"]);
    let mut made = 0;
    for runtime in runtimes["tools"].as_array().unwrap() {
        let name = runtime["id"]
            .as_str()
            .unwrap()
            .rsplit('/')
            .next()
            .unwrap()
            .to_owned();
        let shown = context.data(&["show", runtime["id"].as_str().unwrap()]);
        if shown["metadata"]["template"].is_null() {
            continue;
        }
        let id = format!("made/with_{name}");
        context.data(&["new", &id, "--runtime", &name]);
        let tool = context.data(&["show", &id]);
        assert_eq!(tool["chain"][1]["id"], runtime["id"], "{name}");
        assert!(tool["metadata"]["description"].is_string(), "{name}");
        made += 1;
    }
    assert!(made >= 6, "only {made} runtimes have a template");
    let listing = context.data(&["list"]);
    assert_eq!(
        listing["problems"].as_array().unwrap().len(),
        0,
        "{}",
        listing["problems"]
    );
}

#[test]
fn new_says_what_a_call_cannot_do_without() {
    let context = context();
    let said = context.run(&["new", "page", "--runtime", "http"]).stderr;
    assert_eq!(said.trim(), "next: toolroom run page --url TEXT");
}

/// The server is the program itself, which has the project's `hello` to offer.
#[test]
fn a_new_tool_of_an_mcp_server_says_what_to_fill_in_and_then_runs() {
    let context = context();
    context.tool(
        "hello.py",
        "def main(name: str):\n    return f'Hello, {name}!'\n",
    );
    let said = context
        .run(&["new", "far", "--runtime", "mcp_stdio"])
        .stderr;
    assert!(said.starts_with("next: fill in command and tool"), "{said}");
    let file = context.project().join(".ai/tools/far.yaml");
    let text = fs_err::read_to_string(&file).unwrap();
    let program = format!("command: {:?}", env!("CARGO_BIN_EXE_toolroom"));
    let text = text
        .replace("command: my-mcp-server", &program)
        .replace("args: []", "args: [mcp, serve]")
        .replace("tool: \"far\"", "tool: hello");
    fs_err::write(&file, text).unwrap();
    let run = context.run(&["run", "far", "--name", "Ada"]);
    assert!(run.stdout.contains("Hello, Ada!"), "{run}");
}

#[test]
fn new_refuses_an_id_that_exists_or_leaves_the_space() {
    let context = context();
    context.tool("mine.py", "def main(): ...\n");
    assert_eq!(
        context.error(&["new", "mine"])["code"],
        "catalog::tool_exists"
    );
    assert_eq!(
        context.error(&["new", "mine", "--runtime", "node"])["code"],
        "catalog::tool_exists"
    );
    assert_eq!(
        context.error(&["new", "../../evil"])["code"],
        "catalog::invalid_id"
    );
    assert_eq!(context.run(&["new", "/etc/evil"]).status, 125);
}

#[test]
fn new_outside_of_a_project_says_what_to_do() {
    let mut context = context();
    let elsewhere = context.root().join("elsewhere");
    context.enter(elsewhere);
    insta::assert_snapshot!(context.run(&["new", "x"]), @"
    status: 125
    ----- stdout -----
    ----- stderr -----
    error[catalog::no_project]: there is no project here to put a tool into
     │
     ╰ help: toolroom init makes one
    ");
}

#[test]
fn new_with_an_unknown_runtime_suggests_one() {
    let context = context();
    insta::assert_snapshot!(context.run(&["new", "x", "--runtime", "pyhton"]), @"
    status: 127
    ----- stdout -----
    ----- stderr -----
    error[catalog::tool_not_found]: there is no runtime or tool called pyhton
     │
     ╰ help: did you mean runtimes/python?
    ");
}

#[cfg(unix)]
#[test]
fn new_writes_nothing_through_a_link_out_of_the_space() {
    let context = context();
    let outside = context.root().join("outside");
    fs_err::create_dir_all(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, context.project().join(".ai/tools/d")).unwrap();
    assert_eq!(
        context.error(&["new", "d/y"])["code"],
        "catalog::leaves_space"
    );
    assert_eq!(fs_err::read_dir(&outside).unwrap().count(), 0);
    assert_eq!(
        context.error(&["new", "_private"])["code"],
        "catalog::invalid_id"
    );
}

#[test]
fn a_files_name_in_place_of_an_id_is_understood() {
    let context = context();
    for (args, id, file) in [
        (&["a/foo.py"][..], "a/foo", "a/foo.py"),
        (&["bar.sh", "--runtime", "bash"], "bar", "bar.sh"),
        (&["v1.2"], "v1.2", "v1.2.py"),
    ] {
        let made = context.data(&[&["new"], args].concat());
        assert_eq!(made["id"], id, "{args:?}");
        assert!(context.project().join(".ai/tools").join(file).exists());
        assert_eq!(context.data(&["show", id])["id"], id);
    }
}
