//! The EnvResolver: the right interpreter and environment, with the reason.
//!
//! [`resolve`] takes the `env_config` of a chain and resolver data, and gives interpreters,
//! a layered environment, and everything that was tried. It reads files and nothing else:
//! nothing is created, installed or run. It knows no language; where an interpreter may
//! be, what an environment looks like and what to set are data (`core/resolvers/`), put
//! together from a few generic moves.

mod activate;
mod alias;
mod candidate;
mod condition;
mod delegate;
mod environment;
mod error;
mod evidence;
mod facts;
mod files;
mod find;
mod installed;
mod layer;
mod moves;
mod pattern;
mod range;
mod resolution;
mod resource;
mod rules;
mod search;
mod search_path;
mod shim;
mod spec;
mod texts;
mod trace;
mod version;
mod version_file;
mod versions;
mod wanted;

pub use candidate::{Candidate, Verdict};
pub use error::{MissingVersion, ResolveError};
pub use layer::{LayeredEnv, Origin};
pub use range::Range;
pub use resolution::{Call, Interpreter, Refusal, Resolution, resolve};
pub use resource::Link;
pub use rules::{EnvPolicy, EnvironmentRules};
pub use search::DEFAULT_SEARCH;
pub use spec::Resolvers;
pub use version::Version;
