//! `search`: the tool one means comes first, also with a slip of the finger.

use toolroom_test::TestContext;

use crate::context;

fn shelf() -> TestContext {
    let context = context();
    context.tool(
        "web/fetch.py",
        "\"\"\"Downloads a page from the internet.\"\"\"\ndef main(url: str): ...\n",
    );
    context.tool(
        "web/post.py",
        "\"\"\"Sends a form.\"\"\"\ndef main(url: str): ...\n",
    );
    context.tool(
        "files/find_duplicates.py",
        "\"\"\"Lists files with the same content.\"\"\"\nimport hashlib\n",
    );
    context.tool(
        "db/backup.sh",
        "# Saves the database to a file.\npg_dump \"$1\"\n",
    );
    context
}

fn first(context: &TestContext, words: &[&str]) -> String {
    let data = context.data(&[&["search"], words].concat());
    data["tools"][0]["id"]
        .as_str()
        .unwrap_or("nothing")
        .to_owned()
}

#[test]
fn names_descriptions_categories_and_content_are_searched() {
    let context = shelf();
    assert_eq!(first(&context, &["fetch"]), "web/fetch");
    assert_eq!(first(&context, &["internet", "page"]), "web/fetch");
    assert_eq!(first(&context, &["db"]), "db/backup");
    assert_eq!(first(&context, &["hashlib"]), "files/find_duplicates");
    assert_eq!(first(&context, &["pg_dump"]), "db/backup");
}

#[test]
fn a_runtime_is_not_found_by_what_its_template_says() {
    let context = shelf();
    assert_eq!(first(&context, &["hello"]), "nothing");
    context.tool("hello.py", "\"\"\"Greets.\"\"\"\ndef main(): ...\n");
    let found = context.data(&["search", "hello"]);
    assert_eq!(found["tools"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(first(&context, &["python"]), "runtimes/python");
}

#[test]
fn a_slip_of_the_finger_still_finds() {
    let context = shelf();
    assert_eq!(first(&context, &["fecth"]), "web/fetch");
    assert_eq!(first(&context, &["duplciates"]), "files/find_duplicates");
    assert_eq!(first(&context, &["databse"]), "db/backup");
}

#[test]
fn people_get_the_same_table_as_of_list() {
    insta::assert_snapshot!(shelf().run(&["search", "page"]), @"
    status: 0
    ----- stdout -----
    web/fetch  project  python  Downloads a page from the internet.
    ----- stderr -----
    ");
}

#[test]
fn nothing_found_says_so_and_is_no_failure() {
    insta::assert_snapshot!(shelf().run(&["search", "zzzzzzzz"]), @r#"
    status: 0
    ----- stdout -----
    ----- stderr -----
    nothing fits "zzzzzzzz"; toolroom list shows everything
    "#);
}

#[test]
fn a_limit_of_nothing_is_no_limit_to_ask_for() {
    for command in [&["search", "page"][..], &["runs"]] {
        let output = shelf().run(&[command, &["--limit", "0", "--json"]].concat());
        assert_eq!(output.status, 2, "{output}");
        let message = output.error()["message"].to_string();
        assert!(message.contains("above zero"), "{message}");
    }
}

#[test]
fn an_edit_changes_what_is_found() {
    let context = shelf();
    assert_eq!(first(&context, &["kubernetes"]), "nothing");
    context.tool(
        "web/post.py",
        "\"\"\"Talks to kubernetes.\"\"\"\ndef main(): ...\n",
    );
    assert_eq!(first(&context, &["kubernetes"]), "web/post");
}
