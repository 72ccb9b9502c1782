//! Exactly where an entry goes, in texts of many layouts; taking it out gives them back.

use toolroom_mcp::config::{Action, Scope, Server, plan_install};

use crate::support::{Machine, backup, read};

/// Cursor's servers are under `mcpServers`; only the shape of the text matters here.
const JSON: &[(&str, &str, &str)] = &[
    (
        "an empty object",
        "{}",
        "{\n  \"mcpServers\": {\n    @\n  }\n}",
    ),
    (
        "an object with blanks",
        "{ }\n",
        "{\n  \"mcpServers\": {\n    @\n  }\n}\n",
    ),
    (
        "an empty file",
        "",
        "{\n  \"mcpServers\": {\n    @\n  }\n}\n",
    ),
    (
        "blanks only",
        "  \n",
        "  \n{\n  \"mcpServers\": {\n    @\n  }\n}\n",
    ),
    (
        "a comment only",
        "// mine",
        "// mine\n{\n  \"mcpServers\": {\n    @\n  }\n}\n",
    ),
    (
        "an empty table",
        "{\n    \"mcpServers\": {}\n}\n",
        "{\n    \"mcpServers\": {\n        @\n    }\n}\n",
    ),
    (
        "a table with a comment",
        "{\n  \"mcpServers\": { // none\n  }\n}\n",
        "{\n  \"mcpServers\": { // none\n    @\n  }\n}\n",
    ),
    (
        "one line",
        "{\"mcpServers\":{\"a\":{\"command\":\"x\"}}}",
        "{\"mcpServers\":{\"a\":{\"command\":\"x\"},@}}",
    ),
    (
        "one line without servers",
        "{\"a\": 1, \"b\": [1]}\n",
        "{\"a\": 1, \"b\": [1], \"mcpServers\": {@}}\n",
    ),
    (
        "a trailing comma",
        "{\n  \"mcpServers\": {\n    \"a\": {}, // last\n  },\n}\n",
        "{\n  \"mcpServers\": {\n    \"a\": {}, // last\n    @,\n  },\n}\n",
    ),
    (
        "tabs",
        "{\n\t\"mcpServers\": {\n\t\t\"a\": {}\n\t}\n}\n",
        "{\n\t\"mcpServers\": {\n\t\t\"a\": {},\n\t\t@\n\t}\n}\n",
    ),
    (
        "windows lines",
        "{\r\n  \"mcpServers\": {\r\n    \"a\": {} // x\r\n  }\r\n}\r\n",
        "{\r\n  \"mcpServers\": {\r\n    \"a\": {}, // x\r\n    @\r\n  }\r\n}\r\n",
    ),
    (
        "a byte order mark",
        "\u{feff}{\n  \"x\": 1\n}\n",
        "\u{feff}{\n  \"x\": 1,\n  \"mcpServers\": {\n    @\n  }\n}\n",
    ),
    (
        "braces and commas in texts and comments",
        "{\n  \"a\": \"}, {\", // }, \"mcpServers\": {\n  /* , */ \"b\": \"//\"\n  /* } */\n}",
        "{\n  \"a\": \"}, {\", // }, \"mcpServers\": {\n  /* , */ \"b\": \"//\",\n  /* } */\n  \"mcpServers\": {\n    @\n  }\n}",
    ),
    (
        "a comment before the closing brace on its line",
        "{\n  \"a\": 1\n  /* end */ }",
        "{\n  \"a\": 1,\n  /* end */\n  \"mcpServers\": {\n    @\n  } }",
    ),
];

/// The entry stands for `@`; what it looks like is the business of other tests.
fn fits(after: &str, expected: &str) -> bool {
    let (head, tail) = expected.split_once('@').unwrap();
    let after = after.replace("\r\n", "\n");
    let (head, tail) = (head.replace("\r\n", "\n"), tail.replace("\r\n", "\n"));
    after.len() > head.len() + tail.len()
        && after.starts_with(&head)
        && after.ends_with(&tail)
        && after[head.len()..after.len() - tail.len()].starts_with("\"toolroom\":")
}

