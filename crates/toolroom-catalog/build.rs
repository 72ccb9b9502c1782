//! Turns the `core/` data tree into Rust tables, so that reading core data at run time
//! costs a JSON parse of one small file instead of a YAML parse of all of them.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a build script names its files itself and speaks to cargo"
)]

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../core");
    let root = root.canonicalize()?;
    println!("cargo:rerun-if-changed={}", root.display());

    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();

    let mut tools = Vec::new();
    let mut aliases = Vec::new();
    let mut extensions = Vec::new();
    let mut skipped = Vec::new();
    let mut texts = String::from("pub(super) static TEXTS: &[(&str, &str)] = &[\n");
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
        let relative = file
            .strip_prefix(&root)?
            .to_string_lossy()
            .replace('\\', "/");
        let include = format!("include_str!({:?})", file.to_string_lossy());
        match relative.strip_suffix(".yaml") {
            Some(id) if id.contains('/') => {
                let document = document(file)?;
                let json = document.to_string();
                let digest = digest(file)?;
                for alias in document["aliases"].as_array().into_iter().flatten() {
                    aliases.push((
                        alias.as_str().ok_or("an alias is a text")?.to_owned(),
                        id.to_owned(),
                    ));
                }
                if document["tool_type"] == "extractor" {
                    for extension in texts_of(&document["extensions"]) {
                        extensions.push((extension, id.to_owned()));
                    }
                    skipped.extend(texts_of(&document["skip_folders"]));
                }
                tools.push(format!(
                    "CoreFile {{ id: {id:?}, path: {relative:?}, source: {include}, digest: {digest:?}, json: {json:?}, document: OnceLock::new() }},\n"
                ));
            }
            // What holds for every environment is a table of its own.
            Some(_) => {}
            None => writeln!(texts, "({relative:?}, {include}),")?,
        }
    }
    let tools = format!(
        "pub(super) static TOOLS: [CoreFile; {}] = [\n{}];\n",
        tools.len(),
        tools.concat(),
    );
    texts.push_str("];\n");
    aliases.sort();
    extensions.sort();
    let tables = format!(
        "pub(super) static ALIASES: &[(&str, &str)] = &{aliases:?};\n\
         pub(super) static EXTENSIONS: &[(&str, &str)] = &{extensions:?};\n\
         pub(super) static SKIPPED: &[&str] = &{skipped:?};\n\
         pub(super) static IDENTITY: &str = {:?};\n",
        identity(&root, &files)?,
    );

    let rules = environment(&document(&root.join("environment.yaml"))?)?;
    let out = PathBuf::from(env::var("OUT_DIR")?).join("core_files.rs");
    fs::write(out, tools + &texts + &tables + &rules)?;
    Ok(())
}

/// A text that changes with any file of core.
fn identity(root: &Path, files: &[PathBuf]) -> Result<String, Box<dyn Error>> {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.strip_prefix(root)?.hash(&mut hasher);
        fs::read(file)?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// What holds for every environment. Every call asks for it, so it is a table as it is; a list
/// that is missing must not pass for one that forbids nothing.
fn environment(document: &serde_json::Value) -> Result<String, Box<dyn Error>> {
    let mut table = String::from(
        "pub(super) static ENVIRONMENT: EnvironmentRules<'static> = EnvironmentRules {\n",
    );
    let listed = |name: &str| match texts_of(&document[name]) {
        list if list.is_empty() => Err(format!("environment.yaml: {name} lists no texts")),
        list => Ok(list),
    };
    for name in [
        "dotenv_files",
        "loader_variables",
        "minimal",
        "without_credentials",
    ] {
        writeln!(table, "{name}: &{:?},", listed(name)?)?;
    }
    let secrets = listed("secret_words")?;
    let secrets: Vec<String> = secrets.iter().map(|word| format!("_{word}_")).collect();
    writeln!(
        table,
        "}};\npub(super) static SECRET_WORDS: &[&str] = &{secrets:?};"
    )?;
    Ok(table)
}

/// SHA-256 of a file, in hexadecimal.
fn digest(file: &Path) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    for byte in Sha256::digest(fs::read(file)?) {
        write!(text, "{byte:02x}")?;
    }
    Ok(text)
}

fn texts_of(list: &serde_json::Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={}", directory.display());
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_dir() {
            if !path.ends_with("__pycache__") {
                collect(&path, files)?;
            }
        } else if !hidden && path.extension().is_none_or(|extension| extension != "md") {
            files.push(path);
        }
    }
    Ok(())
}

fn document(file: &Path) -> Result<serde_json::Value, Box<dyn Error>> {
    let text = fs::read_to_string(file)?;
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(&text, options)
        .map_err(|error| format!("{}: {error}", file.display()).into())
}
