//! Which file a resource is. What an author wrote may lead anywhere in the project; what a
//! client fills in leads nowhere but below the folder that the author named before it.

use std::path::{Component, Path, PathBuf};

use crate::data::filled;
use crate::tools::text::repeated;

/// A file, or a template of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What `written` starts from.
    pub folder: PathBuf,
    /// With `{name}` in it, if it is a template.
    pub written: String,
    /// The project, or the space, that it has to lie in.
    pub root: PathBuf,
}

impl Place {
    /// The file itself: every link is followed before it is asked where it lies.
    ///
    /// # Errors
    /// Says why there is none that may be read.
    pub fn file(&self, values: &[(String, String)]) -> Result<PathBuf, String> {
        for (name, value) in values {
            if !leads_down(value) {
                let value = repeated(value);
                return Err(format!("{name} is {value}, which is no plain path"));
            }
        }
        let given = |name: &str| {
            let mut values = values.iter();
            values.find_map(|(known, value)| (known == name).then(|| value.clone()))
        };
        let path = filled(&self.written, given);
        let nowhere = |_| format!("there is no file {}", repeated(&path));
        let root = self.root.canonicalize().map_err(nowhere)?;
        let fence = match self.fixed(values) {
            Some(fixed) => self.folder.join(fixed).canonicalize().map_err(nowhere)?,
            None => root.clone(),
        };
        let real = self.folder.join(&path).canonicalize().map_err(nowhere)?;
        if !fence.starts_with(&root) {
            return Err(format!("{} lies outside of its project", repeated(&path)));
        }
        if !real.starts_with(&fence) {
            return Err(format!("{} lies outside of its folder", repeated(&path)));
        }
        Ok(real)
    }

    /// The folders that stand before the first value; none if no value stands in it.
    fn fixed(&self, values: &[(String, String)]) -> Option<&Path> {
        let names = values.iter().map(|(name, _)| format!("{{{name}}}"));
        let first = names.filter_map(|name| self.written.find(&name)).min()?;
        let end = self.written[..first].rfind(std::path::is_separator);
        Some(Path::new(&self.written[..end.map_or(0, |end| end + 1)]))
    }
}

/// Whether a value names something below where it stands, in plain words.
fn leads_down(value: &str) -> bool {
    let mut parts = Path::new(value).components();
    !value.contains('\0') && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in ["secret", "project/open", "project/.env", "project/docs/a/b"] {
            let file = folder.path().join(file);
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
            fs_err::write(file, "").unwrap();
        }
        folder
    }

    fn place(folder: &Path, written: &str) -> Place {
        let root = folder.join("project");
        Place {
            folder: root.join("docs"),
            written: written.to_owned(),
            root,
        }
    }

    fn is_found(folder: &Path, written: &str, value: &str) -> bool {
        let values = [("path".to_owned(), value.to_owned())];
        place(folder, written).file(&values).is_ok()
    }

    #[test]
    fn a_file_lies_in_its_project() {
        let folder = project();
        assert!(place(folder.path(), "../open").file(&[]).is_ok());
        assert!(place(folder.path(), "../../secret").file(&[]).is_err());
        assert!(!is_found(folder.path(), "../../{path}", "secret"));
    }

    #[test]
    fn a_value_leads_out_of_no_folder_that_was_named() {
        let folder = project();
        for written in ["{path}", "../docs/{path}", "./{path}", ".././docs//{path}"] {
            assert!(is_found(folder.path(), written, "a/b"), "{written}");
            let absolute = folder.path().join("project/docs/a/b");
            for value in [
                "../.env",
                "..",
                "a/../../.env",
                "a/../a/b",
                "./a/b",
                "a/b\0",
                "nothing",
                absolute.to_str().unwrap(),
            ] {
                assert!(
                    !is_found(folder.path(), written, value),
                    "{written} {value}"
                );
            }
        }
        // What an author put together from a value and dots stays in the folder, too.
        assert!(!is_found(folder.path(), "{path}./../.env", "a/."));
        assert!(!is_found(folder.path(), ".{path}", "./.env"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_leads_out_of_neither() {
        use std::os::unix::fs::symlink;
        let folder = project();
        let docs = folder.path().join("project/docs");
        symlink(folder.path().join("secret"), docs.join("far")).unwrap();
        symlink("../.env", docs.join("near")).unwrap();
        symlink(folder.path(), docs.join("out")).unwrap();
        symlink("a", docs.join("inside")).unwrap();
        assert!(place(folder.path(), "far").file(&[]).is_err());
        assert!(!is_found(folder.path(), "{path}", "far"));
        assert!(!is_found(folder.path(), "{path}", "near"));
        assert!(!is_found(folder.path(), "out/{path}", "secret"));
        assert!(is_found(folder.path(), "{path}", "inside/b"));
    }
}