#[test]
fn an_entry_fits_into_json_of_any_layout_and_out_again() {
    for (what, before, expected) in JSON {
        let machine = Machine::new();
        let file = machine.file("home/.cursor/mcp.json", before);
        machine.install("cursor", Scope::User);
        let after = read(&file);
        assert!(fits(&after, expected), "{what}:\n{after}");
        assert_eq!(
            after.matches("\r\n").count(),
            if before.contains('\r') {
                after.matches('\n').count()
            } else {
                0
            },
            "{what}"
        );
        machine.remove("cursor", Scope::User);
        assert_eq!(read(&file), *before, "{what}");
    }
}

#[test]
fn a_removal_after_other_edits_takes_only_ours() {
    let cases = [
        // The table was not there before us, and nobody else uses it.
        (
            "{\n  \"a\": 1\n}\n",
            ("\"a\": 1", "\"a\": 2"),
            "{\n  \"a\": 2\n}\n",
        ),
        // The table was there.
        (
            "{\n  \"a\": 1,\n  \"mcpServers\": {}\n}\n",
            ("\"a\": 1", "\"a\": 2"),
            "{\n  \"a\": 2,\n  \"mcpServers\": {}\n}\n",
        ),
        // Somebody added a server behind ours.
        (
            "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n",
            ("    }\n  }\n}", "    },\n    \"b\": {} // new\n  }\n}"),
            "{\n  \"mcpServers\": {\n    \"a\": {},\n    \"b\": {} // new\n  }\n}\n",
        ),
    ];
    for (before, (from, to), expected) in cases {
        let machine = Machine::new();
        let file = machine.file("home/.cursor/mcp.json", before);
        machine.install("cursor", Scope::User);
        let edited = read(&file).replace(from, to);
        machine.file("home/.cursor/mcp.json", &edited);
        assert_eq!(machine.remove("cursor", Scope::User), Action::Removed);
        assert_eq!(read(&file), expected);
        assert_eq!(
            read(&backup(&file)),
            edited,
            "the backup is what was there before the removal"
        );
    }
}

#[test]
fn an_entry_fits_into_toml_of_any_layout_and_out_again() {
    let cases = [
        ("empty", "", "[mcp_servers.toolroom]\n"),
        ("no line end", "a = 1", "a = 1\n\n[mcp_servers.toolroom]\n"),
        (
            "blank line at the end",
            "a = 1\n\n",
            "a = 1\n\n[mcp_servers.toolroom]\n",
        ),
        (
            "a header of its own",
            "[mcp_servers]\n[x]\n",
            "[mcp_servers]\n[x]\n\n[mcp_servers.toolroom]\n",
        ),
        (
            "dotted",
            "mcp_servers.a.command = \"x\"\n",
            "mcp_servers.a.command = \"x\"\n\n[mcp_servers.toolroom]\n",
        ),
        (
            "inline",
            "mcp_servers = { a = { command = \"x\" } } # c\n",
            "mcp_servers = { a = { command = \"x\" }, toolroom = { command = ",
        ),
        (
            "inline and empty",
            "mcp_servers = {}\n",
            "mcp_servers = { toolroom = { command = ",
        ),
        (
            "windows lines",
            "a = 1\r\n",
            "a = 1\r\n\r\n[mcp_servers.toolroom]\r\ncommand = ",
        ),
        (
            "headers in texts",
            "a = '''\n[mcp_servers.toolroom]\n'''\n",
            "a = '''\n[mcp_servers.toolroom]\n'''\n\n[mcp_servers.toolroom]\n",
        ),
        (
            "a byte order mark",
            "\u{feff}a = 1\n",
            "\u{feff}a = 1\n\n[mcp_servers.toolroom]\n",
        ),
    ];
    for (what, before, start) in cases {
        let machine = Machine::new();
        let file = machine.file("home/.codex/config.toml", before);
        machine.install("codex", Scope::User);
        let after = read(&file);
        assert!(after.starts_with(start), "{what}:\n{after}");
        assert_eq!(
            machine.install("codex", Scope::User),
            Action::Unchanged,
            "{what}"
        );
        machine.remove("codex", Scope::User);
        assert_eq!(read(&file), before, "{what}");
    }
}

