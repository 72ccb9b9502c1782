//! Dotenv files: one dialect, read line by line, that never drops the rest of a file.
//!
//! A bad line is a [`DotenvProblem`] with its line and key; no problem and no debug output
//! ever holds a value. Hermetic: values come from the file and the base that is passed in.
//!
//! | written | value |
//! | --- | --- |
//! | `KEY=v`, `KEY = v`, `export KEY=v` | `v`; blanks around the key and the value do not count |
//! | `KEY=` | empty |
//! | `KEY=a b # note`, `KEY=a#b` | `a b`, `a#b`: a comment needs a blank before its `#` |
//! | `KEY='…'` | as written, over several lines too; only `\'` means `'` |
//! | `KEY="…"` | over several lines too; `\n \r \t \\ \" \$` are escapes, other `\` are text |
//! | `${…}` unquoted or in `"…"` | a template variable; see [`crate::template`]; unset is empty |
//! | `$$` unquoted or in `"…"` | `$` |
//! | `$A`, `{a}`, `` `a` ``, `\` elsewhere | as written |
//!
//! Keys are `[A-Za-z_][A-Za-z0-9_]*`. Blank lines and lines that begin with `#` are skipped.
//! Bytes that are no text make a bad line, as anything else that cannot be read does.
//! A byte order mark is skipped and line ends may be `\r\n`; within quotes they become `\n`.
//! The last of several lines with one key wins. An open quote costs one entry: reading goes
//! on with the line below it.

mod bytes;
mod evaluate;
mod loader;
mod parse;
mod problem;
#[cfg(test)]
mod tests;

pub use bytes::parse_bytes;
pub use evaluate::{Evaluated, Variable, evaluate};
pub use loader::is_loader_variable;
pub use parse::{DotenvFile, Entry, MAX_BYTES, parse};
pub use problem::{DotenvProblem, Reason};
