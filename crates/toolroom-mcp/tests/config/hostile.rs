//! Files that must be left alone, and machines that do not let us write.

use toolroom_kernel::Explain as _;
use toolroom_mcp::config::{Action, ConfigError, Scope, Server, plan_install};

use crate::support::{Machine, backup, read};

/// Installing and removing both fail with a code at a line, and the file stays as it is.
fn is_refused(
    machine: &Machine,
    client: &str,
    file: &str,
    text: &[u8],
    code: &str,
    line: Option<u32>,
) {
    let path = machine.file(file, text);
    for error in [
        machine.try_install(client, Scope::User),
        machine.try_remove(client, Scope::User),
    ] {
        let shown = String::from_utf8_lossy(text);
        let error = error.expect_err(&shown);
        assert_eq!(error.code(), code, "{shown}\n{error}");
        let place = error.place().expect("a place");
        assert_eq!(place.path, path);
        if line.is_some() {
            assert_eq!(
                place.position.map(|position| position.line),
                line,
                "{shown}\n{error}"
            );
            let named = format!("{}:{}", path.display(), line.unwrap_or_default());
            assert!(error.to_string().contains(&named), "{error}");
        }
        assert!(error.help().is_some());
    }
    assert_eq!(fs_err::read(&path).unwrap(), text);
    assert!(!backup(&path).exists());
    let left = fs_err::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(left, 1, "nothing lies beside it");
}

#[test]
fn a_broken_file_is_never_touched() {
    let cases: &[(&str, &str, &str, u32)] = &[
        ("cursor", "home/.cursor/mcp.json", "{\n  \"a\": 1\n", 1),
        (
            "cursor",
            "home/.cursor/mcp.json",
            "{\n  \"a\": 1\n  \"b\": 2\n}",
            2,
        ),
        ("cursor", "home/.cursor/mcp.json", "{\n  a: 1\n}", 2),
        ("cursor", "home/.cursor/mcp.json", "{}\n{}", 2),
        ("cursor", "home/.cursor/mcp.json", "{\n\"a\": 'x'}", 2),
        ("codex", "home/.codex/config.toml", "a = 1\na = 2\n", 2),
        (
            "codex",
            "home/.codex/config.toml",
            "x = 1\n[mcp_servers\n",
            2,
        ),
        ("goose", "home/.config/goose/config.yaml", "a: 1\nb: [\n", 2),
        (
            "goose",
            "home/.config/goose/config.yaml",
            "a: 1\n  b: 2\n",
            2,
        ),
        (
            "goose",
            "home/.config/goose/config.yaml",
            "a: 1\n---\nb: 2\n",
            2,
        ),
    ];
    for (client, file, text, line) in cases {
        let machine = Machine::new();
        is_refused(
            &machine,
            client,
            file,
            text.as_bytes(),
            "mcp::config_syntax",
            Some(*line),
        );
    }
}

#[test]
fn a_key_of_another_type_is_never_touched() {
    let cases: &[(&str, &str, &str, u32)] = &[
        ("cursor", "home/.cursor/mcp.json", "[]", 1),
        ("cursor", "home/.cursor/mcp.json", "\"text\"", 1),
        (
            "cursor",
            "home/.cursor/mcp.json",
            "{\n  \"mcpServers\": []\n}",
            2,
        ),
        (
            "cursor",
            "home/.cursor/mcp.json",
            "{\n\n  \"mcpServers\": null\n}",
            3,
        ),
        ("codex", "home/.codex/config.toml", "\nmcp_servers = 1\n", 2),
        (
            "codex",
            "home/.codex/config.toml",
            "[[mcp_servers]]\nname = 'x'\n",
            1,
        ),
        (
            "goose",
            "home/.config/goose/config.yaml",
            "a: 1\nextensions: [x]\n",
            2,
        ),
        ("goose", "home/.config/goose/config.yaml", "- a\n", 1),
        (
            "goose",
            "home/.config/goose/config.yaml",
            "x: &x {a: 1}\nextensions: *x\n",
            2,
        ),
        (
            "continue",
            "home/.continue/config.yaml",
            "mcpServers:\n  a: 1\n",
            1,
        ),
    ];
    for (client, file, text, line) in cases {
        let machine = Machine::new();
        let path = machine.file(file, text);
        let error = machine.try_install(client, Scope::User).expect_err(text);
        assert_eq!(error.code(), "mcp::config_type", "{text}\n{error}");
        assert!(
            error
                .to_string()
                .contains(&format!("{}:{line}:", path.display())),
            "{error}"
        );
        assert_eq!(read(&path), *text);
    }
}

