//! What holds for every client there is.

use serde_json::Value;
use toolroom_kernel::Os;
use toolroom_mcp::config::{
    Action, Client, ConfigError, Endpoint, Format, Scope, Server, Transport, all, find,
    plan_install, plan_remove, state,
};

use crate::support::{Machine, backup, read, write};

/// Every scope of every client that has a file there.
fn places(machine: &Machine) -> Vec<(Client, Scope)> {
    let clients = all(&machine.world).unwrap().into_iter();
    clients
        .flat_map(|client| Scope::ALL.map(|scope| (client.clone(), scope)))
        .filter(|(client, scope)| client.has(*scope))
        .collect()
}

/// A file of a client with comments, foreign entries and settings of its own.
fn lived_in(client: &Client) -> String {
    let key = &client.servers[0];
    match (client.format, client.list.is_some()) {
        (Format::Json | Format::Jsonc, _) => format!(
            "// kept by hand\n{{\n\t\"theme\": \"dark\", /* yes */\n\t\"{key}\": {{\n\t\t// search\n\t\t\"search\": {{\"command\": \"npx\", \"args\": [\"-y\", \"search\"]}} // why\n\t\t// \"old\": {{}}\n\t}},\n\t\"last\": [1, 2,],\n}}\n"
        ),
        (Format::Toml, _) => format!(
            "# kept by hand\nmodel = \"o9\"  # best\n\n[{key}.search]\ncommand = \"npx\" # why\nargs = [\n  \"-y\", # yes\n  \"search\",\n]\n\n# at the end\n[last]\nx = 1\n"
        ),
        (Format::Yaml, false) => format!(
            "# kept by hand\nmodel: o9   # best\n{key}:\n  # search\n  search:\n    cmd: npx   # why\n    args: [-y, search]\n\n# at the end\nlast: |\n  text\n    more\n"
        ),
        (Format::Yaml, true) => format!(
            "# kept by hand\nname: mine\n{key}:\n  # search\n  - name: search\n    command: npx   # why\n    args:\n    - -y\n# at the end\nlast: 1\n"
        ),
    }
}

#[test]
fn the_clients_of_the_issue_are_all_there() {
    let machine = Machine::new();
    for name in [
        "claude-code",
        "claude-desktop",
        "cursor",
        "vscode",
        "windsurf",
        "zed",
        "gemini-cli",
        "codex",
        "jetbrains",
        "junie",
        "opencode",
        "goose",
        "cline",
        "roo",
        "continue",
        "amp",
        "kiro",
        "lm-studio",
        "antigravity",
    ] {
        assert_eq!(machine.client(name).name, name);
    }
}

#[test]
fn a_missing_file_is_made_and_goes_away_again() {
    let machine = Machine::new();
    for (client, scope) in places(&machine) {
        let file = client.file(&machine.world, scope, "toolroom").unwrap();
        assert_eq!(
            machine.install(&client.name, scope),
            Action::Created,
            "{} {scope}",
            client.name
        );
        assert_eq!(
            read(&file),
            client.snippet(&machine.server()).unwrap(),
            "{}",
            client.name
        );
        assert_eq!(
            machine.install(&client.name, scope),
            Action::Unchanged,
            "{} {scope}",
            client.name
        );
        assert_eq!(
            machine.remove(&client.name, scope),
            Action::Deleted,
            "{} {scope}",
            client.name
        );
        assert!(!file.exists() && !backup(&file).exists(), "{}", client.name);
        assert_eq!(
            machine.remove(&client.name, scope),
            Action::Absent,
            "{} {scope}",
            client.name
        );
    }
}

#[test]
fn what_is_in_a_file_already_stays_byte_for_byte() {
    let machine = Machine::new();
    for (client, scope) in places(&machine) {
        let what = format!("{} {scope}", client.name);
        let file = client.file(&machine.world, scope, "toolroom").unwrap();
        let before = lived_in(&client);
        write(&file, &before);

        let change = machine.try_install(&client.name, scope).unwrap();
        assert_eq!(change.action, Action::Added, "{what}");
        assert_eq!(
            change.backup.as_deref(),
            Some(backup(&file).as_path()),
            "{what}"
        );
        assert_eq!(read(&backup(&file)), before, "{what}");
        let after = read(&file);
        for line in before.lines() {
            let line = line.split(" // why").next().unwrap();
            assert!(
                after.contains(line),
                "{what}: {line:?} is gone from\n{after}"
            );
        }
        let found = state(&client, &machine.world, scope, "toolroom").unwrap();
        assert_eq!(found.servers, ["toolroom"], "{what}");

        assert_eq!(
            machine.install(&client.name, scope),
            Action::Unchanged,
            "{what}"
        );
        assert_eq!(read(&file), after, "{what}");

        assert_eq!(
            machine.remove(&client.name, scope),
            Action::Removed,
            "{what}"
        );
        assert_eq!(read(&file), before, "{what}");
        assert!(!backup(&file).exists(), "{what}");
    }
}

