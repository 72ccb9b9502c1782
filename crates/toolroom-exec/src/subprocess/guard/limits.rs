//! Puts the limits on the guard itself, from which the tool inherits them.

use rustix::fs::Mode;
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, nice, setrlimit, umask};

use crate::subprocess::command::{Limit, Limits};

/// What a guard needs to go on working under the tool's limits.
const FEWEST_FILES: u64 = 16;
const LEAST_MEMORY: u64 = 16 << 20;

/// Writable memory is what the memory limit is about. Engines reserve far more address
/// space than they use and die under a limit on that.
#[cfg(target_os = "linux")]
const MEMORY: Resource = Resource::Data;
#[cfg(not(target_os = "linux"))]
const MEMORY: Resource = Resource::As;

/// A limit that the system did not let us set.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) limit: Limit,
    pub(super) errno: Errno,
}

pub(super) fn apply(limits: &Limits) -> Result<(), Refused> {
    let memory = limits.memory.map(|bytes| bytes.max(LEAST_MEMORY));
    let files = limits.open_files.map(|files| files.max(FEWEST_FILES));
    let lowered = [
        (Limit::Memory, MEMORY, memory),
        (Limit::CpuSeconds, Resource::Cpu, limits.cpu_seconds),
        (Limit::OpenFiles, Resource::Nofile, files),
        (Limit::Processes, Resource::Nproc, limits.processes),
        (Limit::FileSize, Resource::Fsize, limits.file_size),
    ];
    for (limit, resource, most) in lowered {
        lower(resource, most).map_err(|errno| Refused { limit, errno })?;
    }
    if let Some(mask) = limits.umask {
        umask(Mode::from_bits_truncate(mask as _));
    }
    if let Some(increment) = limits.nice {
        let limit = Limit::Nice;
        nice(increment).map_err(|errno| Refused { limit, errno })?;
    }
    Ok(())
}

/// Lowers a limit for good. One that is lower already stays as it is.
fn lower(resource: Resource, limit: Option<u64>) -> rustix::io::Result<()> {
    let Some(limit) = limit else { return Ok(()) };
    let most = getrlimit(resource)
        .maximum
        .map_or(limit, |most| most.min(limit));
    setrlimit(
        resource,
        Rlimit {
            current: Some(most),
            maximum: Some(most),
        },
    )
}
