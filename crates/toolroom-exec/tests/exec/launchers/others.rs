//! Perl, Ruby and PHP tools.

use serde_json::{Value, json};
use toolroom_exec::subprocess::Channel;

use super::{PERL, PHP, RUBY, fails, gives};
use crate::launch::Given;
use crate::support::*;

#[test]
fn perl_calls_functions() {
    gives(&[
        (
            PERL,
            "sub main { my %p = @_; return [$p{name}, $p{count} + 0] } 1;",
            json!(["ü", 2]),
        ),
        (
            PERL,
            "use strict; sub execute { my ($p, $project) = @_; print 'noise'; return {name => $p->{name}, project => $project} } 1;",
            json!({"name": "ü", "project": "/the/project"}),
        ),
        (
            PERL,
            "sub main { Toolroom::progress(1, 2); return undef }",
            Value::Null,
        ),
        (
            PERL,
            "sub main { return \"\\xff\\xfe\" } 1;",
            json!({"base64": "//4="}),
        ),
    ]);
    fails(&[
        (
            PERL,
            "sub inner {\n die 'bad' }\nsub main { inner() } 1;",
            "die",
            "bad",
            Some(2),
        ),
        (
            PERL,
            "sub main { exit 3 } 1;",
            "ToolEnded",
            "status 3",
            None,
        ),
        (PERL, "1;", "die", "defines no function", None),
        (
            PERL,
            "sub main { return sub {} } 1;",
            "die",
            "cannot be written as JSON: CODE",
            None,
        ),
    ]);
}

#[test]
fn a_perl_tool_in_a_folder_of_any_name_is_quiet() {
    let given = Given {
        kept: None,
        entry: &["main".to_owned()],
        order: &[],
        params: json!({}),
        folder: "prøject ✓ 🦀",
    };
    let source = "sub main { return -e $0 ? 'found' : $0 }\n1;\n";
    let Some(called) = PERL.call_as(Channel::Private, source, given) else {
        return;
    };
    assert_eq!(called.result(), json!("found"));
    assert_eq!(text(&called.outcome.stderr), "");
}

#[test]
fn ruby_calls_methods() {
    gives(&[
        (
            RUBY,
            "def main(name:, count: 1) = [name, count]",
            json!(["ü", 2]),
        ),
        (
            RUBY,
            "def main(params) = params",
            json!({"name": "ü", "count": 2}),
        ),
        (
            RUBY,
            "def main(name, count = 1, more = 7) = [name, count, more]",
            json!(["ü", 2, 7]),
        ),
        (
            RUBY,
            "def execute(params, project_path) = [params['count'], project_path]",
            json!([2, "/the/project"]),
        ),
        (
            RUBY,
            "def main(**all)\n puts 'noise'\n Toolroom.log('info', 'x')\n {a: :b, f: Float::NAN, s: \"\\xff\".b}\nend",
            json!({"a": "b", "f": "NaN", "s": {"base64": "/w=="}}),
        ),
        (
            RUBY,
            "def main(**) = 2**100",
            serde_json::from_str("1267650600228229401496703205376").unwrap(),
        ),
    ]);
    fails(&[
        (
            RUBY,
            "def inner\n  raise ArgumentError, 'bad'\nend\ndef main = inner",
            "ArgumentError",
            "bad",
            Some(2),
        ),
        (
            RUBY,
            "def main(city, days = 3) = city",
            "ArgumentError",
            "main needs city",
            None,
        ),
        (RUBY, "def main = exit(3)", "SystemExit", "status 3", None),
        (RUBY, "x = 1", "NameError", "defines no method", None),
    ]);
}

#[test]
fn php_calls_functions() {
    gives(&[
        (
            PHP,
            "<?php function main(string $name, int $count = 1) { return [$name, $count]; }",
            json!(["ü", 2]),
        ),
        (
            PHP,
            "<?php function execute(array $params, $project) { echo 'noise'; return ['p' => $project]; }",
            json!({"p": "/the/project"}),
        ),
        (
            PHP,
            "<?php function main(...$all) { Toolroom::log('info', 'x'); return [NAN, \"\\xff\", 1.0]; }",
            json!(["NaN", {"base64": "/w=="}, 1.0]),
        ),
        (
            PHP,
            "<?php function main(...$all) { yield 1; yield 2; }",
            json!([1, 2]),
        ),
    ]);
    fails(&[
        (
            PHP,
            "<?php\nfunction main() {\n  throw new DomainException('bad');\n}",
            "DomainException",
            "bad",
            Some(3),
        ),
        (
            PHP,
            "<?php function main() { exit(3); }",
            "ToolEnded",
            "before it returned",
            None,
        ),
        (
            PHP,
            "<?php function main( {",
            "ParseError",
            "syntax error",
            Some(1),
        ),
    ]);
}
