//! The one rule: languages are data.

use std::path::Path;

const LANGUAGES: &[&str] = &[
    "python",
    "node",
    "nodejs",
    "node_modules",
    "ruby",
    "perl",
    "php",
    "deno",
    "bun",
    "golang",
    "javascript",
    "typescript",
    "pyvenv",
    "virtual_env",
    "venv",
    "npm",
    "pnpm",
    "yarn",
    "nvm",
    "pyenv",
    "rbenv",
    "asdf",
    "conda",
    "pip",
    "uv",
    "gem",
    "lua",
    "tcl",
    "java",
];

#[test]
fn no_kernel_source_names_a_language() {
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join("../toolroom-kernel/src");
    let mut found = Vec::new();
    let mut seen = 0;
    visit(&kernel, &mut |path, text| {
        seen += 1;
        for (number, line) in text.lines().enumerate() {
            for word in words(line) {
                if LANGUAGES.contains(&word.as_str()) {
                    found.push(format!("{}:{}: {word}", path.display(), number + 1));
                }
            }
        }
    });
    assert!(seen > 10, "only {seen} files were looked at");
    assert!(
        found.is_empty(),
        "the kernel names languages:\n{}",
        found.join("\n")
    );
}

fn visit(folder: &Path, look: &mut dyn FnMut(&Path, &str)) {
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            visit(&path, look);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            look(&path, &fs_err::read_to_string(&path).unwrap());
        }
    }
}

fn words(line: &str) -> impl Iterator<Item = String> {
    line.split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
        .map(str::to_lowercase)
}
