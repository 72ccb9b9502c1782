//! Carrying plans out: lock, journal, steps, verification, ready mark.
//!
//! At any moment a failure or a kill leaves either what was there before, or something
//! marked as unfinished that the next run repairs. What we did not make is never deleted.

mod check;
mod found;
mod kept;
mod listen;
mod lockfiles;
pub mod mark;
mod one;
mod recover;
mod remember;
mod runner;
mod said;
mod undo;
mod work;

use std::collections::BTreeSet;
use std::sync::Mutex;

use toolroom_exec::subprocess::{Cancel, Guard};

use crate::error::ProvisionError;
use crate::manager::Amount;
use crate::plan::{Plan, Planner};

pub(crate) use found::{is_over, is_unsettled};
pub(crate) use kept::{Before, Kept};
pub use one::apply;
pub(crate) use recover::is_broken_off;
pub use said::Said;
pub use undo::undo;

/// How many environments are prepared at the same time.
const PARALLEL: usize = 3;

/// What a listener hears of an environment that is being prepared.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum News<'n> {
    /// Another process is at it.
    Waiting {
        holder: &'n str,
    },
    Begin {
        what: &'n str,
    },
    /// A line that a command printed.
    Line(&'n str),
    /// How far a command has come, where it says so.
    Amount(Amount),
    End {
        failed: bool,
    },
}

/// Hears what happens, from several threads.
pub trait Progress: Sync {
    fn hear(&self, plan: &Plan, news: News<'_>);
}

/// Nobody listens.
impl Progress for () {
    fn hear(&self, _plan: &Plan, _news: News<'_>) {}
}

/// How plans are carried out.
#[derive(Clone, Copy)]
pub struct Applying<'a> {
    pub planner: Planner<'a>,
    pub guard: &'a Guard,
    pub cancel: &'a Cancel,
    pub progress: &'a dyn Progress,
    /// Never ask the network.
    pub offline: bool,
}

impl std::fmt::Debug for Applying<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Applying")
            .field("planner", &self.planner)
            .finish_non_exhaustive()
    }
}

/// Carries plans out, several at a time; the answers are in the order of the plans.
#[must_use]
pub fn apply_all(plans: Vec<Plan>, how: &Applying<'_>) -> Vec<Result<Plan, ProvisionError>> {
    let mut places = BTreeSet::new();
    // Plans for one environment would only wait for each other: all but the first come
    // afterwards, and find the work done.
    let (first, again): (Vec<_>, Vec<_>) = plans
        .into_iter()
        .enumerate()
        .partition(|(_, plan)| places.insert(plan.place()));
    let mut done = at_once(first, how);
    done.extend(
        again
            .into_iter()
            .map(|(index, plan)| (index, apply(plan, how))),
    );
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

type Numbered<T> = Vec<(usize, T)>;

fn at_once(plans: Numbered<Plan>, how: &Applying<'_>) -> Numbered<Result<Plan, ProvisionError>> {
    let workers = PARALLEL.min(plans.len());
    let queue = Mutex::new(plans.into_iter());
    let done = Mutex::new(Vec::new());
    let work = || {
        loop {
            let next = lock(&queue).next();
            let Some((index, plan)) = next else { break };
            let outcome = apply(plan, how);
            lock(&done).push((index, outcome));
        }
    };
    if workers < 2 {
        work();
    } else {
        std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    }
    done.into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// What a panicking thread left is still what it was: values are moved in and out whole.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
