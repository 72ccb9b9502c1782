//! A call's parameters: texts made to what the schema says, numbers kept exact, defaults
//! filled in, and everything checked before anything starts.
//!
//! Parameters are data: nothing here expands or runs them, and no fault repeats a value,
//! which may be a secret.

mod check;
mod exact;
mod given;
mod schema;

pub use check::{Checker, ParameterError, check, fill_defaults};
pub use exact::{make_exact, would_lose_digits};
pub use given::{Given, values};
pub use schema::is_switch;
