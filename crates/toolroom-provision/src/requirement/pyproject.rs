//! `pyproject.toml`: dependencies, optional dependencies, and the dependency groups of
//! PEP 735 with their includes. Nothing is built: dynamic dependencies are a problem.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::model::{Context, InterpreterLimit, Origin, Requirements, Role};
use super::pep508::normalize;
use super::problem::{Problem, ProblemKind};
use super::{requirements_txt, text};

const MAX_GROUP_DEPTH: usize = 32;

/// Reads the dependencies, and the extras and groups that the selection names.
#[must_use]
pub fn read(path: &Path, context: &Context<'_>) -> Requirements {
    let mut reader = Reader {
        path,
        text: "",
        context,
        found: Requirements::default(),
    };
    let content = match text::read(path) {
        Ok(content) => content,
        Err(reason) => {
            reader.problem(Origin::file(path), ProblemKind::Unreadable { reason });
            return reader.found;
        }
    };
    let mut reader = Reader {
        text: &content,
        ..reader
    };
    reader.found.files.push(path.to_path_buf());
    match DeTable::parse(&content) {
        Ok(table) => reader.table(table.get_ref()),
        Err(error) => {
            let line = text::line_of(&content, error.span().map_or(0, |span| span.start));
            let reason = error.message().to_owned();
            reader.problem(Origin::at(path, line), ProblemKind::Syntax { reason });
        }
    }
    reader.found
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    context: &'a Context<'a>,
    found: Requirements,
}

type Node<'i> = Spanned<DeValue<'i>>;

impl Reader<'_> {
    fn problem(&mut self, origin: Origin, kind: ProblemKind) {
        self.found.problems.push(Problem::new(origin, kind));
    }

    fn origin(&self, node: &Node<'_>) -> Origin {
        Origin::at(self.path, text::line_of(self.text, node.span().start))
    }

    fn shape(&mut self, node: &Node<'_>, key: &str, expected: &'static str) {
        let key = key.to_owned();
        self.problem(self.origin(node), ProblemKind::Shape { key, expected });
    }

    fn table(&mut self, table: &DeTable<'_>) {
        if let Some(project) = table.get("project") {
            match project.get_ref() {
                DeValue::Table(project) => self.project(project),
                _ => self.shape(project, "project", "a table"),
            }
        }
        let groups = table.get("dependency-groups");
        for name in self.context.selection.groups {
            let mut through = Vec::new();
            self.group(groups, name, None, &mut through);
        }
    }

    fn project(&mut self, project: &DeTable<'_>) {
        if let Some(spec) = project.get("requires-python") {
            match spec.get_ref().as_str() {
                Some(text) => self.found.interpreter.push(InterpreterLimit {
                    spec: text.to_owned(),
                    origin: self.origin(spec),
                }),
                None => self.shape(spec, "project.requires-python", "a string"),
            }
        }
        if let Some(list) = project.get("dependencies") {
            self.list(list, "project.dependencies", Role::Required);
        }
        self.dynamic(project);
        self.extras(project);
    }

    fn dynamic(&mut self, project: &DeTable<'_>) {
        let Some(dynamic) = project.get("dynamic") else {
            return;
        };
        let items = dynamic.get_ref().as_array().map_or(&[][..], |items| items);
        for item in items {
            if item.get_ref().as_str() == Some("dependencies") {
                let kind = ProblemKind::Requirement {
                    text: "dynamic = [\"dependencies\"]".to_owned(),
                    reason: "only a build of the project can tell its dependencies".to_owned(),
                };
                self.problem(self.origin(item), kind);
            }
        }
    }

    fn extras(&mut self, project: &DeTable<'_>) {
        let optional = project.get("optional-dependencies");
        let table = optional.and_then(|node| node.get_ref().as_table());
        if let (Some(node), None) = (optional, table) {
            self.shape(node, "project.optional-dependencies", "a table");
        }
        for wanted in self.context.selection.extras {
            let found = table
                .into_iter()
                .flat_map(DeTable::iter)
                .find(|(name, _)| normalize(name.get_ref()) == normalize(wanted));
            match found {
                Some((_, list)) => {
                    self.list(list, "project.optional-dependencies", Role::Required);
                }
                None => self.unknown("extra", wanted, None),
            }
        }
    }

    fn unknown(&mut self, what: &'static str, name: &str, origin: Option<Origin>) {
        let name = name.to_owned();
        let origin = origin.unwrap_or_else(|| Origin::file(self.path));
        self.problem(origin, ProblemKind::UnknownGroup { what, name });
    }

    /// Reads a group and what it includes; `through` is the way here, for cycles.
    fn group(
        &mut self,
        groups: Option<&Node<'_>>,
        name: &str,
        asked_at: Option<Origin>,
        through: &mut Vec<String>,
    ) {
        let normal = normalize(name);
        if through.contains(&normal) || through.len() >= MAX_GROUP_DEPTH {
            let kind = ProblemKind::GroupCycle {
                group: normal,
                through: through.clone(),
            };
            let origin = asked_at.unwrap_or_else(|| Origin::file(self.path));
            return self.problem(origin, kind);
        }
        let entry = groups
            .and_then(|node| node.get_ref().as_table())
            .into_iter()
            .flat_map(DeTable::iter)
            .find(|(key, _)| normalize(key.get_ref()) == normal);
        let Some((_, list)) = entry else {
            return self.unknown("dependency group", name, asked_at);
        };
        let Some(items) = list.get_ref().as_array() else {
            return self.shape(list, name, "a list");
        };
        through.push(normal);
        for item in items {
            match item.get_ref() {
                DeValue::String(text) => self.item(text, item, Role::Development),
                DeValue::Table(table) => {
                    match table
                        .get("include-group")
                        .and_then(|n| n.get_ref().as_str())
                    {
                        Some(other) if table.len() == 1 => {
                            self.group(groups, other, Some(self.origin(item)), through);
                        }
                        _ => self.shape(item, name, "strings and {include-group = \"name\"}"),
                    }
                }
                _ => self.shape(item, name, "strings and {include-group = \"name\"}"),
            }
        }
        through.pop();
    }

    fn list(&mut self, list: &Node<'_>, key: &str, role: Role) {
        let Some(items) = list.get_ref().as_array() else {
            return self.shape(list, key, "a list of strings");
        };
        for item in items {
            match item.get_ref() {
                DeValue::String(text) => self.item(text, item, role),
                _ => self.shape(item, key, "a list of strings"),
            }
        }
    }

    fn item(&mut self, text: &str, node: &Node<'_>, role: Role) {
        // Paths in a project's own file start at the project.
        let base = self.path.parent().unwrap_or(Path::new(""));
        let context = Context {
            working_directory: base,
            ..*self.context
        };
        let origin = self.origin(node);
        let found = requirements_txt::line(text.trim(), &origin, role, &context);
        self.found.merge(found);
    }
}

