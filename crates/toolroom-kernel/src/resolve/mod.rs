//! The EnvResolver: the right interpreter and environment, with the reason.
//!
//! [`resolve`] takes the `env_config` of a chain and resolver data, and gives interpreters,
//! a layered environment, and everything that was tried. It reads files and nothing else:
//! nothing is created, installed or run. It knows no language; where an interpreter may
//! be, what an environment looks like and what to set are data (`core/resolvers/`), put
//! together from a few generic moves.
//!
//! ```
//! use std::borrow::Cow;
//! use serde_json::{Value, json};
//! use toolroom_kernel::model::{Environ, Role};
//! use toolroom_kernel::resolve::{Call, EnvironmentRules, Link, Resolvers, resolve};
//! # use toolroom_kernel::{Os, World};
//!
//! struct Shell;
//! impl Resolvers for Shell {
//!     fn resolver(&self, name: &str) -> Option<Cow<'_, Value>> {
//!         let data = json!({"places": {"system": [{"which": "sh"}]}});
//!         (name == "shell").then_some(Cow::Owned(data))
//!     }
//!     fn names(&self) -> Vec<String> {
//!         vec!["shell".to_owned()]
//!     }
//! }
//!
//! # let world = World {
//! #     env: Environ::from_iter([("PATH", "/bin")]), cwd: "/".into(), home: None, user_space: None,
//! #     project: None, directories: None, os: Os::Linux, now: std::time::SystemTime::UNIX_EPOCH,
//! # };
//! let env_config = json!({"interpreter": {"type": "shell", "var": "SH"}, "env": {"COPY": "${SH}"}});
//! let link = Link { id: "my_runtime", role: Role::Runtime, env_config: env_config.as_object(), config: None, source: None };
//! let rules = EnvironmentRules::default();
//! let resolution = resolve(&Call::new(&world, &Shell, &rules, &[link]));
//! # if cfg!(unix) {
//! assert_eq!(resolution?.env.get("COPY"), Some("/bin/sh"));
//! # }
//! # Ok::<(), toolroom_kernel::resolve::ResolveError>(())
//! ```

mod activate;
mod alias;
mod candidate;
mod condition;
mod delegate;
mod environment;
mod error;
mod evidence;
mod facts;
mod fallback;
mod files;
mod find;
mod installed;
mod layer;
mod lowest;
mod moves;
mod note;
mod pattern;
mod range;
mod resolution;
mod resource;
mod rules;
mod search;
mod search_path;
mod setup;
mod shim;
mod spec;
mod texts;
mod trace;
mod version;
mod version_file;
mod versions;
mod wanted;

pub use candidate::{Candidate, Story, Verdict};
pub use error::{MissingVersion, ResolveError};
pub use layer::{LayeredEnv, Origin};
pub use note::{Note, Subject};
pub use range::Range;
pub use resolution::{Call, Interpreter, Preferred, Refusal, Resolution, resolve};
pub use resource::Link;
pub use rules::{EnvPolicy, EnvironmentRules};
pub use search::DEFAULT_SEARCH;
pub use setup::{Implied, Setup};
pub use spec::Resolvers;
pub use version::Version;
