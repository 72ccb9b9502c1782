//! Manifests that are read line by line: opened, numbered, and ended where it gets too much.

use std::path::Path;

use super::model::{Origin, Requirements};
use super::problem::{Problem, ProblemKind};
use super::text;

const MAX_REQUIREMENTS: usize = 20_000;

/// Hands every line of a file to a reader, with its place. What cannot be opened is a
/// problem.
pub(super) fn read(
    path: &Path,
    mut line: impl FnMut(&str, Origin, &mut Requirements),
) -> Requirements {
    let mut found = Requirements::default();
    let content = match text::read(path) {
        Ok(content) => content,
        Err(reason) => {
            let kind = ProblemKind::Unreadable { reason };
            found.problems.push(Problem::new(Origin::file(path), kind));
            return found;
        }
    };
    found.files.push(path.to_path_buf());
    for (number, next) in (1_u32..).zip(content.lines()) {
        line(next.trim(), Origin::at(path, number), &mut found);
        if found.items.len() >= MAX_REQUIREMENTS {
            let kind = ProblemKind::TooMany {
                limit: MAX_REQUIREMENTS,
                what: "requirements",
            };
            found
                .problems
                .push(Problem::new(Origin::at(path, number), kind));
            break;
        }
    }
    found
}