#[cfg(test)]
mod tests {
    use toolroom_kernel::model::Environ;

    use super::super::model::Selection;
    use super::*;

    fn read_text(content: &str, extras: &[&str], groups: &[&str]) -> Requirements {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pyproject.toml");
        fs_err::write(&path, content).unwrap();
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (extras, groups) = (owned(extras), owned(groups));
        let env = Environ::new();
        let context = Context {
            working_directory: folder.path(),
            env: &env,
            selection: Selection {
                extras: &extras,
                groups: &groups,
                production: false,
            },
        };
        read(&path, &context)
    }

    fn texts(found: &Requirements) -> Vec<&str> {
        found.items.iter().map(|item| item.text.as_str()).collect()
    }

    const FILE: &str = r#"
[project]
name = "x"
requires-python = ">=3.9"
dependencies = [
  "rich>=13",
  "foo_>=1",
]
[project.optional-dependencies]
Fast-Mode = ["uvloop; sys_platform != 'win32'"]
[dependency-groups]
test = ["pytest>=8", {include-group = "Lint"}]
lint = ["ruff"]
loop = [{include-group = "pool"}]
pool = [{include-group = "loop"}, "six"]
"#;

    #[test]
    fn dependencies_have_their_lines() {
        let found = read_text(FILE, &[], &[]);
        assert_eq!(texts(&found), ["rich>=13"]);
        assert_eq!(found.items[0].origin.line, Some(6));
        assert_eq!(found.interpreter[0].origin.line, Some(4));
        assert!(
            found.problems[0]
                .to_string()
                .contains("pyproject.toml:7: cannot judge `foo_>=1`")
        );
    }

    #[test]
    fn extras_and_groups_are_found_by_their_normal_names() {
        let found = read_text(FILE, &["fast_mode"], &["test"]);
        assert_eq!(
            texts(&found),
            [
                "rich>=13",
                "uvloop; sys_platform != 'win32'",
                "pytest>=8",
                "ruff"
            ]
        );
        assert_eq!(found.items[3].role, Role::Development);
    }

    #[test]
    fn a_group_that_includes_itself_is_named() {
        let found = read_text(FILE, &[], &["loop", "none"]);
        let messages: Vec<_> = found.problems.iter().map(ToString::to_string).collect();
        assert!(
            messages[1].contains("`loop` includes itself through loop > pool"),
            "{messages:?}"
        );
        assert!(
            messages[2].contains("there is no dependency group `none`"),
            "{messages:?}"
        );
        assert_eq!(texts(&found), ["rich>=13", "six"]);
    }

    #[test]
    fn bad_shapes_are_problems() {
        for content in [
            "project = 1",
            "[project]\ndependencies = 'x'",
            "[project]\ndependencies = [1]",
            "[project]\nrequires-python = 3",
            "[project]\ndynamic = ['dependencies']",
            "[project",
        ] {
            assert_eq!(read_text(content, &[], &[]).problems.len(), 1, "{content}");
        }
    }
}