#[test]
fn without_a_backup_the_rest_is_the_same_too() {
    let machine = Machine::new();
    for (client, scope) in places(&machine) {
        let file = client.file(&machine.world, scope, "toolroom").unwrap();
        let before = lived_in(&client);
        write(&file, &before);
        machine.install(&client.name, scope);
        fs_err::remove_file(backup(&file)).unwrap();
        machine.remove(&client.name, scope);
        assert_eq!(read(&file), before, "{} {scope}", client.name);
    }
}

#[test]
fn an_entry_that_differs_is_updated_in_place_and_keeps_the_users_keys() {
    let machine = Machine::new();
    for (client, scope) in places(&machine) {
        let what = format!("{} {scope}", client.name);
        let file = client.file(&machine.world, scope, "toolroom").unwrap();
        let before = lived_in(&client);
        write(&file, &before);
        machine.install(&client.name, scope);
        let first = read(&file);
        let with_meta = Server {
            endpoint: Endpoint::Stdio {
                command: "/usr/local/bin/toolroom".into(),
                options: vec!["--tools".into(), "web/*".into(), "--meta".into()],
                env: vec![("TOKEN".into(), "a \"quoted\" \\ one: # x".into())],
            },
            ..machine.server()
        };
        let plan = || plan_install(&client, &machine.world, scope, &with_meta).unwrap();
        assert_eq!(plan().apply().unwrap().action, Action::Updated, "{what}");
        assert_ne!(read(&file), first, "{what}");
        assert_eq!(plan().action, Action::Unchanged, "{what}");
        machine.install(&client.name, scope);
        assert_eq!(read(&file), first, "{what}");
        assert_eq!(
            machine.remove(&client.name, scope),
            Action::Removed,
            "{what}"
        );
        assert_eq!(read(&file), before, "{what}");
    }
}

#[test]
fn a_server_over_http_is_written_for_every_client_that_can() {
    let machine = Machine::new();
    let server = Server {
        endpoint: Endpoint::Http {
            url: "http://127.0.0.1:8931/mcp".into(),
            headers: vec![("Authorization".into(), "Bearer x".into())],
        },
        ..machine.server()
    };
    for (client, scope) in places(&machine) {
        let planned = plan_install(&client, &machine.world, scope, &server);
        if !client.can(Transport::Http) {
            assert!(
                matches!(planned, Err(ConfigError::NoTransport { .. })),
                "{}",
                client.name
            );
            continue;
        }
        machine.install(&client.name, scope);
        let change = plan_install(&client, &machine.world, scope, &server)
            .unwrap()
            .apply()
            .unwrap();
        assert_eq!(change.action, Action::Updated, "{}", client.name);
        let text = read(&change.path);
        assert!(
            text.contains("http://127.0.0.1:8931/mcp") && !text.contains("/opt/toolroom"),
            "{text}"
        );
        plan_remove(&client, &machine.world, scope, "toolroom")
            .unwrap()
            .apply()
            .unwrap();
    }
}

#[test]
fn the_entry_names_absolute_paths_and_the_project() {
    let machine = Machine::new();
    let project = machine.world.project.clone().unwrap();
    for client in all(&machine.world).unwrap() {
        let entry = Value::Object(client.entry(&machine.server()).unwrap()).to_string();
        assert!(entry.contains("/opt/toolroom/bin/toolroom"), "{entry}");
        assert!(
            entry.contains(&format!(
                "\"mcp\",\"serve\",\"--project\",\"{}\"",
                project.display()
            )),
            "{entry}"
        );
    }
}

#[test]
fn every_machine_has_a_file_for_every_client() {
    for os in [Os::Linux, Os::MacOs, Os::Windows] {
        let mut machine = Machine::new();
        machine.world.os = os;
        for (client, scope) in places(&machine) {
            let file = client.file(&machine.world, scope, "toolroom").unwrap();
            assert!(
                file.starts_with(machine.path("")),
                "{} {scope} {os:?}: {}",
                client.name,
                file.display()
            );
        }
    }
}

