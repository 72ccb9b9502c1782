//! Registries that fail and packages that are damaged: nothing of it reaches an environment.

use std::path::Path;
use std::process::Command;

use toolroom_test::{Connection, Received, Server, TestContext, skip};

use super::{bytes_of, venv, with_uv};

/// A context whose only index is a server of ours, and which holds nothing in its cache.
pub(super) fn with_index(server: &Server) -> Option<TestContext> {
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
wheel("large_one", b"x" * (3 << 20))
path = wheel("damaged_one")
data = bytearray(path.read_bytes())
data[1000] ^= 0xFF
path.write_bytes(data)
path = wheel("short_one")
path.write_bytes(path.read_bytes()[:9000])
"#;

pub(super) fn wheels(folder: &Path) -> bool {
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

/// An index of the packages in a folder of wheels.
pub(super) fn serve_wheels(folder: std::path::PathBuf) -> Server {
    Server::start(move |request, connection| {
        let path = request.target.trim_end_matches('/');
        let name = path.rsplit('/').next().unwrap_or_default();
        match fs_err::read(folder.join(name)) {
            Ok(bytes) if request.method == "HEAD" => {
                let length = bytes.len();
                connection.write(format!(
                    "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n"
                ));
            }
            Ok(bytes) => connection.answer("200 OK", &[], bytes),
            Err(_) => {
                let file = format!("{}-1.0-py3-none-any.whl", name.replace('-', "_"));
                let page =
                    format!("<html><body><a href=\"/files/{file}\">{file}</a></body></html>");
                connection.answer("200 OK", &[("Content-Type", "text/html")], page);
            }
        }
    })
}

#[test]
fn what_uv_has_in_its_cache_is_installed_without_the_network() {
    let Some(probe) = with_uv() else { return };
    let folder = probe.root().join("wheels");
    if !wheels(&folder) {
        return skip("python3");
    }
    let server = serve_wheels(folder);
    let Some(context) = with_index(&server) else {
        return;
    };
    context.file("requirements.txt", "whole-one\n");
    assert_eq!(super::plan(&context, &[])["applied"], true);
    let asked = server.received().len();
    assert!(asked > 0);
    context.data(&["setup", "--undo"]);
    assert_eq!(super::plan(&context, &[])["applied"], true);
    assert_eq!(
        server.received().len(),
        asked,
        "the second time nobody is asked"
    );
}

/// A registry of Node with one package.
fn serve_node(context: &TestContext) -> Option<Server> {
    let folder = context.root().join("tiny");
    context.file(
        folder.join("package/package.json"),
        "{\"name\": \"tiny\", \"version\": \"1.0.0\"}",
    );
    context.file(folder.join("package/index.js"), "module.exports = 1;\n");
    let packed = Command::new("tar")
        .args(["-czf", "tiny.tgz", "package"])
        .current_dir(&folder)
        .status();
    packed.ok().filter(std::process::ExitStatus::success)?;
    let bytes = fs_err::read(folder.join("tiny.tgz")).ok()?;
    Some(Server::start(move |request, connection| {
        if request.target.ends_with(".tgz") {
            return connection.answer("200 OK", &[], &bytes);
        }
        let host = request.header("host").unwrap_or_default();
        connection.json(format!("{{\"name\": \"tiny\", \"dist-tags\": {{\"latest\": \"1.0.0\"}}, \"versions\": {{\"1.0.0\": {{\"name\": \"tiny\", \"version\": \"1.0.0\", \"dist\": {{\"tarball\": \"http://{host}/tiny/-/tiny-1.0.0.tgz\"}}}}}}}}"));
    }))
}

#[test]
fn what_npm_has_in_its_cache_is_installed_without_the_network() {
    let Some(mut context) = super::node::with_node("npm") else {
        return;
    };
    let Some(server) = serve_node(&context) else {
        return skip("tar");
    };
    let cache = context.root().join("npm-cache");
    context.set_env("npm_config_registry", server.url("/"));
    context.set_env("npm_config_cache", cache);
    context.set_env("NO_PROXY", "127.0.0.1");
    context.file(
        "package.json",
        "{\"name\": \"x\", \"dependencies\": {\"tiny\": \"1.0.0\"}}",
    );
    assert_eq!(super::plan(&context, &[])["applied"], true);
    let asked = server.received().len();
    assert!(asked > 0);
    context.data(&["setup", "--undo"]);
    assert_eq!(super::plan(&context, &[])["applied"], true);
    assert_eq!(
        server.received().len(),
        asked,
        "the second time nobody is asked"
    );
}

#[test]
fn a_registry_of_node_that_fails_leaves_packages_byte_for_byte() {
    for (fault, answer) in FAULTS {
        let Some(mut context) = super::node::with_node("npm") else {
            return;
        };
        let server = Server::start(answer);
        let cache = context.root().join("npm-cache");
        context.set_env("npm_config_registry", server.url("/"));
        context.set_env("npm_config_cache", cache);
        context.set_env("npm_config_fetch_retries", "0");
        context.set_env("npm_config_fetch_timeout", "1000");
        context.set_env("NO_PROXY", "127.0.0.1");
        context.file(
            "package.json",
            "{\"name\": \"x\", \"dependencies\": {\"tiny\": \"1.0.0\"}}",
        );
        context.file(
            "node_modules/mine/package.json",
            "{\"name\": \"mine\", \"version\": \"1.0.0\"}",
        );
        let folder = context.project().join("node_modules");
        let before = bytes_of(&folder);
        let error = context.error(&["setup"]);
        assert_eq!(error["code"], "provision::failed", "{fault}: {error:#}");
        assert!(server.connections() > 0, "{fault}");
        assert_eq!(bytes_of(&folder), before, "{fault}");
    }
}