#[test]
fn a_toml_entry_is_updated_however_it_is_written() {
    let head = "x = 1\n\n";
    let tail = "\n# after\n[y]\nz = 1\n";
    let cases = [
        "[mcp_servers.toolroom]\n# mine\ncommand = \"toolroom\"\nargs = [\"mcp\", \"serve\"]\nstartup_timeout_sec = 30\n",
        "[mcp_servers.toolroom]\ncommand = \"toolroom\"\nargs = [\"mcp\", \"serve\"]\nstartup_timeout_sec = 30\n\n[mcp_servers.toolroom.env]\nA = \"b\"\n",
        "[mcp_servers]\ntoolroom = {command = \"toolroom\", args = [\"mcp\", \"serve\"], startup_timeout_sec = 30}\n",
        "[mcp_servers]\ntoolroom.command = \"toolroom\"\ntoolroom.args = [\"mcp\", \"serve\"]\ntoolroom.startup_timeout_sec = 30\n",
    ];
    for entry in cases {
        let machine = Machine::new();
        let file = machine.file("home/.codex/config.toml", format!("{head}{entry}{tail}"));
        assert_eq!(
            machine.install("codex", Scope::User),
            Action::Updated,
            "{entry}"
        );
        let after = read(&file);
        assert!(
            after.starts_with(head) && after.contains(tail.trim_end()),
            "{after}"
        );
        assert!(
            after.contains("/opt/toolroom/bin/toolroom")
                && after.contains("startup_timeout_sec = 30"),
            "{after}"
        );
        assert!(!after.contains("A = "), "{after}");
        assert_eq!(
            machine.install("codex", Scope::User),
            Action::Unchanged,
            "{entry}"
        );
        machine.remove("codex", Scope::User);
        let rest = read(&file);
        assert!(
            rest.starts_with("x = 1\n")
                && rest.contains(tail.trim_end())
                && !rest.contains("opt/toolroom"),
            "{rest}"
        );
    }
}

#[test]
fn an_entry_fits_into_yaml_of_any_layout_and_out_again() {
    let cases = [
        ("empty", "", "extensions:\n  toolroom:\n"),
        ("comments only", "# c\n", "# c\nextensions:\n  toolroom:\n"),
        ("no line end", "a: 1", "a: 1\nextensions:\n  toolroom:\n"),
        (
            "nothing below",
            "extensions:\na: 1\n",
            "extensions:\n  toolroom:\n    type: stdio\n",
        ),
        (
            "nothing below, at the end",
            "a: 1\nextensions:",
            "a: 1\nextensions:\n  toolroom:\n",
        ),
        (
            "null",
            "extensions: ~ # c\na: 1\n",
            "extensions: # c\n  toolroom:\n",
        ),
        (
            "an empty mapping",
            "extensions: {}  # c\na: 1\n",
            "extensions:  # c\n  toolroom:\n",
        ),
        (
            "wide indents",
            "extensions: # c\n      # d\n      x:\n          type: y\n",
            "extensions: # c\n      toolroom:\n",
        ),
        (
            "flow",
            "extensions: {x: {type: y}, z: 1}\n",
            "extensions: {\"toolroom\": {\"type\":\"stdio\",",
        ),
        (
            "all flow",
            "{a: 1, extensions: {x: 1}}\n",
            "{a: 1, extensions: {\"toolroom\": {",
        ),
        (
            "a start mark",
            "---\nextensions:\n  x: 1\n",
            "---\nextensions:\n  toolroom:\n",
        ),
        (
            "windows lines",
            "extensions:\r\n  x: 1\r\n",
            "extensions:\r\n  toolroom:\r\n    type: stdio\r\n",
        ),
        (
            "a text that looks like it",
            "a: |\n  extensions:\n    x: 1\n",
            "a: |\n  extensions:\n    x: 1\nextensions:\n  toolroom:\n",
        ),
        (
            "quoted",
            "\"extensions\":\n  'x': 1\n",
            "\"extensions\":\n  toolroom:\n",
        ),
        (
            "anchors",
            "a: &a {t: 1}\nextensions: &e\n  x: *a\n",
            "a: &a {t: 1}\nextensions: &e\n  toolroom:\n",
        ),
        (
            "wide characters",
            "ä: \"測試\"\nextensions:\n  x: 1\n",
            "ä: \"測試\"\nextensions:\n  toolroom:\n",
        ),
        (
            "a byte order mark",
            "\u{feff}a: 1\n",
            "\u{feff}a: 1\nextensions:\n",
        ),
    ];
    for (what, before, start) in cases {
        let machine = Machine::new();
        let file = machine.file("home/.config/goose/config.yaml", before);
        machine.install("goose", Scope::User);
        let after = read(&file);
        assert!(after.starts_with(start), "{what}:\n{after}");
        assert_eq!(
            machine.install("goose", Scope::User),
            Action::Unchanged,
            "{what}"
        );
        machine.remove("goose", Scope::User);
        assert_eq!(read(&file), before, "{what}");
    }
}