#[test]
fn variables_of_the_machine_move_the_files() {
    let mut machine = Machine::new();
    let elsewhere = machine.path("elsewhere");
    for name in [
        "XDG_CONFIG_HOME",
        "CODEX_HOME",
        "CLAUDE_CONFIG_DIR",
        "APPDATA",
    ] {
        machine.world.env.set(name, &elsewhere);
    }
    let cases = [
        (Os::Linux, "codex", "config.toml"),
        (Os::Linux, "claude-code", ".claude.json"),
        (Os::Linux, "zed", "zed/settings.json"),
        (Os::MacOs, "zed", "zed/settings.json"),
        (
            Os::Windows,
            "claude-desktop",
            "Claude/claude_desktop_config.json",
        ),
        (Os::Windows, "goose", "Block/goose/config/config.yaml"),
    ];
    for (os, name, file) in cases {
        machine.world.os = os;
        let found = machine
            .client(name)
            .file(&machine.world, Scope::User, "toolroom")
            .unwrap();
        assert_eq!(found, elsewhere.join(file), "{name}");
    }
}

#[test]
fn the_file_that_is_there_is_taken_where_clients_know_several() {
    let machine = Machine::new();
    let antigravity = machine.client("antigravity");
    let first = antigravity
        .file(&machine.world, Scope::User, "toolroom")
        .unwrap();
    assert_eq!(first, machine.path("home/.gemini/config/mcp_config.json"));
    let older = machine.file("home/.gemini/antigravity/mcp_config.json", "{}");
    assert_eq!(
        antigravity
            .file(&machine.world, Scope::User, "toolroom")
            .unwrap(),
        older
    );
}

#[test]
fn a_client_is_detected_by_its_folder_or_its_command() {
    let mut machine = Machine::new();
    for client in all(&machine.world).unwrap() {
        assert!(!client.is_detected(&machine.world), "{}", client.name);
    }
    machine.file("home/.cursor/x", "");
    machine.file("bin/goose", "");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let all = std::fs::Permissions::from_mode(0o755);
        fs_err::set_permissions(machine.path("bin/goose"), all).unwrap();
    }
    machine.world.env.set("PATH", machine.path("bin"));
    assert!(machine.client("cursor").is_detected(&machine.world));
    assert!(machine.client("goose").is_detected(&machine.world));
    assert!(!machine.client("zed").is_detected(&machine.world));
}

#[test]
fn other_names_and_spellings_lead_to_the_client() {
    let machine = Machine::new();
    for (given, meant) in [
        ("claude", "claude-code"),
        ("Claude_Desktop", "claude-desktop"),
        ("copilot", "vscode"),
        ("lmstudio", "lm-studio"),
    ] {
        assert_eq!(machine.client(given).name, meant);
    }
    let Err(ConfigError::UnknownClient { near, .. }) = find(&machine.world, "curser") else {
        panic!("found")
    };
    assert_eq!(near.first().map(String::as_str), Some("cursor"));
}

#[test]
fn a_client_of_the_users_own_is_known_and_one_of_the_project_is_not() {
    let machine = Machine::new();
    let description = "tool_type: client\ntitle: Mine\ndescription: My own.\nformat: toml\nfiles: {user: \"{home}/mine.toml\"}\nservers: [a, b]\nentry: {stdio: {run: \"{argv}\", in: \"{cwd}\"}}\n";
    machine.file("home/.ai/tools/clients/mine.yaml", description);
    machine.file("project/.ai/tools/clients/theirs.yaml", description);
    assert_eq!(machine.install("mine", Scope::User), Action::Created);
    assert!(
        read(&machine.path("home/mine.toml"))
            .starts_with("[a.b.toolroom]\nrun = [\"/opt/toolroom/bin/toolroom\", ")
    );
    assert!(matches!(
        find(&machine.world, "theirs"),
        Err(ConfigError::UnknownClient { .. })
    ));
}

#[test]
fn a_client_without_a_file_says_what_to_do_instead() {
    let machine = Machine::new();
    let Err(ConfigError::NoFile { help, .. }) = machine.try_install("jetbrains", Scope::User)
    else {
        panic!("a file")
    };
    assert!(help.unwrap().contains("Paste the entry"));
    let Err(ConfigError::NoFile { help, .. }) = machine.try_install("windsurf", Scope::Project)
    else {
        panic!("a file")
    };
    assert_eq!(help.as_deref(), Some("it has one for --scope user"));
}
