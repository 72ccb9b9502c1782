//! The few styles the product uses, so that colour means the same everywhere.

use std::fmt::Display;

use owo_colors::OwoColorize as _;

/// A name the user can type.
pub fn name(text: impl Display) -> String {
    text.bold().to_string()
}

/// What can be skipped by the eye.
pub fn faint(text: impl Display) -> String {
    text.dimmed().to_string()
}

/// A heading.
pub fn heading(text: impl Display) -> String {
    text.bold().underline().to_string()
}

pub fn good(text: impl Display) -> String {
    text.green().to_string()
}

pub fn warn(text: impl Display) -> String {
    text.yellow().to_string()
}

pub fn bad(text: impl Display) -> String {
    text.red().to_string()
}
