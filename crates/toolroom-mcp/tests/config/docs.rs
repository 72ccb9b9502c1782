//! The pages of the guide show what is written; this test writes them, or says they are stale.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use toolroom_kernel::Os;
use toolroom_mcp::config::{Client, DEFAULT_NAME, Endpoint, Scope, Server, Transport, all};

use crate::support::Machine;

const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/clients");
const UPDATE: &str = "UPDATE_DOCS";

fn server(endpoint: Endpoint) -> Server {
    Server {
        name: DEFAULT_NAME.to_owned(),
        project: PathBuf::from("/home/ada/work/shop"),
        endpoint,
    }
}

fn stdio() -> Server {
    server(Endpoint::Stdio {
        command: PathBuf::from("/home/ada/.local/bin/toolroom"),
        options: Vec::new(),
        env: Vec::new(),
    })
}

fn http() -> Server {
    server(Endpoint::Http {
        url: "http://127.0.0.1:8931/mcp".to_owned(),
        headers: vec![("Authorization".to_owned(), "Bearer TOKEN".to_owned())],
    })
}

/// The file on each kind of machine, as people write such paths.
fn paths(client: &Client, scope: Scope) -> Vec<(Os, String)> {
    [
        (Os::Linux, "~"),
        (Os::MacOs, "~"),
        (Os::Windows, "%USERPROFILE%"),
    ]
    .into_iter()
    .map(|(os, home)| {
        let mut machine = Machine::new();
        machine.world.os = os;
        let file = client.file(&machine.world, scope, DEFAULT_NAME).unwrap();
        let file = file.to_string_lossy().into_owned();
        let file = file.replace(&*machine.path("project").to_string_lossy(), "PROJECT");
        let file = file.replace(&*machine.path("home").to_string_lossy(), home);
        let file = file.replace("%USERPROFILE%/AppData/Roaming", "%APPDATA%");
        (
            os,
            if os == Os::Windows && scope == Scope::User {
                file.replace('/', "\\")
            } else {
                file
            },
        )
    })
    .collect()
}

fn files(client: &Client) -> String {
    let mut text = String::new();
    for scope in Scope::ALL.into_iter().filter(|scope| client.has(*scope)) {
        let paths = paths(client, scope);
        let same = paths[0].1 == paths[1].1;
        let _ = match (scope, same) {
            (Scope::Project, _) => writeln!(
                text,
                "| project | `{}` |",
                paths[0].1.replace("PROJECT/", "")
            ),
            (Scope::User, true) => writeln!(
                text,
                "| user | `{}` (Windows: `{}`) |",
                paths[0].1, paths[2].1
            ),
            (Scope::User, false) => {
                writeln!(
                    text,
                    "| user | Linux `{}`, macOS `{}`, Windows `{}` |",
                    paths[0].1, paths[1].1, paths[2].1
                )
            }
        };
    }
    text
}

fn page(client: &Client) -> String {
    let mut text = format!(
        "# {}\n\n<!-- Made from core/clients/{}.yaml; UPDATE_DOCS=1 cargo test -p toolroom-mcp --test config docs -->\n\n",
        client.title, client.name
    );
    let files = files(client);
    let name = &client.name;
    if files.is_empty() {
        let _ = writeln!(
            text,
            "```console\n$ toolroom mcp config {name}\n```\n\nprints the entry:"
        );
    } else {
        let _ = writeln!(
            text,
            "```console\n$ toolroom mcp install {name}\n```\n\n| scope | file |\n| --- | --- |\n{files}"
        );
        let _ = match client.default_scope() {
            Scope::Project if client.has(Scope::User) => writeln!(
                text,
                "The project's file is the default; `--scope user` chooses the other. A new file gets exactly this, an\nexisting one gets the entry and is otherwise left as it is:"
            ),
            _ => writeln!(
                text,
                "A new file gets exactly this, an existing one gets the entry and is otherwise left as it is:"
            ),
        };
    }
    let _ = writeln!(
        text,
        "\n```{}\n{}```",
        client.format.name(),
        client.snippet(&stdio()).unwrap()
    );
    if client.can(Transport::Http) {
        let given = "For a server that runs already (`toolroom mcp serve --http 127.0.0.1:8931`)";
        let options = "--http http://127.0.0.1:8931/mcp --header 'Authorization: Bearer TOKEN'";
        let verb = if files.is_empty() {
            "config"
        } else {
            "install"
        };
        let _ = writeln!(
            text,
            "\n{given}:\n\n```console\n$ toolroom mcp {verb} {name} {options}\n```\n\n```{}\n{}```",
            client.format.name(),
            client.snippet(&http()).unwrap()
        );
    }
    if !client.notes.is_empty() {
        text.push('\n');
        for note in &client.notes {
            let _ = writeln!(text, "- {note}");
        }
    }
    if !files.is_empty() {
        let _ = writeln!(
            text,
            "\n`toolroom mcp remove {name}` takes the entry out again."
        );
    }
    text
}

fn index(clients: &[Client]) -> String {
    let mut text = String::from(
        "# Clients\n\n<!-- Made from core/clients/; UPDATE_DOCS=1 cargo test -p toolroom-mcp --test config docs -->\n\nHow Toolroom gets into each MCP client. `toolroom mcp install --all` does it for all that are found on the\nmachine; [the reference](../../reference/clients.md) says how files are changed, and how a client is added.\n\n| client | command |\n| --- | --- |\n",
    );
    for client in clients {
        let verb = if Scope::ALL.iter().any(|scope| client.has(*scope)) {
            "install"
        } else {
            "config"
        };
        let _ = writeln!(
            text,
            "| [{}]({}.md) | `toolroom mcp {verb} {}` |",
            client.title, client.name, client.name
        );
    }
    text
}

fn check(file: &Path, text: &str) {
    if std::env::var_os(UPDATE).is_some() {
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, text).unwrap();
    }
    let written = fs_err::read_to_string(file).unwrap_or_default();
    assert!(
        written == text,
        "{} is stale: run with {UPDATE}=1",
        file.display()
    );
}

#[test]
fn each_client_has_a_page_with_the_exact_file() {
    let clients = all(&Machine::new().world).unwrap();
    for client in &clients {
        check(
            &Path::new(PAGES).join(format!("{}.md", client.name)),
            &page(client),
        );
    }
    check(&Path::new(PAGES).join("README.md"), &index(&clients));
    let pages = fs_err::read_dir(PAGES).unwrap().count();
    assert_eq!(
        pages,
        clients.len() + 1,
        "there are pages of clients that are not known"
    );
}