#[test]
fn an_item_fits_into_a_yaml_list_of_any_layout_and_out_again() {
    let cases = [
        (
            "no list",
            "name: x\n",
            "name: x\nmcpServers:\n  - name: toolroom\n    command: ",
        ),
        (
            "at the margin",
            "mcpServers:\n- name: a\n  command: b\nz: 1\n",
            "mcpServers:\n- name: toolroom\n  command: ",
        ),
        (
            "indented",
            "mcpServers:\n    # c\n    - name: a\n",
            "mcpServers:\n    - name: toolroom\n      command: ",
        ),
        (
            "empty",
            "mcpServers: []\n",
            "mcpServers:\n  - name: toolroom\n",
        ),
        (
            "flow",
            "mcpServers: [{name: a}]\n",
            "mcpServers: [{\"name\":\"toolroom\",",
        ),
        (
            "dashes alone",
            "mcpServers:\n  -\n    name: a\n",
            "mcpServers:\n  - name: toolroom\n",
        ),
    ];
    for (what, before, start) in cases {
        let machine = Machine::new();
        let file = machine.file("home/.continue/config.yaml", before);
        machine.install("continue", Scope::User);
        let after = read(&file);
        assert!(after.starts_with(start), "{what}:\n{after}");
        assert_eq!(
            machine.install("continue", Scope::User),
            Action::Unchanged,
            "{what}"
        );
        if what != "empty" {
            fs_err::remove_file(backup(&file)).unwrap();
        }
        machine.remove("continue", Scope::User);
        let kept = if what == "no list" {
            "name: x\nmcpServers: []\n"
        } else {
            before
        };
        assert_eq!(read(&file), kept, "{what}");
    }
}

#[test]
fn two_projects_live_in_one_file_under_two_names() {
    let machine = Machine::new();
    machine.install("claude-desktop", Scope::User);
    let client = machine.client("claude-desktop");
    let other = Server {
        name: "toolroom-other".into(),
        project: machine.path("other"),
        ..machine.server()
    };
    plan_install(&client, &machine.world, Scope::User, &other)
        .unwrap()
        .apply()
        .unwrap();
    let found =
        toolroom_mcp::config::state(&client, &machine.world, Scope::User, "toolroom").unwrap();
    assert_eq!(found.servers, ["toolroom", "toolroom-other"]);
    machine.remove("claude-desktop", Scope::User);
    let found =
        toolroom_mcp::config::state(&client, &machine.world, Scope::User, "toolroom").unwrap();
    assert_eq!(found.servers, ["toolroom-other"]);
}
