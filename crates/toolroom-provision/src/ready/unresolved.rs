//! Why the environment of a chain is not known.

use thiserror::Error;
use toolroom_kernel::resolve::{Candidate, ResolveError};
use toolroom_kernel::{Explain, Place};

use crate::error::ProvisionError;

#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Unresolved {
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// What setup decided cannot be read.
    #[error(transparent)]
    State(#[from] ProvisionError),
}

impl Unresolved {
    /// Everything that was tried.
    #[must_use]
    pub fn tried(&self) -> &[Candidate] {
        match self {
            Self::Resolve(error) => error.tried(),
            Self::State(_) => &[],
        }
    }

    fn inner(&self) -> &dyn Explain {
        match self {
            Self::Resolve(error) => error,
            Self::State(error) => error,
        }
    }
}

impl Explain for Unresolved {
    fn code(&self) -> &'static str {
        self.inner().code()
    }

    fn help(&self) -> Option<String> {
        self.inner().help()
    }

    fn place(&self) -> Option<Place> {
        self.inner().place()
    }
}
