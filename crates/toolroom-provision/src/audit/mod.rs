//! What is installed, against what is required: every missing package, every conflict, and
//! every installed package that an install would break.
//!
//! Reads files and starts nothing. What it cannot judge it says so; it never guesses that
//! all is well. Knows nothing of how packages are installed.

pub mod node;
pub mod python;

mod auditor;
mod error;
pub(crate) mod report;
mod severity;

pub use auditor::{Auditor, auditor};
pub use error::AuditError;
pub use report::{
    Audit, Break, Conflict, Contradiction, Demand, Duplicate, InterpreterConflict, Missing,
    Satisfied, Severity, Unjudged, Wanted,
};
pub use severity::SeverityRules;
