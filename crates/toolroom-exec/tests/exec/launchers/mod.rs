//! The launchers of the languages besides Python, each with its real interpreter.

mod kept;
mod node;
mod others;
mod shell;

use serde_json::{Value, json};

use crate::launch::Language;

const NODE: Language = Language {
    interpreter: "node",
    args: &[],
    launcher: "call.mjs",
    extension: "mjs",
};
const BUN: Language = Language {
    interpreter: "bun",
    args: &["run"],
    ..NODE
};
const DENO: Language = Language {
    interpreter: "deno",
    args: &["run", "--allow-all", "--quiet"],
    ..NODE
};
const BASH: Language = Language {
    interpreter: "bash",
    args: &[],
    launcher: "call.sh",
    extension: "sh",
};
const PERL: Language = Language {
    interpreter: "perl",
    args: &[],
    launcher: "call.pl",
    extension: "pl",
};
const RUBY: Language = Language {
    interpreter: "ruby",
    args: &[],
    launcher: "call.rb",
    extension: "rb",
};
const PHP: Language = Language {
    interpreter: "php",
    args: &[],
    launcher: "call.php",
    extension: "php",
};

/// Calls each tool with `{"name": "ü", "count": 2}` and compares what it gives.
fn gives(cases: &[(Language, &str, Value)]) {
    for (language, source, expected) in cases {
        let Some(called) = language.call(source, json!({"name": "ü", "count": 2})) else {
            continue;
        };
        assert_eq!(called.result(), *expected, "{source}");
        assert!(called.outcome.success(), "{source}");
    }
}

/// Calls each tool and compares the kind, message and line of its failure.
fn fails(cases: &[(Language, &str, &str, &str, Option<u32>)]) {
    for (language, source, kind, message, line) in cases {
        let Some(called) = language.call(source, json!({})) else {
            continue;
        };
        let failure = called.failure();
        assert_eq!(failure.kind, *kind, "{source}: {failure:?}");
        assert!(failure.message.contains(message), "{source}: {failure:?}");
        let innermost = failure.frames.last();
        assert_eq!(
            innermost.and_then(|frame| frame.line),
            *line,
            "{source}: {failure:?}"
        );
        for frame in &failure.frames {
            assert!(
                frame
                    .file
                    .ends_with(called.path.file_name().unwrap().to_str().unwrap()),
                "{failure:?}"
            );
        }
        assert!(called.outcome.exit_code() != Some(0), "{source}");
    }
}
