//! Templates: `${VAR}` variables and `{name}` placeholders in the texts of a tool.
//!
//! Parsing finds every mistake and says where it is; expanding is one pass, so what a
//! variable or parameter holds is never read as a template. Errors never hold a value.
//! Knows nothing of where values come from: a [`Scope`] answers for them.
//!
//! # Variables
//!
//! | written | set | empty | unset |
//! | --- | --- | --- | --- |
//! | `${A}` | value | empty | empty or an error, as [`Unset`] says |
//! | `${A:-word}` | value | word | word |
//! | `${A-word}` | value | empty | word |
//! | `${A:?message}` | value | error | error |
//! | `${A?message}` | value | empty | error |
//! | `${A:+word}` | word | empty | empty |
//! | `${A+word}` | word | word | empty |
//!
//! A word is a template and is expanded only when it is used; its literal braces must
//! balance. A message is shown as it is written. `$$` gives `$`, and `$${A}` gives
//! `${A}`. A `$` before anything else stands for itself, so `$A` is plain text.
//!
//! # Placeholders
//!
//! `{name}` and `{name.part.0}` are placeholders: a name of letters, digits and `_`, then
//! parts that may also hold `-`. Any other brace is text, so JSON, `{}`, `{ x }` and `a{3}`
//! need no care. To keep a `{name}` as text, double its braces: `{{name}}` gives `{name}`.
//! Doubled braces around anything else are text as well: `{"a": {"b": 1}}` stays whole.
//! [`escaped`] writes any text so that it stays what it is.
//!
//! ```
//! use toolroom_kernel::template::{Template, Unset};
//!
//! let scope = |name: &str| (name == "USER").then(|| "ada".to_owned());
//! let template = Template::parse("/home/${USER}/${DIR:-work}")?;
//! assert_eq!(template.expand(&scope, Unset::Error)?, "/home/ada/work");
//! # Ok::<(), toolroom_kernel::template::TemplateError>(())
//! ```

mod ast;
mod error;
mod expand;
mod json;
mod parse;
mod scope;
#[cfg(test)]
#[cfg(unix)]
mod shell_tests;
#[cfg(test)]
mod tests;

pub use ast::{Syntax, Template};
pub use error::{Fault, TemplateError};
pub use expand::{Expanded, MAX_EXPANDED};
pub use json::{MAX_JSON_DEPTH, expand_json};
pub use parse::{MAX_NESTING, escaped};
pub use scope::{Placeholder, Scope, Unset};
