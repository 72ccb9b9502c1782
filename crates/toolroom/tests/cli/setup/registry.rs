//! Registries that fail and packages that are damaged: nothing of it reaches an environment.

use std::path::Path;
use std::process::Command;

use toolroom_test::{Connection, Received, Server, TestContext, skip};

use super::{bytes_of, venv, with_uv};

/// A context whose only index is a server of ours, and which holds nothing in its cache.
fn with_index(server: &Server) -> Option<TestContext> {
    let mut context = with_uv()?;
    let cache = context.root().join("no-cache");
    context.remove_env("PIP_FIND_LINKS");
    context.remove_env("UV_INDEX_URL");
    context.set_env("UV_CACHE_DIR", cache);
    context.set_env("UV_DEFAULT_INDEX", server.url("/simple"));
    context.set_env("UV_HTTP_RETRIES", "0");
    context.set_env("UV_HTTP_TIMEOUT", "1");
    context.set_env("NO_PROXY", "127.0.0.1");
    Some(context)
}

type Answer = fn(&Received, &mut Connection);

/// The ways a registry fails.
const FAULTS: [(&str, Answer); 5] = [
    ("an error", |_, connection| {
        connection.answer("500 Internal Server Error", &[], "out of order");
    }),
    ("a reset", |_, connection| connection.close()),
    ("silence", |_, connection| connection.hang()),
    ("an answer that breaks off", |_, connection| {
        connection.write(
            "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\nContent-Type: text/html\r\n\r\n<html>",
        );
        connection.close();
    }),
    ("no such package", |_, connection| {
        connection.answer("404 Not Found", &[], "");
    }),
];

#[test]
fn a_registry_that_fails_leaves_a_users_environment_byte_for_byte() {
    for (fault, answer) in FAULTS {
        let server = Server::start(answer);
        let Some(context) = with_index(&server) else {
            return;
        };
        context.file("requirements.txt", "toolroom-example\n");
        let theirs = venv(&context, ".venv", &["six==1.16.0"]);
        let before = bytes_of(&theirs);
        let error = context.error(&["setup"]);
        assert_eq!(error["code"], "provision::failed", "{fault}: {error:#}");
        assert!(server.connections() > 0, "{fault}");
        assert_eq!(bytes_of(&theirs), before, "{fault}");
    }
}

#[test]
fn a_registry_that_fails_leaves_nothing_of_a_new_environment() {
    for (fault, answer) in FAULTS {
        let server = Server::start(answer);
        let Some(context) = with_index(&server) else {
            return;
        };
        context.file("requirements.txt", "toolroom-example\n");
        let error = context.error(&["setup"]);
        assert_eq!(error["code"], "provision::failed", "{fault}: {error:#}");
        assert!(!context.project().join(".venv").exists(), "{fault}");
    }
}

#[test]
fn an_index_with_a_password_is_not_repeated() {
    let server = Server::start(FAULTS[0].1);
    let Some(mut context) = with_index(&server) else {
        return;
    };
    let address = server
        .url("/simple")
        .replace("http://", "http://user:hunter2@");
    context.set_env("UV_DEFAULT_INDEX", address);
    context.file("requirements.txt", "toolroom-example\n");
    let run = context.run(&["setup", "-v"]);
    assert_eq!(run.status, 125, "{run}");
    assert!(!run.to_string().contains("hunter2"), "{run}");
}

/// Makes wheels in a folder: one that is whole, one with a damaged member, one cut short,
/// and one whose list of files speaks of a file that is not there.
const WHEELS: &str = r#"
import base64, hashlib, pathlib, sys, zipfile

folder = pathlib.Path(sys.argv[1])
folder.mkdir()

def wheel(name, body=b"x = 1\n" * 4000, extra=""):
    path = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    digest = base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b"=").decode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        file.writestr(f"{name}/__init__.py", body)
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", f"{name}/__init__.py,sha256={digest},{len(body)}\n{extra}{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return path

wheel("whole_one")
path = wheel("damaged_one")
data = bytearray(path.read_bytes())
data[1000] ^= 0xFF
path.write_bytes(data)
path = wheel("short_one")
path.write_bytes(path.read_bytes()[:9000])
"#;

fn wheels(folder: &Path) -> bool {
    let made = Command::new("python3")
        .args(["-c", WHEELS])
        .arg(folder)
        .status();
    made.is_ok_and(|status| status.success())
}

#[test]
fn a_damaged_wheel_leaves_a_users_environment_byte_for_byte() {
    for damaged in ["damaged_one", "short_one"] {
        let Some(mut context) = with_uv() else { return };
        let cache = context.root().join("no-cache");
        context.set_env("UV_CACHE_DIR", cache);
        if !wheels(&context.project().join("wheels")) {
            return skip("python3");
        }
        let head = "--no-index\n--find-links wheels\n";
        context.file("requirements.txt", format!("{head}whole_one\n{damaged}\n"));
        let theirs = venv(&context, ".venv", &["six==1.16.0"]);
        let before = bytes_of(&theirs);
        let error = context.error(&["setup"]);
        assert_eq!(error["code"], "provision::failed", "{damaged}: {error:#}");
        assert_eq!(bytes_of(&theirs), before, "{damaged}");
        context.file("requirements.txt", format!("{head}whole_one\n"));
        assert_eq!(super::plan(&context, &[])["applied"], true, "{damaged}");
    }
}
