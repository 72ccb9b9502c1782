use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn style(line: &str) -> CommentStyle {
    CommentStyle {
        line: line.split_whitespace().map(str::to_owned).collect(),
        block: None,
    }
}

fn with_block(line: &str, open: &str, close: &str) -> CommentStyle {
    CommentStyle {
        block: Some((open.to_owned(), close.to_owned())),
        ..style(line)
    }
}

fn value(document: &Document, key: &str) -> (Value, (u32, u32)) {
    match &document.variables[key] {
        Variable::Literal(found) => (found.value.clone(), (found.at.line, found.at.column)),
        Variable::NotLiteral(reason) => panic!("{reason:?}"),
    }
}

fn comment(document: &Document) -> Option<&str> {
    document.comment.as_ref().map(|found| found.value.as_str())
}

#[test]
fn a_block_in_line_comments_gives_its_keys_and_their_places_in_the_file() {
    let source = "#!/usr/bin/env ruby\n# encoding: utf-8\n# rye:signed:2026:abc\n# ---\n# description: Says hello\n# config:\n#   timeout: 5\n# ---\n# Greets.\nputs 1\n";
    let document = read(source, &style("#"));
    assert_eq!(document.faults, []);
    assert_eq!(
        value(&document, "description"),
        (json!("Says hello"), (5, 3))
    );
    assert_eq!(value(&document, "config"), (json!({"timeout": 5}), (6, 3)));
    assert_eq!(comment(&document), Some("Greets."));
}

#[test]
fn the_marks_of_many_languages_are_taken_off() {
    let table = [
        (style("--"), "-----\n-- ---\n-- a: 1\n-- ---\nselect 1;\n"),
        (style("//"), "<?php\n\n// ---\n// a: 1\n// ---\n"),
        (style(";"), "; ---\n;a: 1\n; ---\n"),
        (style(";; ;"), ";; ---\n;; a: 1\n; ---\n"),
        (with_block("//", "/*", "*/"), "/*\n---\na: 1\n---\n*/\n"),
        (
            with_block("//", "/*", "*/"),
            "/**\n * ---\n * a: 1\n * ---\n */\n",
        ),
        (
            with_block("#", "=begin", "=end"),
            "=begin\n---\na: 1\n---\n=end\n",
        ),
        (
            with_block("--", "--[[", "]]"),
            "--[[ about\n---\na: 1\n---\n]]\n",
        ),
        (with_block("", "<!--", "-->"), "<!--\n---\na: 1\n---\n-->\n"),
    ];
    for (style, source) in table {
        let document = read(source, &style);
        assert_eq!(document.faults, [], "{source}");
        assert_eq!(value(&document, "a").0, json!(1), "{source}");
    }
}

#[test]
fn columns_count_characters_and_what_stands_before_the_text() {
    let source = "/*\n *  é: 0\n * ---\n *   a: 1\n *   b: 2\n * ---\n */";
    let document = read(source, &with_block("//", "/*", "*/"));
    assert_eq!(value(&document, "a"), (json!(1), (4, 6)));
    assert_eq!(value(&document, "b"), (json!(2), (5, 6)));
}

#[test]
fn a_block_that_is_never_closed_is_a_fault_at_its_first_line() {
    for source in ["# x\n# ---\n# a: 1\n", "# x\n# ---\n# a: 1\nputs\n# ---\n"] {
        let document = read(source, &style("#"));
        assert!(document.variables.is_empty());
        assert_eq!(
            document.faults,
            [SyntaxFault {
                at: Position { line: 2, column: 3 },
                message: "the block that begins here has no closing ---".to_owned(),
            }]
        );
        assert_eq!(comment(&document), Some("x"));
    }
}

