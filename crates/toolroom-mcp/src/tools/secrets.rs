//! Keeps the values of secrets out of everything a client is told.

pub use toolroom_catalog::secrets::Secrets;
