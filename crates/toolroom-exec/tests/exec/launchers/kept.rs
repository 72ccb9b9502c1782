//! A text that stands for what is in a tool's file: everything but the text is the file's own.

use serde_json::json;
use toolroom_exec::subprocess::Channel;

use super::{BASH, BUN, DENO, NODE, PERL, PHP, RUBY};
use crate::launch::{Called, Given, Kept, Language};
use crate::python::PYTHON;

/// Calls a tool whose file holds what no language reads.
fn call(language: Language, text: &str, beside: (&str, &str)) -> Option<Called> {
    let given = Given {
        kept: Some(Kept { text, beside }),
        entry: &["main".to_owned()],
        order: &[],
        params: json!({"n": 1}),
        folder: "a place",
    };
    language.call_as(Channel::Private, "((( broken\n", given)
}

/// The tool gives what is beside it, and its own path as it sees that.
fn knows_its_place(language: Language, text: &str, beside: (&str, &str)) {
    if let Some(called) = call(language, text, beside) {
        let path = called.path.to_str().unwrap();
        let folder = called.path.parent().unwrap().to_str().unwrap();
        assert_eq!(called.result(), json!(["h", path, folder]), "{language:?}");
        assert!(called.outcome.success(), "{language:?}");
    }
}

#[test]
fn python_imports_what_lies_beside_the_file() {
    let text =
        "import os, beside\ndef main(n): return [beside.V, __file__, os.path.dirname(__file__)]\n";
    knows_its_place(PYTHON, text, ("beside.py", "V = 'h'\n"));
}

#[test]
fn a_module_imports_what_lies_beside_the_file() {
    let text = "import { v } from './beside.mjs';\nimport { fileURLToPath as path } from 'node:url';\nexport const main = () => [v, path(import.meta.url), path(new URL('.', import.meta.url)).slice(0, -1)];\n";
    let beside = ("beside.mjs", "export const v = 'h';\n");
    for language in [NODE, BUN, DENO] {
        knows_its_place(language, text, beside);
        let extension = "js";
        knows_its_place(
            Language {
                extension,
                ..language
            },
            text,
            beside,
        );
    }
}

#[test]
fn common_js_requires_what_lies_beside_the_file() {
    let text = "#!/usr/bin/env node\nconst v = require('./beside.cjs');\nexports.main = () => [v, __filename, __dirname];\n";
    let beside = ("beside.cjs", "module.exports = 'h';\n");
    for language in [NODE, BUN, DENO] {
        for extension in ["js", "cjs"] {
            knows_its_place(
                Language {
                    extension,
                    ..language
                },
                text,
                beside,
            );
        }
    }
}

#[test]
fn typescript_is_read_by_what_reads_typescript() {
    let text = "import { v } from './beside.ts';\nimport { fileURLToPath as path } from 'node:url';\nexport function main({ n }: { n: number }): unknown {\n  return [v, path(import.meta.url), path(new URL('.', import.meta.url)).slice(0, -1)];\n}\n";
    let extension = "ts";
    for language in [BUN, DENO] {
        let beside = ("beside.ts", "export const v: string = 'h';\n");
        knows_its_place(
            Language {
                extension,
                ..language
            },
            text,
            beside,
        );
    }
}

#[test]
fn ruby_requires_what_lies_beside_the_file() {
    let text = "require_relative 'beside'\ndef main(n:) = [V, __FILE__, __dir__]\n";
    knows_its_place(RUBY, text, ("beside.rb", "V = 'h'\n"));
}

#[test]
fn php_requires_what_lies_beside_the_file() {
    let text = "<?php\nrequire __DIR__ . '/beside.php';\nfunction main($n) { return [V, __FILE__, __DIR__]; }\n";
    knows_its_place(PHP, text, ("beside.php", "<?php const V = 'h';\n"));
}

#[test]
fn perl_uses_what_lies_beside_the_file() {
    let text = "use strict; use Beside; use File::Basename;\nsub main { return [<DATA>, __FILE__, dirname($0)] }\n1;\n__DATA__\nh";
    knows_its_place(PERL, text, ("Beside.pm", "package Beside; 1;\n"));
}

/// As a script of its own, and as functions of which one is called.
#[test]
fn bash_sources_what_lies_beside_the_file() {
    let beside = ("beside.sh", "v=h\n");
    let begin = "set -euo pipefail\nhere=$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\n. \"${BASH_SOURCE%/*}/beside.sh\"\n";
    let result = "toolroom_result \"[\\\"$v\\\",\\\"$0\\\",\\\"$here\\\"]\"";
    for end in [format!("{result}\n"), format!("main() {{ {result}; }}\n")] {
        let text = format!("{begin}{end}");
        let given = Given {
            kept: Some(Kept {
                text: &text,
                beside,
            }),
            entry: &[],
            order: &[],
            params: json!({"n": 1}),
            folder: "a place",
        };
        let Some(called) = BASH.call_as(Channel::Private, "((( broken\n", given) else {
            return;
        };
        let path = called.path.to_str().unwrap();
        let folder = called.path.parent().unwrap().to_str().unwrap();
        assert_eq!(called.result(), json!(["h", path, folder]), "{text}");
    }
}

#[test]
fn a_script_that_asks_bash_for_more_than_its_name_needs_its_file() {
    let text = "echo began\necho \"${BASH_SOURCE[@]}\"\n";
    let Some(called) = call(BASH, text, ("beside.sh", "")) else {
        return;
    };
    assert!(called.failure().unfit, "{:?}", called.failure());
    assert_eq!(called.stdout(), "");
}

#[test]
fn what_is_raised_shows_the_line_that_ran() {
    let cases = [
        (PYTHON, "# one\ndef main(n):\n    raise ValueError('no')\n"),
        (
            NODE,
            "// one\nexport function main() {\n    throw new Error('no');\n}\n",
        ),
        (RUBY, "# one\ndef main(n:)\n    raise 'no'\nend\n"),
        (
            PHP,
            "<?php\nfunction main($n) {\n    throw new Exception('no');\n}\n",
        ),
    ];
    for (language, text) in cases {
        let Some(called) = call(language, text, ("beside", "")) else {
            continue;
        };
        let frame = called.failure().frames.last().unwrap();
        let line = text.lines().nth(2).map(str::trim);
        assert_eq!((frame.line, frame.source.as_deref()), (Some(3), line));
        assert_eq!(frame.file, called.path.to_str().unwrap());
    }
}
