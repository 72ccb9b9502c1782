//! What a run of the program gave, as tests want to see it.

use std::fmt;

use serde_json::Value;

/// Status, standard output and standard error, with everything that differs from run to
/// run replaced by a name.
#[derive(Debug, Clone)]
pub struct Output {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Output {
    /// The one JSON document the program printed.
    ///
    /// # Panics
    /// Fails the test if standard output is anything else.
    #[must_use]
    pub fn json(&self) -> Value {
        match serde_json::from_str(&self.stdout) {
            Ok(value) => value,
            Err(error) => panic!("standard output is not one JSON document: {error}\n{self}"),
        }
    }

    /// The `data` of a successful answer.
    ///
    /// # Panics
    /// Fails the test if the answer is an error.
    #[must_use]
    pub fn data(&self) -> Value {
        let document = self.json();
        assert_eq!(document["schema"], 1, "{self}");
        assert_eq!(document["ok"], true, "{self}");
        document["data"].clone()
    }

    /// The `error` of a failed answer.
    ///
    /// # Panics
    /// Fails the test if the answer is a success.
    #[must_use]
    pub fn error(&self) -> Value {
        let document = self.json();
        assert_eq!(document["ok"], false, "{self}");
        document["error"].clone()
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "status: {}", self.status)?;
        writeln!(f, "----- stdout -----")?;
        f.write_str(&self.stdout)?;
        writeln!(f, "----- stderr -----")?;
        f.write_str(&self.stderr)
    }
}
