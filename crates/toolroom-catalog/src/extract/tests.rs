//! What holds for every kind of file at once: whatever is in it, it is read to an end.

use std::path::Path;

use proptest::prelude::*;
use toolroom_kernel::model::ToolId;

use super::registry::Extractors;
use super::rules::FileText;
use super::{Extraction, extract};

/// Reads a text as a file of every known extension; faults must lie inside of it.
fn read_as_anything(source: &str) {
    let extractors = Extractors::core();
    let id = ToolId::parse("any/file").expect("an id");
    let lines = source.split('\n').count() + 1;
    for extension in extractors.extensions() {
        let path = Path::new("file");
        let file = FileText {
            id: &id,
            path,
            source,
        };
        if let Extraction::Tool(found) = extract(&extractors, extension, file) {
            for problem in found.problems {
                let line = problem.position.map_or(1, |position| position.line);
                assert!(
                    line as usize <= lines,
                    "{extension}: {problem:?} in {source:?}"
                );
            }
        }
    }
}

/// What metadata is made of in one language or another.
const PARTS: [&str; 44] = [
    "CONFIG",
    "config",
    "ENV_CONFIG",
    "env_config",
    "input_schema",
    "INPUT_SCHEMA",
    "parameters",
    "PARAMETERS",
    "output_schema",
    "version",
    "__version__",
    "tool_type",
    "executor_id",
    "type",
    "properties",
    "pattern",
    "args",
    "env",
    "$ref",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ":",
    "=",
    ",",
    "\n",
    "\n  ",
    "# ",
    "---\n",
    "// ",
    "/* ",
    " */",
    "export const ",
    "def main(",
    "é",
    "\u{feff}",
    "1.10",
    "objekt",
    "\r\n",
];

proptest! {
    #[test]
    fn any_text_is_read_as_any_kind_of_file(source in "\\PC{0,200}") {
        read_as_anything(&source);
    }

    #[test]
    fn any_mix_of_metadata_is_read_as_any_kind_of_file(
        parts in prop::collection::vec(prop::sample::select(PARTS.to_vec()), 0..60)
    ) {
        read_as_anything(&parts.concat());
        read_as_anything(&parts.join(" "));
    }
}
