//! `mcp config`, `install` and `remove`: a client's own files, edited with care.

use toolroom_test::TestContext;

use crate::context;

/// The binary's path differs from machine to machine.
fn shown(context: &TestContext, args: &[&str]) -> String {
    context
        .run(args)
        .to_string()
        .replace(env!("CARGO_BIN_EXE_toolroom"), "[TOOLROOM]")
}

fn read(context: &TestContext, path: &str) -> String {
    fs_err::read_to_string(context.project().join(path)).expect("a file")
}

#[test]
fn config_prints_the_entry_and_says_where_it_goes() {
    let context = context();
    insta::assert_snapshot!(shown(&context, &["mcp", "config", "cursor"]), @r#"
    status: 0
    ----- stdout -----
    {
      "mcpServers": {
        "toolroom": {
          "command": "[TOOLROOM]",
          "args": ["mcp", "serve", "--project", "[PROJECT]"]
        }
      }
    }
    ----- stderr -----
    goes to .cursor/mcp.json
    Enable the server under Cursor Settings, MCP, if it is not on already.
    "#);
    insta::assert_snapshot!(shown(&context, &["mcp", "config", "codex", "--scope", "user", "--tools", "web/*", "--meta"]), @r#"
    status: 0
    ----- stdout -----
    [mcp_servers.toolroom]
    command = "[TOOLROOM]"
    args = ["mcp", "serve", "--project", "[PROJECT]", "--tools", "web/*", "--meta"]
    cwd = "[PROJECT]"
    ----- stderr -----
    goes to ~/.codex/config.toml
    Codex reads a project's file only in a project it trusts.
    A call that may take longer than a minute needs tool_timeout_sec in the entry; what you add to it is kept.
    "#);
    insta::assert_snapshot!(shown(&context, &["mcp", "config", "goose", "--env", "A=b"]), @r#"
    status: 0
    ----- stdout -----
    extensions:
      toolroom:
        type: stdio
        name: toolroom
        description: "Toolroom's tools"
        enabled: true
        cmd: [TOOLROOM]
        args:
          - mcp
          - serve
          - "--project"
          - [PROJECT]
        envs:
          A: b
        timeout: 300
    ----- stderr -----
    goes to ~/.config/goose/config.yaml
    Start a new session; a running one keeps its extensions.
    "#);
    insta::assert_snapshot!(shown(&context, &["mcp", "config", "jetbrains"]), @r#"
    status: 0
    ----- stdout -----
    {
      "mcpServers": {
        "toolroom": {
          "command": "[TOOLROOM]",
          "args": ["mcp", "serve", "--project", "[PROJECT]"]
        }
      }
    }
    ----- stderr -----
    It has no file to write to. Paste the entry under Settings, Tools, AI Assistant, Model Context Protocol, Add, As JSON.
    For JetBrains' agent Junie use toolroom mcp install junie.
    "#);
}

#[test]
fn install_keeps_what_is_there_and_remove_gives_it_back() {
    let context = context();
    let before =
        "{\n  // mine\n  \"mcpServers\": {\n    \"search\": {\"command\": \"npx\"}\n  }\n}\n";
    context.file(".mcp.json", before);
    insta::assert_snapshot!(shown(&context, &["mcp", "install", "claude-code"]), @"
    status: 0
    ----- stdout -----
    added .mcp.json
    ----- stderr -----
    the file as it was: .mcp.json.toolroom-backup
    Claude Code asks once before it uses a server of a project's .mcp.json; /mcp shows its state.
    ");
    let after = read(&context, ".mcp.json").replace(env!("CARGO_BIN_EXE_toolroom"), "[TOOLROOM]");
    insta::assert_snapshot!(context.normalise(after.as_bytes()), @r#"
    {
      // mine
      "mcpServers": {
        "search": {"command": "npx"},
        "toolroom": {
          "type": "stdio",
          "command": "[TOOLROOM]",
          "args": ["mcp", "serve", "--project", "[PROJECT]"]
        }
      }
    }
    "#);
    insta::assert_snapshot!(shown(&context, &["mcp", "install", "claude-code"]), @"
    status: 0
    ----- stdout -----
    unchanged .mcp.json
    ----- stderr -----
    ");
    insta::assert_snapshot!(shown(&context, &["mcp", "remove", "claude"]), @"
    status: 0
    ----- stdout -----
    removed .mcp.json
    ----- stderr -----
    ");
    assert_eq!(read(&context, ".mcp.json"), before);
    insta::assert_snapshot!(shown(&context, &["mcp", "remove", "claude"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    Claude Code has no server called toolroom of ours
    ");
}

#[test]
fn print_writes_nothing() {
    let context = context();
    insta::assert_snapshot!(shown(&context, &["mcp", "install", "zed", "--print"]), @r#"
    status: 0
    ----- stdout -----
    {
      "context_servers": {
        "toolroom": {
          "source": "custom",
          "command": "[TOOLROOM]",
          "args": ["mcp", "serve", "--project", "[PROJECT]"]
        }
      }
    }
    ----- stderr -----
    would be created in .zed/settings.json
    "#);
    assert!(!context.project().join(".zed").exists());
    let data = context.data(&["mcp", "install", "zed", "--print"]);
    assert_eq!(data["written"], false);
    assert_eq!(data["changes"][0]["action"], "created");
}

#[test]
fn a_broken_file_is_shown_with_its_line_and_left_alone() {
    let context = context();
    let text = "{\n  \"mcpServers\": {\n    \"a\": {} \"b\": {}\n  }\n}\n";
    context.file(".cursor/mcp.json", text);
    insta::assert_snapshot!(shown(&context, &["mcp", "install", "cursor"]), @r#"
    status: 125
    ----- stdout -----
    ----- stderr -----
    error[mcp::config_syntax]: [PROJECT]/.cursor/mcp.json:3
                               cannot be parsed: expected comma
      ╭▸ .cursor/mcp.json:3:12
      │
    1 │ {
    2 │   "mcpServers": {
    3 │     "a": {} "b": {}
      │            ━
    4 │   }
    5 │ }
      │
      ╰ help: nothing was changed; correct the file and try again
    "#);
    assert_eq!(read(&context, ".cursor/mcp.json"), text);
    let error = context.error(&["mcp", "remove", "cursor"]);
    assert_eq!(error["code"], "mcp::config_syntax");
    assert_eq!(error["line"], 3);
}

#[test]
fn all_means_the_clients_that_are_here() {
    let context = context();
    insta::assert_snapshot!(shown(&context, &["mcp", "install", "--all"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    no client was found on this machine; toolroom mcp config lists those that are known
    ");
    fs_err::create_dir_all(context.home().join(".cursor")).unwrap();
    fs_err::create_dir_all(context.home().join(".codeium/windsurf")).unwrap();
    context.file(context.home().join(".kiro/settings/mcp.json"), "{");
    let output = context.run(&["mcp", "install", "--all", "--scope", "user", "--json"]);
    assert_eq!(output.status, 125, "{output}");
    let data = output.data();
    let names = |list: &str| -> Vec<String> {
        data[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["client"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names("changes"), ["cursor", "windsurf"]);
    assert_eq!(names("failed"), ["kiro"]);
    let listed = context.data(&["mcp", "config"]);
    let row = |name: &str| {
        listed["clients"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["client"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(row("cursor")["installed"], true);
    assert_eq!(row("cursor")["detected"], true);
    assert_eq!(
        row("kiro")["files"][1]["error"]["code"],
        "mcp::config_syntax"
    );
    assert_eq!(row("zed")["detected"], false);
}

#[test]
fn without_a_client_all_are_listed() {
    let mut context = context();
    context.set_env("COLUMNS", "100");
    fs_err::create_dir_all(context.home().join(".cursor")).unwrap();
    context.run(&["mcp", "install", "cursor"]);
    insta::assert_snapshot!(shown(&context, &["mcp", "config"]), @"
    status: 0
    ----- stdout -----
    amp             -      -        Amp, the agent for the terminal and the editor.
    antigravity     -      -        Google's editor and agent Antigravity.
    claude-code     -      -        Claude Code, Anthropic's agent for the terminal.
    claude-desktop  -      -        Claude's desktop application.
    cline           -      -        Cline, an agent inside VS Code.
    codex           -      -        OpenAI's Codex, in the terminal and the editor.
    continue        -      -        Continue, an agent inside VS Code and JetBrains' editors.
    cursor          found  project  The editor Cursor.
    gemini-cli      -      -        Google's Gemini CLI.
    goose           -      -        Goose, the open agent on your machine.
    jetbrains       -      -        The AI Assistant of JetBrains' editors.
    junie           -      -        Junie, the agent of JetBrains.
    kiro            -      -        The editor Kiro.
    lm-studio       -      -        LM Studio, models on your machine.
    opencode        -      -        opencode, the open agent for the terminal.
    roo             -      -        Roo Code, an agent inside VS Code.
    vscode          -      -        Visual Studio Code with GitHub Copilot.
    windsurf        -      -        The editor Windsurf.
    zed             -      -        The editor Zed.
    ----- stderr -----
    ");
}

#[test]
fn an_unknown_client_is_answered_with_the_nearest() {
    let context = context();
    insta::assert_snapshot!(shown(&context, &["mcp", "install", "curser"]), @"
    status: 125
    ----- stdout -----
    ----- stderr -----
    error[mcp::unknown_client]: there is no client called curser
     │
     ╰ help: did you mean cursor?
    ");
}

#[test]
fn without_a_project_nothing_is_installed() {
    let mut context = context();
    let elsewhere = context.root().join("elsewhere");
    context.enter(elsewhere);
    assert_eq!(
        context.error(&["mcp", "install", "cursor", "--scope", "user"])["code"],
        "mcp::no_project"
    );
    assert!(!context.home().join(".cursor").exists());
}

#[test]
fn a_wrong_option_says_so_without_repeating_a_secret() {
    let context = context();
    for args in [
        vec!["mcp", "config", "cursor", "--http", "127.0.0.1:80"],
        vec![
            "mcp",
            "config",
            "cursor",
            "--http",
            "http://x/mcp",
            "--header",
            "hunter2",
        ],
        vec!["mcp", "config", "cursor", "--env", "hunter2"],
        vec!["mcp", "config", "cursor", "--name", "a b"],
    ] {
        let output = context.run(&args);
        assert_eq!(output.status, 2, "{args:?}\n{output}");
        assert!(!output.stderr.contains("hunter2"), "{output}");
    }
}

#[cfg(unix)]
#[test]
fn the_entry_names_the_path_we_were_called_by() {
    let context = context();
    let link = context.root().join("bin/toolroom");
    fs_err::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_toolroom"), &link).unwrap();
    let linked = std::process::Command::new(&link)
        .args(["mcp", "config", "cursor"])
        .current_dir(context.project())
        .env("HOME", context.home())
        .output()
        .unwrap();
    let text = context.normalise(&linked.stdout);
    assert!(
        text.contains("\"command\": \"[ROOT]/bin/toolroom\""),
        "{text}"
    );
}

/// A page of the guide: the files it names by scope, and its blocks of code.
struct Page {
    files: Vec<(String, String)>,
    blocks: Vec<String>,
}

impl Page {
    fn of(client: &str) -> Self {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/clients");
        let text = fs_err::read_to_string(format!("{folder}/{client}.md")).unwrap();
        let rows = text.lines().filter_map(|line| {
            let (scope, files) = line.strip_prefix("| ")?.split_once(" | ")?;
            // The first is that of Linux.
            Some((scope.to_owned(), files.split('`').nth(1)?.to_owned()))
        });
        let blocks = text.split("\n```").skip(1).step_by(2);
        let blocks = blocks.filter_map(|block| {
            let (language, code) = block.split_once('\n')?;
            (language != "console").then(|| format!("{code}\n"))
        });
        Self {
            files: rows.collect(),
            blocks: blocks.collect(),
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_written_is_what_the_page_of_each_client_shows() {
    const URL: &str = "http://127.0.0.1:8931/mcp";
    let listed = context().data(&["mcp", "config"]);
    let clients = listed["clients"].as_array().unwrap();
    assert!(clients.len() >= 18, "{listed}");
    for client in clients {
        let client = client["client"].as_str().unwrap();
        let page = Page::of(client);
        let context = context();
        let project = context.project().to_string_lossy().into_owned();
        let shown = |text: &str| {
            text.replace(
                env!("CARGO_BIN_EXE_toolroom"),
                "/home/ada/.local/bin/toolroom",
            )
            .replace(&project, "/home/ada/work/shop")
            .replace("[PROJECT]", "/home/ada/work/shop")
        };
        let http = ["--http", URL, "--header", "Authorization: Bearer TOKEN"];
        for (block, options) in page.blocks.iter().zip([&[][..], &http[..]]) {
            let printed = context.run(&[&["mcp", "config", client], options].concat());
            assert_eq!(&shown(&printed.stdout), block, "{client}");
            for (scope, file) in &page.files {
                let args = [&["mcp", "install", client, "--scope", scope], options].concat();
                assert_eq!(context.run(&args).status, 0, "{client} {scope}");
                let file = match file.strip_prefix("~/") {
                    Some(below) => context.home().join(below),
                    None => context.project().join(file),
                };
                let written = fs_err::read_to_string(&file)
                    .unwrap_or_else(|error| panic!("{client} {scope}: {error}"));
                assert_eq!(&shown(&written), block, "{client} {scope}");
                context.run(&["mcp", "remove", client, "--scope", scope]);
                assert!(!file.exists(), "{client} {scope}");
            }
        }
    }
}
