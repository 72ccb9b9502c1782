use toolroom_kernel::Position;

use super::*;

fn docstring(source: &str) -> Option<String> {
    js(source).docstring.map(|found| found.value)
}

fn comment(source: &str) -> Option<String> {
    js(source).comment.map(|found| found.value)
}

#[test]
fn the_leading_block_is_the_files_unless_it_belongs_to_code() {
    for (source, expected) in [
        (
            "/** Fetches a page. */\n\nexport function main() {}",
            Some("Fetches a page."),
        ),
        (
            "/* Fetches a page. */\nimport x from 'x';",
            Some("Fetches a page."),
        ),
        (
            "/** Fetches a page. */\n'use strict';",
            Some("Fetches a page."),
        ),
        (
            "/** Fetches a page. */\nconst x = require('x');",
            Some("Fetches a page."),
        ),
        ("/** Fetches a page. */", Some("Fetches a page.")),
        (
            "#!/usr/bin/env node\n/** Fetches a page. */\n\nrun();",
            Some("Fetches a page."),
        ),
        (
            "'use strict';\n/** Fetches a page. */\n\nrun();",
            Some("Fetches a page."),
        ),
        (
            "// note\n/** Fetches a page. */\n\nrun();",
            Some("Fetches a page."),
        ),
        (
            "/** @file Fetches a page. */\nfunction main() {}",
            Some("Fetches a page."),
        ),
        (
            "/**\n * Fetches a page.\n * @module fetch\n */\nfunction main() {}",
            Some("Fetches a page."),
        ),
        (
            "/**\r\n * Two\r\n *   lines.\r\n */\r\n\r\nf();",
            Some("Two\n  lines."),
        ),
        (
            "/*\n  Two\n    * points\n*/\n\nf();",
            Some("Two\n  * points"),
        ),
        (
            "/*\n---\nversion: 1\n---\nProse.\n*/\n\nf();",
            Some("Prose."),
        ),
        ("/*! Licence */\n/** Fetches. */\n\nf();", Some("Fetches.")),
        (
            "/* Copyright 2020 */\n/** Fetches. */\n\nf();",
            Some("Fetches."),
        ),
        (
            "/* eslint-disable */\n/** Fetches. */\n\nf();",
            Some("Fetches."),
        ),
        ("/** Belongs to main. */\nexport function main() {}", None),
        (
            "/** Belongs.\n * @param {string} a */\n\nexport function main(a) {}",
            None,
        ),
        ("/** Of the constant. */\nconst a = 1;", None),
        ("/** Of the export. */\nmodule.exports = { a: 1 };", None),
        ("/** Of the class. */\nclass A {}", None),
        ("f();\n/** Too late. */\n\ng();", None),
        ("/**/\n\nf();", None),
        ("/***/\n\nf();", None),
        ("", None),
    ] {
        assert_eq!(docstring(source).as_deref(), expected, "{source}");
    }
}

#[test]
fn a_block_above_what_needs_no_description_is_the_files() {
    for statement in [
        "console.log('hi');",
        "await fetch('x');",
        "(async () => {})();",
        "Object.defineProperty(exports, '__esModule', { value: true });",
        "if (require.main === module) { f(); }",
        "for (const a of []) {}",
        "try { f(); } catch {}",
        "{ f(); }",
    ] {
        for block in ["/** Says hi. */", "/* Says hi. */", "/**\n * Says hi.\n */"] {
            let source = format!("{block}\n{statement}");
            assert_eq!(docstring(&source).as_deref(), Some("Says hi."), "{source}");
        }
    }
    // What is for programs describes nothing.
    assert_eq!(docstring("/* eslint-disable */\nf();"), None);
    assert_eq!(docstring("/*! Licence */\nf();"), None);
}

#[test]
fn the_first_prose_line_comment_is_the_comment() {
    for (source, expected) in [
        (
            "// Adds numbers.\n// Slowly.\n\n// More.\nf();",
            Some("Adds numbers. Slowly."),
        ),
        (
            "#!/usr/bin/env node\n// rye:signed:2024:abc\n// Adds.\n",
            Some("Adds."),
        ),
        (
            "// kiwi-mcp:validated:x\n\n// @ts-check\n// eslint-disable no-x\n// Adds.\n",
            Some("Adds."),
        ),
        ("// SPDX-License-Identifier: MIT\n// Adds.\n", Some("Adds.")),
        ("// ---\n// version: 1\n// ---\n// Adds.\n", Some("Adds.")),
        (
            "/// <reference types=\"node\" />\n// Adds.\n",
            Some("Adds."),
        ),
        (
            "import x from 'x';\n// Adds.\nexport function main() {}",
            Some("Adds."),
        ),
        ("f();\n// Too late.\n", None),
        ("// ------\n", None),
        ("/* a block */\n", None),
    ] {
        assert_eq!(comment(source).as_deref(), expected, "{source}");
    }
}

#[test]
fn the_heading_knows_where_it_stands() {
    let document = js("\u{feff}#!/usr/bin/env node\r\n// Adds.\r\n/** Doc. */\r\n\r\nf();");
    let doc_at = document.docstring.map(|found| found.at);
    let comment_at = document.comment.map(|found| found.at);
    assert_eq!(doc_at, Some(Position { line: 3, column: 1 }));
    assert_eq!(comment_at, Some(Position { line: 2, column: 4 }));
}

#[test]
fn a_file_that_asks_whether_it_is_started_is_a_script() {
    for (source, expected) in [
        ("if (require.main === module) { main(); }", true),
        ("if (module == require . main) main();", true),
        ("if (import.meta.main) { main(); }", true),
        (
            "if (import.meta.url === `file://${process.argv[1]}`) main();",
            true,
        ),
        ("if (ready) main();", false),
        ("function f() { if (require.main === module) {} }", false),
    ] {
        assert_eq!(js(source).is_script, expected, "{source}");
    }
}
