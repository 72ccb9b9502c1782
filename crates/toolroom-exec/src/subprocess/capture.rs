//! Keeps the beginning and the end of an output in memory, and the whole in a file once
//! it does not fit. Memory is bounded whatever comes; a disk that fails costs the file,
//! never the run, and one that is slow holds up nothing but this output.

use std::collections::VecDeque;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::fs::File;
use tokio::io::{AsyncWriteExt, BufWriter};
use tokio::task::spawn_blocking;

use super::command::{CaptureLimits, Stream};
use super::outcome::Captured;
use super::spill;

/// The disk is written to in few large steps: each one is handed to another thread.
const BLOCK: usize = 1 << 20;

/// An output while it grows.
#[derive(Debug)]
pub(super) struct Capture {
    stream: Stream,
    head_limit: usize,
    tail_limit: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    length: u64,
    spill: Spill,
    spill_most: u64,
}

#[derive(Debug)]
enum Spill {
    None,
    Ready(PathBuf),
    Open(BufWriter<File>, PathBuf),
    /// Something else writes to it at the moment.
    Lent(PathBuf),
    /// The output has ended, and all of it is there.
    Whole(PathBuf),
    /// It holds as much as it may, and goes on no further.
    Full(PathBuf),
    Failed(String),
}

/// How it ended that a file was lent.
#[derive(Debug)]
pub(super) enum Lending {
    Whole,
    Full,
    Failed(io::Error),
}

/// The length of a file, and its end of at most so many bytes. It is opened anew: whoever
/// still writes to it must not find himself elsewhere in it.
fn last_of(path: &Path, most: usize) -> io::Result<(u64, Vec<u8>)> {
    let mut file = fs_err::File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(most as u64)))?;
    let mut tail = Vec::new();
    file.take(most as u64).read_to_end(&mut tail)?;
    Ok((length, tail))
}

/// Does on another thread what may take a disk's time.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(io::Error::other(error)))
}

impl Capture {
    pub(super) fn new(stream: Stream, limits: &CaptureLimits) -> Self {
        Self {
            stream,
            head_limit: limits.head,
            tail_limit: limits.tail,
            head: Vec::new(),
            tail: VecDeque::new(),
            length: 0,
            spill: limits.spill.clone().map_or(Spill::None, Spill::Ready),
            spill_most: limits.spill_most,
        }
    }

    pub(super) async fn push(&mut self, bytes: &[u8]) {
        let kept = (self.head_limit + self.tail_limit) as u64;
        let overflows = self.length + bytes.len() as u64 > kept;
        if overflows {
            self.spill(bytes).await;
        }
        self.length += bytes.len() as u64;
        let room = self.head_limit - self.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        self.push_tail(rest);
    }

    fn push_tail(&mut self, bytes: &[u8]) {
        let last = &bytes[bytes.len().saturating_sub(self.tail_limit)..];
        let over = (self.tail.len() + last.len()).saturating_sub(self.tail_limit);
        self.tail.drain(..over);
        self.tail.extend(last);
    }

    /// Writes to the file; the first time, everything that came before as well.
    async fn spill(&mut self, bytes: &[u8]) {
        if let Spill::Ready(directory) = &self.spill {
            self.spill = match self.open(directory).await {
                Ok((file, path)) => Spill::Open(file, path),
                Err(error) => Spill::Failed(error.to_string()),
            };
        }
        let Spill::Open(file, path) = &mut self.spill else {
            return;
        };
        let room =
            usize::try_from(self.spill_most.saturating_sub(self.length)).unwrap_or(usize::MAX);
        let part = &bytes[..room.min(bytes.len())];
        let mut written = file.write_all(part).await;
        let is_full = part.len() < bytes.len();
        if is_full && written.is_ok() {
            written = file.flush().await;
        }
        let path = path.clone();
        match written {
            Err(error) => self.give_up(path, &error).await,
            Ok(()) if is_full => self.spill = Spill::Full(path),
            Ok(()) => {}
        }
    }

    /// Whether everything that comes goes to the file.
    pub(super) const fn is_spilling(&self) -> bool {
        matches!(self.spill, Spill::Open(..))
    }

    /// Hands out the file, written up to here, and says how much more it may hold.
    pub(super) async fn lend(&mut self) -> Option<(Arc<std::fs::File>, u64)> {
        let spill = std::mem::replace(&mut self.spill, Spill::None);
        let Spill::Open(mut file, path) = spill else {
            self.spill = spill;
            return None;
        };
        if let Err(error) = file.flush().await {
            self.give_up(path, &error).await;
            return None;
        }
        let file = Arc::new(file.into_inner().into_std().await);
        self.spill = Spill::Lent(path);
        Some((file, self.spill_most.saturating_sub(self.length)))
    }

    /// Goes on after a file that was lent: what it holds is what has come so far. May be
    /// dropped and called again.
    pub(super) async fn take_back(&mut self, end: Lending) {
        let Spill::Lent(path) = &self.spill else {
            return;
        };
        let (path, most) = (path.clone(), self.tail_limit);
        let read = {
            let path = path.clone();
            aside(move || last_of(&path, most)).await
        };
        let end = match read {
            Ok((length, tail)) => {
                self.length = length;
                let beyond = length.saturating_sub(self.head.len() as u64);
                let beyond = usize::try_from(beyond).unwrap_or(usize::MAX);
                self.tail = tail[tail.len().saturating_sub(beyond)..].to_vec().into();
                end
            }
            Err(error) => match end {
                Lending::Failed(earlier) => Lending::Failed(earlier),
                Lending::Whole | Lending::Full => Lending::Failed(error),
            },
        };
        match end {
            Lending::Whole => self.spill = Spill::Whole(path),
            Lending::Full => self.spill = Spill::Full(path),
            Lending::Failed(error) => self.give_up(path, &error).await,
        }
    }

