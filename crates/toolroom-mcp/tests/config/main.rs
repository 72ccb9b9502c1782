//! Client configuration, driven through its public interface with real files.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod clients;
mod docs;
mod foreign_text;
mod formats;
mod hostile;
mod support;
