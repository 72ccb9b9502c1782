//! The headers that a server is asked with for its tools. They may hold a secret, and go to
//! the server and nowhere else: a tool's file speaks of the variable.

use std::collections::BTreeMap;

use toolroom_catalog::Catalog;
use toolroom_kernel::World;

use super::target;
use crate::commands::resolved;
use crate::failure::Failure;
use crate::settings;

/// What calls the tools of a server at an address, and where it takes headers from.
pub const RUNTIME: &str = "mcp_http_runtime";
pub const VARIABLE: &str = "MCP_HEADERS";

/// Those of `--header`, over those that a call of the tools would send.
pub fn of(given: &[String], world: &World) -> Result<BTreeMap<String, String>, Failure> {
    let mut headers = of_environment(world)?;
    for (name, value) in target::headers(given)? {
        headers.retain(|known, _| !known.eq_ignore_ascii_case(&name));
        headers.insert(name, value);
    }
    Ok(headers)
}

fn of_environment(world: &World) -> Result<BTreeMap<String, String>, Failure> {
    let catalog = Catalog::open(world);
    let chain = catalog.link(catalog.find_runtime(RUNTIME)?)?;
    let settings = settings::load(world)?;
    let resolution =
        resolved::environment(world, &catalog, &chain, &settings).map_err(resolved::told)?;
    match resolution.env.get(VARIABLE).map(str::trim) {
        None | Some("") => Ok(BTreeMap::new()),
        // The parser's error would repeat what it read.
        Some(text) => serde_json::from_str(text).map_err(|_| {
            let message = format!("{VARIABLE} is not a JSON object of texts");
            Failure::new("usage::bad_headers", message)
                .help(r#"write it as {"Authorization": "Bearer TOKEN"}"#)
        }),
    }
}