    async fn open(&self, directory: &Path) -> io::Result<(BufWriter<File>, PathBuf)> {
        let (directory, stream) = (directory.to_path_buf(), self.stream);
        let created = aside(move || spill::create(&directory, stream)).await?;
        let (file, path) = created.into_parts();
        let mut file = BufWriter::with_capacity(BLOCK, File::from_std(file));
        let (front, back) = self.tail.as_slices();
        for part in [&self.head, front, back] {
            file.write_all(part).await?;
        }
        // Kept only now, so that nothing is left of a file that fails, or that nobody
        // waits for any more.
        let path = path.keep().map_err(|error| error.error)?;
        Ok((file, path))
    }

    /// Forgets the file and frees its space: a part that looks like the whole misleads.
    async fn give_up(&mut self, path: PathBuf, error: &io::Error) {
        self.spill = Spill::Failed(format!("{}: {error}", path.display()));
        let _ = aside(move || fs_err::remove_file(path)).await;
    }

    pub(super) async fn finish(mut self) -> Captured {
        // Whoever it was lent to was given up: what is there is all that came.
        self.take_back(Lending::Whole).await;
        if let Spill::Open(file, path) = &mut self.spill
            && let Err(error) = file.flush().await
        {
            let path = path.clone();
            self.give_up(path, &error).await;
        }
        let (spill, spill_error) = match self.spill {
            Spill::None | Spill::Ready(_) => (None, None),
            Spill::Open(_, path) | Spill::Lent(path) | Spill::Whole(path) => (Some(path), None),
            Spill::Full(path) => {
                let reason = format!(
                    "{} ends after {} bytes, the most that is kept",
                    path.display(),
                    self.spill_most
                );
                (Some(path), Some(reason))
            }
            Spill::Failed(reason) => (None, Some(reason)),
        };
        Captured {
            head: self.head,
            tail: self.tail.into(),
            length: self.length,
            spill,
            spill_error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(chunks: &[&[u8]], limits: &CaptureLimits) -> Captured {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut capture = Capture::new(Stream::Stdout, limits);
            for chunk in chunks {
                capture.push(chunk).await;
            }
            capture.finish().await
        })
    }

    fn limits(head: usize, tail: usize, spill: Option<&Path>) -> CaptureLimits {
        CaptureLimits {
            head,
            tail,
            spill: spill.map(Path::to_path_buf),
            ..CaptureLimits::default()
        }
    }

    #[test]
    fn head_and_tail_are_kept_however_the_output_is_cut_up() {
        let whole = b"0123456789abcdef";
        let cases: &[&[&[u8]]] = &[
            &[whole],
            &[b"01234", b"56789", b"abcdef"],
            &[b"0", b"123456789abcde", b"f"],
            &[b"012", b"3456789abcdef"],
        ];
        for chunks in cases {
            let captured = capture(chunks, &limits(3, 4, None));
            assert_eq!(captured.head, b"012");
            assert_eq!(captured.tail, b"cdef");
            assert_eq!(captured.omitted(), 9);
        }
    }

    #[test]
    fn what_fits_is_whole_and_touches_no_disk() {
        let place = tempfile::tempdir().unwrap();
        let captured = capture(&[b"abc", b"defg"], &limits(3, 4, Some(place.path())));
        assert_eq!(&*captured.bytes(), b"abcdefg");
        assert!(!captured.truncated());
        assert_eq!(fs_err::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_does_not_fit_is_whole_in_the_file() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("new/spill");
        let captured = capture(&[b"abc", b"defg", b"hij"], &limits(2, 3, Some(&directory)));
        let file = captured.spill.unwrap();
        assert_eq!(fs_err::read(file).unwrap(), b"abcdefghij");
    }

    #[test]
    fn a_file_ends_where_it_may_not_grow_and_says_so() {
        let place = tempfile::tempdir().unwrap();
        let mut limits = limits(2, 3, Some(place.path()));
        limits.spill_most = 8;
        let captured = capture(&[b"abc", b"defg", b"hij", b"klm"], &limits);
        assert_eq!(captured.tail, b"klm");
        assert!(
            captured
                .spill_error
                .as_ref()
                .unwrap()
                .contains("ends after 8 bytes")
        );
        assert!(
            captured
                .text()
                .text
                .contains("the first part of the whole is in")
        );
        assert_eq!(fs_err::read(captured.spill.unwrap()).unwrap(), b"abcdefgh");
    }

    #[test]
    fn a_lent_file_that_cannot_be_read_back_is_not_called_the_whole() {
        let place = tempfile::tempdir().unwrap();
        let limits = limits(2, 3, Some(place.path()));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let captured = runtime.block_on(async {
            let mut capture = Capture::new(Stream::Stdout, &limits);
            capture.push(b"abcdefgh").await;
            assert!(capture.lend().await.is_some());
            for entry in fs_err::read_dir(place.path()).unwrap() {
                fs_err::remove_file(entry.unwrap().path()).unwrap();
            }
            capture.take_back(Lending::Whole).await;
            capture.finish().await
        });
        assert_eq!(captured.spill, None);
        assert!(captured.spill_error.unwrap().contains("stdout-"));
        assert_eq!(
            (&*captured.head, &*captured.tail),
            (&b"ab"[..], &b"fgh"[..])
        );
    }

    #[test]
    fn a_place_that_cannot_be_written_costs_the_file_only() {
        let captured = capture(&[b"abcdef"], &limits(1, 1, Some(Path::new("/dev/null/x"))));
        assert_eq!(captured.length, 6);
        assert!(captured.spill.is_none());
        assert!(captured.spill_error.unwrap().contains("/dev/null"));
    }
}