#[test]
fn two_equal_keys_are_refused() {
    let machine = Machine::new();
    let text = "{\n  \"mcpServers\": {},\n  \"mcpServers\": {}\n}";
    let path = machine.file("home/.cursor/mcp.json", text);
    let error = machine.try_install("cursor", Scope::User).unwrap_err();
    assert_eq!(error.code(), "mcp::config_duplicate");
    assert_eq!(read(&path), text);
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_place() {
    let machine = Machine::new();
    is_refused(
        &machine,
        "cursor",
        "home/.cursor/mcp.json",
        b"{\n\"a\": \"\xff\"}",
        "mcp::config_not_text",
        None,
    );
}

#[test]
fn thousands_of_brackets_are_an_error_and_not_a_crash() {
    for (client, file, open) in [
        ("cursor", "home/.cursor/mcp.json", "[".repeat(100_000)),
        ("cursor", "home/.cursor/mcp.json", "{\"a\":".repeat(100_000)),
        (
            "codex",
            "home/.codex/config.toml",
            format!("a = {}", "[".repeat(100_000)),
        ),
        (
            "goose",
            "home/.config/goose/config.yaml",
            "[".repeat(100_000),
        ),
        (
            "goose",
            "home/.config/goose/config.yaml",
            "- ".repeat(100_000),
        ),
    ] {
        let machine = Machine::new();
        is_refused(
            &machine,
            client,
            file,
            open.as_bytes(),
            "mcp::config_syntax",
            None,
        );
    }
}

#[test]
fn a_file_of_five_megabytes_is_edited_like_any_other() {
    let mut text = String::from("{\n  \"history\": [\n");
    while text.len() < 5 * 1024 * 1024 {
        text.push_str(
            "    {\"display\": \"one more line of what was said\", \"at\": 1234567890},\n",
        );
    }
    text.push_str("    null\n  ]\n}\n");
    let machine = Machine::new();
    let path = machine.file("home/.claude.json", &text);
    assert_eq!(machine.install("claude-code", Scope::User), Action::Added);
    assert_eq!(machine.remove("claude-code", Scope::User), Action::Removed);
    assert!(read(&path) == text);
}

#[test]
fn an_entry_of_somebody_else_under_our_name_is_kept() {
    let machine = Machine::new();
    let text = "{\"mcpServers\": {\"toolroom\": {\"command\": \"other\", \"args\": [\"x\"]}}}";
    let path = machine.file("home/.cursor/mcp.json", text);
    for error in [
        machine.try_install("cursor", Scope::User),
        machine.try_remove("cursor", Scope::User),
    ] {
        assert_eq!(error.unwrap_err().code(), "mcp::name_taken");
    }
    assert_eq!(read(&path), text);
}

#[test]
fn another_projects_entry_is_kept_while_that_project_exists() {
    let machine = Machine::new();
    let client = machine.client("cursor");
    let other = Server {
        project: machine.path("other"),
        ..machine.server()
    };
    fs_err::create_dir_all(&other.project).unwrap();
    plan_install(&client, &machine.world, Scope::User, &other)
        .unwrap()
        .apply()
        .unwrap();
    let error = machine.try_install("cursor", Scope::User).unwrap_err();
    assert!(matches!(error, ConfigError::OtherProject { .. }));
    fs_err::remove_dir(&other.project).unwrap();
    assert_eq!(machine.install("cursor", Scope::User), Action::Updated);
}

#[test]
fn a_name_that_could_leave_its_place_is_refused() {
    let machine = Machine::new();
    for name in ["", "../x", "a b", "a.b", "ä", "a\"b", &"x".repeat(65)] {
        let server = Server {
            name: name.to_owned(),
            ..machine.server()
        };
        let error = plan_install(
            &machine.client("continue"),
            &machine.world,
            Scope::Project,
            &server,
        )
        .unwrap_err();
        assert_eq!(error.code(), "usage::server_name", "{name}");
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_link_stays_a_link_and_its_target_is_edited() {
        let machine = Machine::new();
        let target = machine.file("dotfiles/mcp.json", "{\n  \"x\": 1\n}\n");
        fs_err::create_dir_all(machine.path("home/.cursor")).unwrap();
        let link = machine.path("home/.cursor/mcp.json");
        symlink("../../dotfiles/mcp.json", &link).unwrap();
        machine.install("cursor", Scope::User);
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert!(read(&target).contains("toolroom"));
        machine.remove("cursor", Scope::User);
        assert_eq!(read(&target), "{\n  \"x\": 1\n}\n");
    }

    #[test]
    fn a_link_to_nowhere_gets_its_file() {
        let machine = Machine::new();
        fs_err::create_dir_all(machine.path("home/.cursor")).unwrap();
        symlink(
            machine.path("dotfiles/mcp.json"),
            machine.path("home/.cursor/mcp.json"),
        )
        .unwrap();
        assert_eq!(machine.install("cursor", Scope::User), Action::Created);
        assert!(machine.path("dotfiles/mcp.json").is_file());
    }

    #[test]
    fn links_in_a_circle_are_an_error() {
        let machine = Machine::new();
        fs_err::create_dir_all(machine.path("home/.cursor")).unwrap();
        let link = machine.path("home/.cursor/mcp.json");
        symlink(&link, &link).unwrap();
        assert_eq!(
            machine
                .try_install("cursor", Scope::User)
                .unwrap_err()
                .code(),
            "mcp::config_io"
        );
    }

    #[test]
    fn a_link_in_the_backups_place_is_replaced_and_not_followed() {
        let machine = Machine::new();
        let precious = machine.file("home/.bashrc", "precious");
        let path = machine.file("project/.mcp.json", "{\"x\": 1}");
        symlink(&precious, backup(&path)).unwrap();
        machine.install("claude-code", Scope::Project);
        assert_eq!(read(&precious), "precious");
        assert_eq!(read(&backup(&path)), "{\"x\": 1}");
    }

    #[test]
    fn the_mode_of_a_file_is_kept() {
        let machine = Machine::new();
        let path = machine.file("home/.claude.json", "{\"x\": 1}");
        fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        machine.install("claude-code", Scope::User);
        for path in [&path, &backup(&path)] {
            assert_eq!(
                path.metadata().unwrap().permissions().mode() & 0o777,
                0o600,
                "{}",
                path.display()
            );
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_a_clear_error() {
        let mut machine = Machine::new();
        let file = machine.file("home/taken", "");
        // A file in the folder's place stops even a superuser.
        for place in [file.as_path(), std::path::Path::new("/proc/toolroom")] {
            machine.world.env.set("CODEX_HOME", place);
            let error = machine.try_install("codex", Scope::User).unwrap_err();
            assert_eq!(error.code(), "mcp::config_io");
            assert!(
                error.to_string().contains(&*place.to_string_lossy()),
                "{error}"
            );
        }
    }

    #[test]
    fn a_folder_in_the_files_place_is_a_clear_error() {
        let machine = Machine::new();
        fs_err::create_dir_all(machine.path("home/.cursor/mcp.json")).unwrap();
        assert_eq!(
            machine
                .try_install("cursor", Scope::User)
                .unwrap_err()
                .code(),
            "mcp::config_io"
        );
    }
}
