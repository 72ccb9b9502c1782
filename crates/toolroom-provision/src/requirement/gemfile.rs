//! `Gemfile`: its `gem` lines. A Gemfile is a Ruby program; only plain lines are read, and
//! what cannot be read without running it is a problem.

use std::path::Path;

use super::lines;
use super::model::{InterpreterLimit, Origin, Parsed, Requirement, Requirements, Role};
use super::problem::{Problem, ProblemKind};

/// What only Ruby can tell.
const CODE: [&str; 3] = ["eval_gemfile", "gemspec", "instance_eval"];

/// Reads the `gem` and `ruby` lines.
#[must_use]
pub fn read(path: &Path) -> Requirements {
    let mut role = Role::Required;
    lines::read(path, |line, origin, found| {
        if let Some(rest) = call(line, "group") {
            role = group_role(rest);
        } else if line == "end" {
            role = Role::Required;
        } else if let Some(rest) = call(line, "gem") {
            gem(rest, origin, role, found);
        } else if let Some(rest) = call(line, "ruby") {
            let spec = strings(rest).join(", ");
            if !spec.is_empty() {
                found.interpreter.push(InterpreterLimit { spec, origin });
            }
        } else if CODE
            .iter()
            .any(|name| call(line, name).is_some() || line == *name)
        {
            let kind = ProblemKind::Requirement {
                text: line.to_owned(),
                reason: "only Bundler can tell what it adds".to_owned(),
            };
            found.problems.push(Problem::new(origin, kind));
        }
    })
}

/// The arguments of a call of `name`, with or without parentheses.
fn call<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(name)?;
    rest.starts_with([' ', '\t', '('])
        .then(|| rest.trim_start())
}

fn group_role(arguments: &str) -> Role {
    let names: Vec<&str> = arguments
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty() && *word != "do")
        .collect();
    let only_work = names
        .iter()
        .all(|name| matches!(*name, "development" | "test"));
    if only_work && !names.is_empty() {
        Role::Development
    } else {
        Role::Required
    }
}

fn gem(arguments: &str, origin: Origin, role: Role, found: &mut Requirements) {
    let strings = strings(arguments);
    let Some((name, versions)) = strings.split_first() else {
        let kind = ProblemKind::Requirement {
            text: format!("gem {arguments}"),
            reason: "the name is not a plain string".to_owned(),
        };
        return found.problems.push(Problem::new(origin, kind));
    };
    let spec = versions.join(", ");
    found.items.push(Requirement {
        name: name.clone(),
        text: match spec.as_str() {
            "" => name.clone(),
            spec => format!("{name} {spec}"),
        },
        spec,
        origin,
        role,
        parsed: Parsed::Text,
    });
}

/// The leading string arguments of a call; options and anything else end them.
fn strings(arguments: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = arguments.trim_start_matches(['(', ' ']);
    while let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let Some((text, after)) = rest[1..].split_once(quote) else {
            break;
        };
        let after = after.trim_start();
        // `"name" => value` is an option, and `#{…}` needs Ruby.
        if after.starts_with("=>") || (quote == '"' && text.contains("#{")) {
            break;
        }
        found.push(text.to_owned());
        match after.strip_prefix(',') {
            Some(next) => rest = next.trim_start(),
            None => break,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gem_lines_are_read_with_their_groups() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Gemfile");
        let content = "source 'x'\nruby '~> 3.2'\ngem 'rails', '~> 7.0', '>= 7.0.1'\n\
            gem(\"puma\", require: false)\ngroup :development, :test do\n  gem 'rspec' # note\nend\n\
            gem 'pg', \"=> 1\"\ngem name\ngemspec\n";
        fs_err::write(&path, content).unwrap();
        let found = read(&path);
        let seen: Vec<_> = found
            .items
            .iter()
            .map(|i| (i.text.as_str(), i.role, i.origin.line))
            .collect();
        assert_eq!(
            seen,
            [
                ("rails ~> 7.0, >= 7.0.1", Role::Required, Some(3)),
                ("puma", Role::Required, Some(4)),
                ("rspec", Role::Development, Some(6)),
                ("pg => 1", Role::Required, Some(8)),
            ]
        );
        assert_eq!(found.interpreter[0].spec, "~> 3.2");
        assert_eq!(found.problems.len(), 2);
    }
}
