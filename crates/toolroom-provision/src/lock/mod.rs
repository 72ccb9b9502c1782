//! One lock per environment, across processes.
//!
//! The system holds it for as long as the process lives, so a killed one leaves none
//! behind. Lock files are never deleted: two processes that each held "the" lock on a
//! different file of the same name would both believe themselves alone.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::ProvisionError;
use crate::journal::key_of_place;

/// How soon one who may give up looks again.
const AGAIN: Duration = Duration::from_millis(20);

/// The lock of one environment, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of an environment. Where another process has it, says who and waits.
    ///
    /// # Errors
    /// Fails if the lock file cannot be made.
    pub fn acquire(
        state: &Path,
        environment: &Path,
        waiting: &dyn Fn(&str),
    ) -> Result<Self, ProvisionError> {
        Self::take(state, environment, waiting, &|lock| {
            lock.lock().map(|()| true)
        })
        .map(|taken| taken.expect("who waits for ever does not give up"))
    }

    /// As [`Self::acquire`], but gives up where that is asked for while it waits.
    ///
    /// # Errors
    /// Fails if the lock file cannot be made.
    pub fn acquire_unless(
        state: &Path,
        environment: &Path,
        waiting: &dyn Fn(&str),
        given_up: &dyn Fn() -> bool,
    ) -> Result<Option<Self>, ProvisionError> {
        Self::take(state, environment, waiting, &|lock| {
            loop {
                match lock.try_lock() {
                    Ok(()) => return Ok(true),
                    Err(TryLockError::WouldBlock) if given_up() => return Ok(false),
                    Err(TryLockError::WouldBlock) => std::thread::sleep(AGAIN),
                    Err(TryLockError::Error(error)) => return Err(error),
                }
            }
        })
    }

    /// The lock of an environment that nobody has.
    ///
    /// # Errors
    /// Fails if the lock file cannot be made.
    pub fn acquire_free(state: &Path, environment: &Path) -> Result<Option<Self>, ProvisionError> {
        Self::acquire_unless(state, environment, &|_| {}, &|| true)
    }

    fn take(
        state: &Path,
        environment: &Path,
        waiting: &dyn Fn(&str),
        wait: &dyn Fn(&File) -> std::io::Result<bool>,
    ) -> Result<Option<Self>, ProvisionError> {
        let path = file(state, environment);
        let doing = || format!("the lock of {} cannot be taken", environment.display());
        let failed = |source| ProvisionError::io(doing(), source);
        if let Some(folder) = path.parent() {
            fs_err::create_dir_all(folder).map_err(failed)?;
        }
        let mut lock = open(&path).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                waiting(&holder(&mut lock));
                if !wait(&lock).map_err(failed)? {
                    return Ok(None);
                }
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // The name is for people who wait; that it cannot be written harms nobody.
        let _ = lock.rewind();
        let _ = lock.set_len(0);
        let _ = writeln!(lock, "{}", std::process::id());
        Ok(Some(Self { _file: lock }))
    }
}

fn file(state: &Path, environment: &Path) -> PathBuf {
    state
        .join("locks")
        .join(format!("{}.lock", key_of_place(environment)))
}

fn open(path: &Path) -> std::io::Result<File> {
    File::options()
        .create(true)
        .read(true)
        .write(true)
        .truncate(false)
        .open(path)
}

/// Who holds it, as far as it said so.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.take(64).read_to_string(&mut text);
    match (read, text.trim()) {
        (Ok(_), id) if !id.is_empty() => format!("process {id}"),
        _ => "another process".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_second_taker_is_told_who_holds_it_and_waits() {
        let state = tempfile::tempdir().unwrap();
        let environment = Path::new("/p/.venv");
        let first =
            Lock::acquire(state.path(), environment, &|_| panic!("nobody holds it")).unwrap();
        let waited = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                let told = |holder: &str| {
                    assert_eq!(holder, format!("process {}", std::process::id()));
                    waited.fetch_add(1, Ordering::SeqCst);
                };
                Lock::acquire(state.path(), environment, &told).unwrap();
            });
            while waited.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
            assert!(!second.is_finished());
            drop(first);
        });
    }

    #[test]
    fn one_who_waits_may_give_up() {
        let state = tempfile::tempdir().unwrap();
        let environment = Path::new("/p/.venv");
        let first = Lock::acquire(state.path(), environment, &|_| {}).unwrap();
        let second = || Lock::acquire_unless(state.path(), environment, &|_| {}, &|| true);
        assert!(second().unwrap().is_none());
        drop(first);
        assert!(second().unwrap().is_some());
    }

    #[test]
    fn different_environments_have_different_locks() {
        let state = tempfile::tempdir().unwrap();
        let _one = Lock::acquire(state.path(), Path::new("/a"), &|_| panic!("held")).unwrap();
        let _other = Lock::acquire(state.path(), Path::new("/b"), &|_| panic!("held")).unwrap();
    }
}
