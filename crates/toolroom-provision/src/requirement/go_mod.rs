//! `go.mod`: its `require` lines, single and in blocks.

use std::path::Path;

use super::lines;
use super::model::{InterpreterLimit, Origin, Parsed, Requirement, Requirements, Role};
use super::problem::{Problem, ProblemKind};

/// Reads the required modules; the `go` line is a lower limit on the toolchain.
#[must_use]
pub fn read(path: &Path) -> Requirements {
    let mut block: Option<String> = None;
    lines::read(path, |line, origin, found| {
        let line = line.split("//").next().unwrap_or_default().trim();
        if line == ")" {
            block = None;
            return;
        }
        let (verb, rest) = match &block {
            Some(verb) => (verb.as_str(), line),
            None => line.split_once([' ', '\t']).unwrap_or((line, "")),
        };
        match (verb, rest.trim()) {
            (_, "") => {}
            (verb, "(") => block = Some(verb.to_owned()),
            ("require", rest) => require(rest, origin, found),
            ("go", version) => found.interpreter.push(InterpreterLimit {
                spec: format!(">={version}"),
                origin,
            }),
            _ => {}
        }
    })
}

fn require(rest: &str, origin: Origin, found: &mut Requirements) {
    let mut words = rest.split_whitespace().map(|word| word.trim_matches('"'));
    match (words.next(), words.next(), words.next()) {
        (Some(name), Some(version), None) => found.items.push(Requirement {
            name: name.to_owned(),
            spec: version.to_owned(),
            text: format!("{name}@{version}"),
            origin,
            role: Role::Required,
            parsed: Parsed::Text,
        }),
        _ => {
            let kind = ProblemKind::Requirement {
                text: rest.trim().to_owned(),
                reason: "expected a module and a version".to_owned(),
            };
            found.problems.push(Problem::new(origin, kind));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn require_lines_and_blocks_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("go.mod");
        let content = "module example.com/m\n\ngo 1.21\nrequire example.com/a v1.2.3\nrequire (\n\
            \texample.com/b/v2 v2.0.0 // indirect\n\texample.com/c\n)\nreplace (\n\tx => ../x\n)\n";
        fs_err::write(&path, content).unwrap();
        let found = read(&path);
        let seen: Vec<_> = found
            .items
            .iter()
            .map(|i| (i.text.as_str(), i.origin.line))
            .collect();
        assert_eq!(
            seen,
            [
                ("example.com/a@v1.2.3", Some(4)),
                ("example.com/b/v2@v2.0.0", Some(6))
            ]
        );
        assert_eq!(found.interpreter[0].spec, ">=1.21");
        assert!(found.problems[0].to_string().contains("go.mod:7: "));
    }
}
