//! The few fields of a `package.json` that an audit needs, read leniently: packages in the
//! wild hold every mistake that npm ever let pass.

use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

const MAX_BYTES: u64 = 8 << 20;

/// A manifest, the project's own or an installed package's.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Manifest {
    pub name: Value,
    pub version: Value,
    dependencies: Value,
    optional_dependencies: Value,
    peer_dependencies: Value,
    peer_dependencies_meta: Value,
    workspaces: Value,
    overrides: Value,
    resolutions: Value,
    pnpm: Value,
}

impl Manifest {
    /// Reads `package.json` in a directory; the error is the reason alone.
    pub fn read(directory: &Path) -> Result<Self, String> {
        let mut bytes = Vec::new();
        let file = fs_err::File::open(directory.join("package.json"))
            .map_err(|error| error.kind().to_string())?;
        file.take(MAX_BYTES)
            .read_to_end(&mut bytes)
            .map_err(|error| error.kind().to_string())?;
        let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        serde_json::from_slice(json)
            .map_err(|error| format!("its package.json is damaged: {error}"))
    }

    pub fn is_workspace(&self) -> bool {
        !self.workspaces.is_null()
    }

    /// What must be there for the package to work: name and range.
    pub fn required(&self) -> impl Iterator<Item = (&str, &str)> {
        entries(&self.dependencies)
            .filter(|(name, _)| self.optional_dependencies.get(*name).is_none())
    }

    pub fn optional(&self) -> impl Iterator<Item = (&str, &str)> {
        entries(&self.optional_dependencies)
    }

    /// The peers it cannot do without.
    pub fn peers(&self) -> impl Iterator<Item = (&str, &str)> {
        entries(&self.peer_dependencies).filter(|(name, _)| {
            let meta = self.peer_dependencies_meta.get(*name);
            meta.and_then(|meta| meta.get("optional")) != Some(&Value::Bool(true))
        })
    }

    /// Packages whose version the project sets against their dependants' wishes.
    pub fn overridden(&self) -> Vec<String> {
        let tables = [
            Some(&self.overrides),
            Some(&self.resolutions),
            self.pnpm.get("overrides"),
        ];
        let mut names = Vec::new();
        for table in tables.into_iter().flatten() {
            collect_names(table, 0, &mut names);
        }
        names
    }
}

fn entries(table: &Value) -> impl Iterator<Item = (&str, &str)> {
    let pairs = table.as_object().into_iter().flat_map(Map::iter);
    pairs.filter_map(|(name, range)| Some((name.as_str(), range.as_str()?)))
}

/// Collects `a`, `a@1`, `x>a` and `**/a`, and what is nested in objects.
fn collect_names(table: &Value, depth: usize, names: &mut Vec<String>) {
    const MAX_DEPTH: usize = 8;
    for (key, value) in table.as_object().into_iter().flat_map(Map::iter) {
        let last = key.rsplit('>').next().unwrap_or(key);
        let parts: Vec<&str> = last.split('/').collect();
        let name = match parts.as_slice() {
            [.., scope, name] if scope.starts_with('@') => format!("{scope}/{name}"),
            [.., name] => (*name).to_owned(),
            [] => continue,
        };
        let version = name.char_indices().skip(1).find(|(_, c)| *c == '@');
        names.push(
            version
                .map_or(name.as_str(), |(at, _)| &name[..at])
                .to_owned(),
        );
        if depth < MAX_DEPTH {
            collect_names(value, depth + 1, names);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn overrides_of_every_manager_are_seen() {
        let manifest: Manifest = serde_json::from_value(json!({
            "overrides": {"a": {"b": "1"}, "c@1": "2"},
            "resolutions": {"**/d": "1", "x/@s/e": "1"},
            "pnpm": {"overrides": {"y>f@2": "3"}},
        }))
        .unwrap();
        assert_eq!(manifest.overridden(), ["a", "b", "c", "d", "@s/e", "f"]);
    }

    #[test]
    fn odd_manifests_are_read() {
        for text in [
            r#"{"dependencies": []}"#,
            r#"{"dependencies": {"a": {}}, "version": 1}"#,
            "{}",
        ] {
            let manifest: Manifest = serde_json::from_str(text).unwrap();
            assert_eq!(manifest.required().count(), 0);
        }
    }
}
