//! Links a tool to what runs it: tool → runtime (→ runtime …) → primitive.
//!
//! Follows `executor_id` and nothing else; where executors come from is the library's
//! business. A chain that was linked ends in a primitive and never repeats itself.

use std::sync::Arc;

use thiserror::Error;

use crate::explain::{Explain, Place};
use crate::model::{Role, Tool, ToolId, field};

/// How many links a chain may have.
pub const MAX_LINKS: usize = 16;

/// Where executors are found by the name a tool gives.
pub trait Library {
    /// # Errors
    /// Says why there is no such executor.
    fn executor(&self, name: &str) -> Result<Arc<Tool>, Missing>;
}

/// Why a library has no executor of some name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// Nothing has that name; these are close.
    Unknown { suggestions: Vec<String> },
    /// Several have it.
    Ambiguous { ids: Vec<ToolId> },
    /// It is there and cannot be used.
    Broken { reason: String },
}

/// A tool and all that runs it, the primitive last.
#[derive(Debug, Clone)]
pub struct Chain {
    links: Vec<Arc<Tool>>,
}

impl Chain {
    /// The tool the chain was linked for.
    #[must_use]
    pub fn tool(&self) -> &Tool {
        &self.links[0]
    }

    /// What does the work in the end.
    #[must_use]
    pub fn primitive(&self) -> &Tool {
        &self.links[self.links.len() - 1]
    }

    /// From the tool to the primitive.
    #[must_use]
    pub fn links(&self) -> &[Arc<Tool>] {
        &self.links
    }
}

/// Why a tool cannot be linked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ChainError {
    #[error("{tool} names an executor that does not exist: {executor}")]
    UnknownExecutor {
        tool: ToolId,
        executor: String,
        suggestions: Vec<String>,
        place: Place,
    },
    #[error(
        "{tool} names an executor that several tools could be: {executor} ({})",
        join(ids, ", ")
    )]
    AmbiguousExecutor {
        tool: ToolId,
        executor: String,
        ids: Vec<ToolId>,
        place: Place,
    },
    #[error("{tool} names an executor that cannot be used: {executor}: {reason}")]
    BrokenExecutor {
        tool: ToolId,
        executor: String,
        reason: String,
        place: Place,
    },
    #[error(
        "the chain never reaches a primitive, it goes round: {}",
        join(cycle, " → ")
    )]
    Cycle { cycle: Vec<ToolId>, place: Place },
    #[error("the chain of {tool} has more than {MAX_LINKS} links")]
    TooDeep { tool: ToolId, place: Place },
    #[error("{tool} says no executor_id, and only a primitive may do without")]
    NoExecutor { tool: ToolId, place: Place },
}

fn join(ids: &[ToolId], separator: &str) -> String {
    let ids: Vec<&str> = ids.iter().map(ToolId::as_str).collect();
    ids.join(separator)
}

impl Explain for ChainError {
    fn code(&self) -> &'static str {
        match self {
            Self::UnknownExecutor { .. } => "catalog::unknown_executor",
            Self::AmbiguousExecutor { .. } => "catalog::ambiguous_executor",
            Self::BrokenExecutor { .. } => "catalog::broken_executor",
            Self::Cycle { .. } => "catalog::chain_cycle",
            Self::TooDeep { .. } => "catalog::chain_too_deep",
            Self::NoExecutor { .. } => "catalog::missing_executor",
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::UnknownExecutor { suggestions, .. } => match suggestions.as_slice() {
                [] => "toolroom list --runtimes shows what there is".into(),
                near => format!("did you mean {}?", near.join(" or ")),
            },
            Self::AmbiguousExecutor { .. } => "write the whole id".into(),
            Self::BrokenExecutor { executor, .. } => format!("toolroom show {executor} says more"),
            Self::Cycle { .. } => "let one of them name a runtime or a primitive".into(),
            Self::TooDeep { .. } => "shorten the chain".into(),
            Self::NoExecutor { .. } => {
                "add executor_id; toolroom list --runtimes shows what there is".into()
            }
        })
    }

    fn place(&self) -> Option<Place> {
        match self {
            Self::UnknownExecutor { place, .. }
            | Self::AmbiguousExecutor { place, .. }
            | Self::BrokenExecutor { place, .. }
            | Self::Cycle { place, .. }
            | Self::TooDeep { place, .. }
            | Self::NoExecutor { place, .. } => Some(place.clone()),
        }
    }
}

/// Follows a tool's executors to a primitive.
///
/// # Errors
/// Names the link that is missing, or the whole cycle.
pub fn link(tool: Arc<Tool>, library: &dyn Library) -> Result<Chain, ChainError> {
    let mut links = vec![tool];
    loop {
        let last = &links[links.len() - 1];
        let place = place_of(last);
        if last.role() == Role::Primitive {
            return Ok(Chain { links });
        }
        let tool = last.id.clone();
        let Some(executor) = last.executor() else {
            return Err(ChainError::NoExecutor { tool, place });
        };
        let next = library
            .executor(executor)
            .map_err(|missing| missing_link(missing, tool.clone(), executor, place.clone()))?;
        if !matches!(next.role(), Role::Runtime | Role::Primitive) {
            let reason = format!("it is {}, not a runtime", next.type_in_words());
            return Err(missing_link(
                Missing::Broken { reason },
                tool,
                executor,
                place,
            ));
        }
        let met = links
            .iter()
            .position(|link| link.id == next.id && link.space == next.space);
        if let Some(start) = met {
            let mut cycle: Vec<ToolId> =
                links[start..].iter().map(|link| link.id.clone()).collect();
            cycle.push(next.id.clone());
            return Err(ChainError::Cycle {
                cycle,
                place: place_of(&links[0]),
            });
        }
        if links.len() >= MAX_LINKS {
            let tool = links[0].id.clone();
            return Err(ChainError::TooDeep { tool, place });
        }
        links.push(next);
    }
}

fn missing_link(missing: Missing, tool: ToolId, executor: &str, place: Place) -> ChainError {
    let executor = executor.to_owned();
    match missing {
        Missing::Unknown { suggestions } => ChainError::UnknownExecutor {
            tool,
            executor,
            suggestions,
            place,
        },
        Missing::Ambiguous { ids } => ChainError::AmbiguousExecutor {
            tool,
            executor,
            ids,
            place,
        },
        Missing::Broken { reason } => ChainError::BrokenExecutor {
            tool,
            executor,
            reason,
            place,
        },
    }
}

fn place_of(tool: &Tool) -> Place {
    Place {
        path: tool.path.clone(),
        position: tool.positions.get(field::EXECUTOR_ID).copied(),
    }
}

#[cfg(test)]
mod tests;
