//! What a reader gives the extraction rules: one file, understood without running it.
//!
//! Readers turn a language into these few shapes; the rules and the schema builder
//! only ever see the shapes, so a language's parser stays behind its own module.

use std::collections::BTreeMap;

use serde_json::Value;
use toolroom_kernel::Position;

/// The names the rules will ask for, so that a reader evaluates nothing else.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Module-level variables, by name.
    pub variables: Vec<String>,
    /// Module-level functions, by name.
    pub functions: Vec<String>,
}

/// A text and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Located<T> {
    pub value: T,
    pub at: Position,
}

/// A module-level variable: its literal value, or why it has none.
#[derive(Debug, Clone, PartialEq)]
pub enum Variable {
    Literal(Located<Value>),
    /// The value cannot be known without running the file.
    NotLiteral(Located<String>),
}

/// One parameter of a function.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parameter {
    pub name: String,
    /// The JSON Schema its annotation says, without `default` and `description`.
    /// An unannotated parameter has an empty object.
    pub schema: serde_json::Map<String, Value>,
    pub description: Option<String>,
    /// Has no default: the caller must give it.
    pub required: bool,
    /// The default, where it is a literal.
    pub default: Option<Value>,
}

/// A function's face: what it takes, and what its documentation says.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    pub at: Position,
    /// The documentation's text before any parameter section.
    pub summary: Option<String>,
    pub parameters: Vec<Parameter>,
    /// Takes them one by one, in this order, and not by name.
    pub in_order: bool,
    /// Takes any further named parameter (`**kwargs`, a rest object).
    pub open: bool,
    /// The JSON Schema of what it returns, where that is annotated with more than "any object".
    pub returns: Option<Value>,
}

/// Why a file's text could not be understood, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntaxFault {
    pub at: Position,
    pub message: String,
}

/// One file, read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// Module-level variables among those wanted; for data formats, every top-level key.
    pub variables: BTreeMap<String, Variable>,
    /// The module's own documentation.
    pub docstring: Option<Located<String>>,
    /// The first comment that is prose: no shebang, no marker lines, no front matter.
    pub comment: Option<Located<String>>,
    /// Module-level functions among those wanted.
    pub functions: BTreeMap<String, Function>,
    /// The file runs something when started as a script (`if __name__ == "__main__"`).
    pub is_script: bool,
    /// What could not be parsed; what could be is still in the other fields.
    pub faults: Vec<SyntaxFault>,
}
