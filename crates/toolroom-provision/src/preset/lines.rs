//! The provider `lines`: a text file that has certain lines, such as an ignore file.

use std::path::PathBuf;

use serde_json::Value;

use super::{Applied, Apply, Check, Context, Health, PresetProvider};
use crate::journal::write_whole;

/// The largest file that is changed.
const MAX_BYTES: u64 = 1 << 20;

/// Sees to it that a file of the project has lines: `file` and `lines` in its config.
#[derive(Debug, Clone, Copy, Default)]
pub struct LinesProvider;

struct Wanted {
    path: PathBuf,
    lines: Vec<String>,
}

impl Wanted {
    fn of(context: &Context) -> Result<Self, String> {
        let file = context
            .config
            .get("file")
            .and_then(Value::as_str)
            .ok_or("its config names no file")?;
        let inside = std::path::Path::new(file)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        if !inside {
            return Err(format!("{file} is not in the project"));
        }
        let lines = context
            .config
            .get("lines")
            .and_then(Value::as_array)
            .ok_or("its config has no lines")?;
        Ok(Self {
            path: context.root.join(file),
            lines: lines
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
        })
    }

    /// The file's text; none if there is no file.
    fn text(&self) -> Result<Option<String>, String> {
        match fs_err::metadata(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
            Ok(metadata) if metadata.len() > MAX_BYTES => {
                return Err(format!("{} is too large", self.path.display()));
            }
            Ok(_) => {}
        }
        fs_err::read_to_string(&self.path)
            .map(Some)
            .map_err(|error| error.to_string())
    }

    fn lacking(&self, text: &str) -> Vec<&str> {
        let has = |line: &&String| text.lines().any(|known| known.trim() == line.trim());
        self.lines
            .iter()
            .filter(|line| !has(line))
            .map(String::as_str)
            .collect()
    }
}

impl PresetProvider for LinesProvider {
    fn id(&self) -> &'static str {
        "lines"
    }

    fn check(&self, context: &Context) -> Check {
        let wanted = match Wanted::of(context) {
            Ok(wanted) => wanted,
            Err(reason) => return Check::new(Health::Broken, reason),
        };
        match wanted.text() {
            Err(reason) => Check::new(Health::Broken, reason),
            Ok(None) => Check::new(
                Health::Missing,
                format!("there is no {}", wanted.path.display()),
            ),
            Ok(Some(text)) => match wanted.lacking(&text).as_slice() {
                [] => Check::new(
                    Health::Healthy,
                    format!("{} has all lines", wanted.path.display()),
                ),
                lacking => Check::new(
                    Health::Drifted,
                    format!("{} lacks {}", wanted.path.display(), lacking.join(", ")),
                ),
            },
        }
    }

    fn apply(&self, context: &Context) -> Apply {
        let outcome = Wanted::of(context).and_then(|wanted| {
            let mut text = wanted.text()?.unwrap_or_default();
            let lacking: Vec<String> = wanted
                .lacking(&text)
                .into_iter()
                .map(str::to_owned)
                .collect();
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            for line in &lacking {
                text.push_str(line);
                text.push('\n');
            }
            write_whole(&wanted.path, text.as_bytes()).map_err(|error| error.to_string())?;
            Ok(format!(
                "added {} to {}",
                lacking.join(", "),
                wanted.path.display()
            ))
        });
        match outcome {
            Ok(detail) => Apply::new(Applied::Success, detail),
            Err(reason) => Apply::new(Applied::Failed, reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn context(root: &std::path::Path, file: &str) -> Context {
        Context {
            root: root.to_path_buf(),
            config: json!({"file": file, "lines": [".venv/", "node_modules/"]})
                .as_object()
                .cloned()
                .unwrap(),
            ..Context::default()
        }
    }

    #[test]
    fn a_file_is_missing_then_healthy_then_drifted_and_keeps_what_it_had() {
        let root = tempfile::tempdir().unwrap();
        let context = context(root.path(), ".gitignore");
        assert_eq!(LinesProvider.check(&context).health, Health::Missing);
        assert_eq!(LinesProvider.apply(&context).applied, Applied::Success);
        assert_eq!(LinesProvider.check(&context).health, Health::Healthy);
        fs_err::write(root.path().join(".gitignore"), "mine\n.venv/").unwrap();
        assert_eq!(LinesProvider.check(&context).health, Health::Drifted);
        assert_eq!(LinesProvider.apply(&context).applied, Applied::Success);
        let text = fs_err::read_to_string(root.path().join(".gitignore")).unwrap();
        assert_eq!(text, "mine\n.venv/\nnode_modules/\n");
    }

    #[test]
    fn a_directory_in_its_place_and_a_path_that_leaves_the_project_are_broken() {
        let root = tempfile::tempdir().unwrap();
        fs_err::create_dir(root.path().join("folder")).unwrap();
        for file in ["folder", "../escape", "/etc/passwd"] {
            let context = context(root.path(), file);
            assert_eq!(
                LinesProvider.check(&context).health,
                Health::Broken,
                "{file}"
            );
            assert_eq!(
                LinesProvider.apply(&context).applied,
                Applied::Failed,
                "{file}"
            );
        }
    }
}
