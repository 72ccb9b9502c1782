//! Client configuration, driven through its public interface with real files.

mod clients;
mod docs;
mod foreign_text;
mod formats;
mod hostile;
mod support;
