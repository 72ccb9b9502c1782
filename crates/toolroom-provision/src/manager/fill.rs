//! Fills the commands of a manager in: each element by itself, so that no value is ever
//! split or joined. An element `{name...}` stands for a whole list.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toolroom_kernel::World;
use toolroom_kernel::template::{Placeholder, Scope, Template, TemplateError, Unset};

/// A program and its arguments.
pub type Argv = Vec<String>;

/// What commands may speak of.
#[derive(Debug, Clone)]
pub struct Facts<'w> {
    world: &'w World,
    texts: BTreeMap<&'static str, String>,
    lists: BTreeMap<&'static str, Vec<String>>,
}

impl<'w> Facts<'w> {
    #[must_use]
    pub fn new(world: &'w World, project: &Path) -> Self {
        let mut facts = Self {
            world,
            texts: BTreeMap::new(),
            lists: BTreeMap::new(),
        };
        facts.path("project", project);
        facts
    }

    pub fn text(&mut self, name: &'static str, text: impl Into<String>) -> &mut Self {
        self.texts.insert(name, text.into());
        self
    }

    /// A path that is not UTF-8 stays unknown, and a command that needs it an error.
    pub fn path(&mut self, name: &'static str, path: &Path) -> &mut Self {
        if let Some(text) = path.to_str() {
            self.texts.insert(name, text.to_owned());
        }
        self
    }

    pub fn list(&mut self, name: &'static str, items: Vec<String>) -> &mut Self {
        self.lists.insert(name, items);
        self
    }
}

impl Scope for Facts<'_> {
    fn variable(&self, name: &str) -> Option<Cow<'_, str>> {
        self.world.env.get(name).map(Cow::Borrowed)
    }

    fn placeholder(&self, path: &str) -> Placeholder<'_> {
        if let Some(text) = self.texts.get(path) {
            return Placeholder::text(text.as_str());
        }
        let known = |path: Option<&Path>| {
            path.and_then(Path::to_str)
                .map_or(Placeholder::Absent, Placeholder::text)
        };
        match path {
            "home" => known(self.world.home.as_deref()),
            "user_space" => known(self.world.user_space.as_deref()),
            _ => Placeholder::Unknown,
        }
    }
}

/// One text, filled in.
///
/// # Errors
/// Fails where the template does.
pub fn fill_text(text: &str, facts: &Facts<'_>) -> Result<String, TemplateError> {
    Template::parse(text)?.expand(facts, Unset::Error)
}

/// Commands, filled in; the first word becomes the program that was found for it.
///
/// # Errors
/// Fails where a template does.
pub fn fill_commands(
    commands: &[Argv],
    facts: &Facts<'_>,
    program: Option<(&str, &PathBuf)>,
) -> Result<Vec<Argv>, TemplateError> {
    commands
        .iter()
        .map(|command| fill_command(command, facts, program))
        .collect()
}

fn fill_command(
    command: &[String],
    facts: &Facts<'_>,
    program: Option<(&str, &PathBuf)>,
) -> Result<Argv, TemplateError> {
    let mut argv = Vec::with_capacity(command.len());
    for (index, word) in command.iter().enumerate() {
        if let Some(items) = list_name(word).and_then(|name| facts.lists.get(name)) {
            argv.extend(items.iter().cloned());
            continue;
        }
        match program {
            Some((name, path)) if index == 0 && word == name => {
                argv.push(path.to_string_lossy().into_owned());
            }
            _ => argv.push(fill_text(word, facts)?),
        }
    }
    Ok(argv)
}

fn list_name(word: &str) -> Option<&str> {
    word.strip_prefix('{')?.strip_suffix("...}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Room;

    #[test]
    fn a_list_is_many_arguments_and_a_value_is_never_split() {
        let room = Room::new();
        let mut facts = Facts::new(&room.world, Path::new("/a b"));
        facts.list(
            "requirements",
            vec!["x>=1; python_version > '3'".into(), "--y".into()],
        );
        facts.list("constraints", Vec::new());
        let command: Vec<String> = [
            "uv",
            "in {project}",
            "{constraints...}",
            "{requirements...}",
        ]
        .map(str::to_owned)
        .to_vec();
        let program = PathBuf::from("/bin/uv");
        let filled = fill_commands(&[command], &facts, Some(("uv", &program))).unwrap();
        assert_eq!(
            filled,
            [["/bin/uv", "in /a b", "x>=1; python_version > '3'", "--y"]]
        );
    }

    #[test]
    fn a_name_nobody_knows_is_an_error() {
        let room = Room::new();
        let facts = Facts::new(&room.world, Path::new("/p"));
        assert!(fill_text("{nothing}", &facts).is_err());
    }
}
