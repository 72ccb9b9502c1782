//! What tells whether a file changed, without reading it.

use std::fs::Metadata;
use std::time::{SystemTime, UNIX_EPOCH};

/// How long a file must have been at rest; coarser than any clock a file system uses.
const REST_NANOS: i64 = 50_000_000;
/// File systems that keep whole seconds only need more.
const COARSE_REST_NANOS: i64 = 2_000_000_000;

/// What changes when a file does. Compared for equality only, so clocks may jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    pub size: u64,
    /// Nanoseconds since 1970, of content and of the file's record.
    pub modified: i64,
    pub changed: i64,
    pub inode: u64,
}

impl Fingerprint {
    /// How many bytes it is kept in.
    pub(crate) const LENGTH: usize = 32;

    #[cfg(unix)]
    #[must_use]
    pub fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self {
            size: metadata.len(),
            modified: nanos(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanos(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }

    #[cfg(not(unix))]
    #[must_use]
    pub fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok().map_or(0, |time| {
            let nanos = |span: std::time::Duration| i64::try_from(span.as_nanos());
            match time.duration_since(UNIX_EPOCH) {
                Ok(after) => nanos(after).unwrap_or(i64::MAX),
                Err(before) => nanos(before.duration()).map_or(i64::MIN, |nanos| -nanos),
            }
        });
        Self {
            size: metadata.len(),
            modified,
            changed: 0,
            inode: 0,
        }
    }

    /// Whether the file had not been written for so long at a moment that a later change
    /// cannot have the same times.
    #[must_use]
    pub fn was_at_rest(&self, at: SystemTime) -> bool {
        let Ok(at) = at.duration_since(UNIX_EPOCH) else {
            return false;
        };
        let at = i64::try_from(at.as_nanos()).unwrap_or(i64::MAX);
        let last = match self.changed {
            0 => self.modified,
            changed => changed,
        };
        let rest = if last % 1_000_000_000 == 0 {
            COARSE_REST_NANOS
        } else {
            REST_NANOS
        };
        last.saturating_add(rest) < at
    }

    /// As it is kept, to be compared with what another had.
    pub(crate) fn to_bytes(self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        let parts = [
            self.size,
            self.modified.cast_unsigned(),
            self.changed.cast_unsigned(),
            self.inode,
        ];
        for (kept, part) in bytes.chunks_exact_mut(size_of::<u64>()).zip(parts) {
            kept.copy_from_slice(&part.to_le_bytes());
        }
        bytes
    }
}

#[cfg(unix)]
pub(crate) fn nanos(seconds: i64, nanos: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}
