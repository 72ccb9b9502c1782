//! The request that a launcher finds on its standard input.
//!
//! Two forms of the same facts: one JSON document, and for shells, which read no JSON,
//! fields that end in NUL. Parameters are data in both: nothing in them is expanded, and
//! their size is bounded by nothing but memory. Launchers themselves are data in
//! `core/launchers/`; what they answer is read by [`crate::subprocess::Reply`].

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};
use toolroom_kernel::Explain;

/// One call of a tool's function.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub tool_path: &'a Path,
    /// What stands for the text of the tool's file, if that is not to be read.
    pub source: Option<&'a str>,
    pub project_path: Option<&'a Path>,
    /// The functions to look for, in this order.
    pub entry: &'a [String],
    /// The parameters' names in the order the function takes them; none if it takes them
    /// by name, or all as one.
    pub order: &'a [String],
    pub params: &'a Map<String, Value>,
    /// What a script is given, if it is to be run as one and no function called.
    pub argv: Option<&'a [String]>,
}

/// A call that cannot be written as a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    #[error("the path {} is not text", .0.display())]
    PathNotText(PathBuf),
    #[error("the parameter `{0}` contains NUL")]
    NulInParameter(String),
}

/// The code of a path that has to be written as text and cannot be.
pub(crate) const PATH_NOT_TEXT: &str = "exec::path_not_text";

impl Explain for CallError {
    fn code(&self) -> &'static str {
        match self {
            Self::PathNotText(_) => PATH_NOT_TEXT,
            Self::NulInParameter(_) => "exec::nul_in_parameter",
        }
    }

    fn help(&self) -> Option<String> {
        let text = match self {
            Self::PathNotText(_) => "rename it: this kind of call needs paths in UTF-8",
            Self::NulInParameter(_) => "leave the NUL out: shells and arguments cannot hold one",
        };
        Some(text.to_owned())
    }
}

#[derive(Serialize)]
struct Document<'a> {
    tool_path: &'a str,
    project_path: Option<&'a str>,
    entry: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    order: &'a [String],
    params: &'a Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    argv: Option<&'a [String]>,
}

impl Call<'_> {
    /// The request as one JSON document.
    ///
    /// ```
    /// use std::path::Path;
    /// use toolroom_exec::call::Call;
    ///
    /// let call = Call {
    ///     tool_path: Path::new("/p/.ai/tools/hello.py"),
    ///     source: None,
    ///     project_path: Some(Path::new("/p")),
    ///     entry: &["main".to_owned()],
    ///     order: &[],
    ///     params: &serde_json::Map::new(),
    ///     argv: None,
    /// };
    /// let request = call.json()?;
    /// assert!(request.starts_with(br#"{"tool_path":"/p/.ai/tools/hello.py""#));
    /// # Ok::<(), toolroom_exec::call::CallError>(())
    /// ```
    pub fn json(&self) -> Result<Vec<u8>, CallError> {
        let document = Document {
            tool_path: text(self.tool_path)?,
            project_path: self.project_path.map(text).transpose()?,
            entry: self.entry,
            order: self.order,
            params: self.params,
            source: self.source,
            argv: self.argv,
        };
        Ok(serde_json::to_vec(&document).expect("strings and JSON values are always JSON"))
    }

    /// The request as fields: tool, project, entry names, parameters as JSON, and then
    /// the parameters as arguments. A text in place of the file's goes before all of them,
    /// after a field that is empty, as no tool's path is.
    pub fn fields(&self) -> Result<Vec<u8>, CallError> {
        let json = Value::Object(self.params.clone()).to_string();
        let project = self.project_path.map(text).transpose()?.unwrap_or_default();
        let entry = self.entry.join(" ");
        let mut bytes = Vec::new();
        let first = [text(self.tool_path)?, project, &entry, &json];
        let source = self.source.map(|source| ["", source]);
        for field in source
            .into_iter()
            .flatten()
            .chain(first)
            .map(str::to_owned)
            .chain(arguments(self.params)?)
        {
            bytes.extend_from_slice(field.as_bytes());
            bytes.push(0);
        }
        Ok(bytes)
    }
}

/// A path as text, which JSON and templates need.
pub(crate) fn text(path: &Path) -> Result<&str, CallError> {
    path.to_str()
        .ok_or_else(|| CallError::PathNotText(path.to_path_buf()))
}

/// Parameters as `--key value`: true is the bare flag, false and null are left out,
/// lists and objects are JSON.
pub fn arguments(params: &Map<String, Value>) -> Result<Vec<String>, CallError> {
    let mut arguments = Vec::new();
    for (name, value) in params {
        let value = match value {
            Value::Null | Value::Bool(false) => continue,
            Value::Bool(true) => None,
            Value::String(text) => Some(text.clone()),
            Value::Number(_) | Value::Array(_) | Value::Object(_) => Some(value.to_string()),
        };
        let parts = [Some(format!("--{name}")), value];
        for part in parts.into_iter().flatten() {
            if part.contains('\0') {
                return Err(CallError::NulInParameter(name.clone()));
            }
            arguments.push(part);
        }
    }
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn params(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn parameters_become_arguments_of_their_kind() {
        let params = params(json!({
            "name": "a b", "count": 3, "on": true, "off": false, "none": null,
            "list": [1, "x"], "empty": "", "template": "${HOME}",
        }));
        let expected = [
            "--name",
            "a b",
            "--count",
            "3",
            "--on",
            "--list",
            "[1,\"x\"]",
            "--empty",
            "",
            "--template",
            "${HOME}",
        ];
        assert_eq!(arguments(&params).unwrap(), expected);
    }

    #[test]
    fn a_nul_is_refused_by_the_name_of_its_parameter() {
        let error = arguments(&params(json!({"x": "a\0b"}))).unwrap_err();
        assert_eq!(error.to_string(), "the parameter `x` contains NUL");
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_text_is_refused() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"/\xff"));
        let call = Call {
            tool_path: path,
            source: None,
            project_path: None,
            entry: &[],
            order: &[],
            params: &Map::new(),
            argv: None,
        };
        assert_eq!(call.json().unwrap_err().code(), "exec::path_not_text");
        assert!(call.fields().is_err());
    }
}
