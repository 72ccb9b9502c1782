//! Files as resources: what a client fills in reaches nothing but what was offered.

use serde_json::json;

use super::client::Client;
use super::machine;

#[test]
fn an_address_leads_out_of_no_folder_that_a_template_names() {
    let context = machine();
    context.file(".env", "KEY=hidden");
    context.file("docs/a/b.md", "here");
    let outside = context.file("secret.md", "hidden");
    context.file(
        ".ai/resources/docs.yaml",
        "uri_template: docs://{+path}\nfile: ../../docs/{path}\n",
    );
    context.file(
        ".ai/resources/pages.yaml",
        "uri_template: pages://{a}/{b}\nfile: ../../docs/{a}/{b}.md\n",
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink("../secret.md", context.project().join("docs/link.md")).unwrap();
        symlink("..", context.project().join("docs/up")).unwrap();
    }
    let mut client = Client::start(&context, &[]);
    for uri in ["docs://a/b.md", "docs://a%2Fb%2emd", "pages://a/b"] {
        let read = client.modern("resources/read", json!({"uri": uri}));
        assert_eq!(read["contents"][0]["text"], "here", "{uri}");
    }
    let absolute = format!("docs://{}", outside.display());
    for uri in [
        "docs://../.env",
        "docs://..%2f.env",
        "docs://%2e%2e/.env",
        "docs://%2E%2E%2F.env",
        "docs://a/../../.env",
        "docs://a/../../docs/a/b.md",
        "docs://a/b.md%00",
        "docs://link.md",
        "docs://up/.env",
        "docs://up/secret.md",
        "pages://../secret",
        "pages://up/secret",
        "pages://%2e%2e/secret",
        &absolute,
    ] {
        let error = client.modern_error("resources/read", json!({"uri": uri}));
        assert_eq!(error["code"], -32602, "{uri}: {error}");
        assert!(!error.to_string().contains("hidden"), "{error}");
    }
}