#[test]
fn a_fault_inside_the_block_is_reported_where_it_is_in_the_file() {
    let document = read("#!/bin/sh\n# ---\n# a: 1\n# a: 2\n# ---\n", &style("#"));
    let [fault] = document.faults.as_slice() else {
        panic!("{document:?}");
    };
    assert_eq!(fault.at, Position { line: 4, column: 3 });
    assert_eq!(fault.message, "the key `a` is there twice");
}

#[test]
fn a_fence_after_the_first_code_is_none_of_ours() {
    let document = read("x = 1\n# ---\n# a: 1\n# ---\n", &style("#"));
    assert_eq!(document, Document::default());
}

#[test]
fn the_first_prose_comment_is_the_comment() {
    let table = [
        (
            "# Says hello.\n# To all.\n#\n# Twice.\nx\n",
            Some("Says hello. To all.\n\nTwice."),
        ),
        (
            "#!/bin/sh\n# SPDX-License-Identifier: MIT\n\n## Hello\n",
            Some("Hello"),
        ),
        (
            "# frozen_string_literal: true\n\n# First.\n\n# Second.\n",
            Some("First."),
        ),
        ("# ---------\n# Framed\n# ---------\n", Some("Framed")),
        ("# /// script\n# a = 1\n# ///\n# After.\n", Some("After.")),
        (
            "# Before.\n# ---\n# a: 1\n# ---\n# After.\n",
            Some("Before."),
        ),
        ("# Copyright 2026 Somebody\n", None),
        ("x = 1 # no\n", None),
        ("", None),
    ];
    for (source, expected) in table {
        assert_eq!(comment(&read(source, &style("#"))), expected, "{source}");
    }
}

#[test]
fn the_place_of_the_comment_is_where_its_text_begins() {
    let document = read("#!/bin/sh\n#   ## Hello\n", &style("#"));
    let found = document.comment.unwrap();
    assert_eq!(found.value, "## Hello");
    assert_eq!(found.at, Position { line: 2, column: 5 });
}

#[test]
fn code_after_a_block_comment_ends_the_comment() {
    let document = read(
        "/* Hi. */ f();\n// ---\n// a: 1\n// ---\n",
        &with_block("//", "/*", "*/"),
    );
    assert_eq!(comment(&document), Some("Hi."));
    assert!(document.variables.is_empty());
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(
        source in "(# |#|---|--|/\\*|\\*/|a: 1|: |- |&a |\\*a|\\PC|\r|\n|\n# ){0,60}",
        line in "(#|--|//||é)",
    ) {
        let _ = read(&source, &style(&line));
        let _ = read(&source, &with_block(&line, "/*", "*/"));
    }
}

#[test]
fn a_block_is_there_if_it_means_to_be_metadata() {
    for (source, expected) in [
        ("-- ---\n-- executor_id: x\n-- ---\n", true),
        ("-- A title.\n\n-- ---\n-- description: x\n-- ---\n", true),
        ("-- ---\n-- {executor_id: x}\n-- ---\n", true),
        ("-- ---\n-- \"executor_id\": x\n-- ---\n", true),
        // What is wrong with it is for the reader to say.
        ("-- ---\n-- executor_id: [\n-- ---\n", true),
        ("-- ---\n-- executor_id: x\n", true),
        ("-- ---\n-- executor_id = x\n-- ---\n", true),
        ("-- ---\n-- config:\n", true),
        // Frames, of which some programs draw many.
        ("-- ---\n-- Globals\n-- ---\n-- SET A=1;\n", false),
        ("-- ---\n-- Table 'users'\nselect 1;\n", false),
        ("-- ---\n-- ---\n", false),
        ("-- ---\n-- see https://example.org\n-- ---\n", false),
        ("-- ----------\n-- a: 1\n-- ----------\n", false),
        ("-- a: 1\nselect 1;\n", false),
        ("select 1;\n-- ---\n-- executor_id: x\n-- ---\n", false),
        ("", false),
    ] {
        assert_eq!(has_block(source, &style("--")), expected, "{source:?}");
    }
}
