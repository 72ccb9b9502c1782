//! Moves an output that nobody listens to straight into its file.
//!
//! It is done on a thread of its own, so that a slow disk holds up the tool and neither
//! its time limit nor anybody else's run. On Linux the bytes never come to us at all.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tokio::io::AsyncRead;

/// Where an output is poured to, and how much of it.
#[derive(Debug, Clone)]
pub(super) struct Reservoir {
    pub(super) file: Arc<File>,
    pub(super) room: u64,
    /// Counts bytes while they move, so that silence can be told from slowness.
    pub(super) activity: Arc<AtomicU64>,
}

/// What came of it. The source is given back unless it has ended.
#[derive(Debug)]
pub(super) struct Poured<S> {
    pub(super) rest: Option<S>,
    pub(super) fault: Option<io::Error>,
}

/// An output that may be able to pour itself.
pub(super) trait Source: AsyncRead + Unpin + Sized {
    const CAN_POUR: bool = false;

    /// Moves what comes until it ends, the room is filled or the file fails.
    async fn pour(self, _: Reservoir) -> Poured<Self> {
        Poured {
            rest: Some(self),
            fault: None,
        }
    }
}

#[cfg(windows)]
impl<S: AsyncRead + Unpin> Source for S {}

#[cfg(unix)]
mod unix {
    use std::io::{self, PipeReader, Write as _, pipe};
    use std::os::fd::OwnedFd;
    use std::sync::atomic::Ordering;

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    use tokio::net::unix::pipe::Receiver;

    use super::{Poured, Reservoir, Source};

    /// The most that is moved at a time.
    const STEP: usize = 1 << 20;

    impl Source for Receiver {
        const CAN_POUR: bool = true;

        async fn pour(self, reservoir: Reservoir) -> Poured<Self> {
            let source = match self.into_nonblocking_fd() {
                Ok(source) => source,
                Err(fault) => return gone(fault),
            };
            // While our end is open the thread goes on: it stops with this future.
            let (stop, _held) = match pipe() {
                Ok(ends) => ends,
                Err(fault) => return back(source, Some(fault)),
            };
            let moving = tokio::task::spawn_blocking(move || {
                let outcome = move_all(&source, &stop, &reservoir);
                (source, outcome)
            });
            match moving.await {
                Ok((_, Ok(true))) => Poured {
                    rest: None,
                    fault: None,
                },
                Ok((source, outcome)) => back(source, outcome.err()),
                Err(fault) => gone(io::Error::other(fault)),
            }
        }
    }

    fn back(source: OwnedFd, fault: Option<io::Error>) -> Poured<Receiver> {
        match Receiver::from_owned_fd(source) {
            Ok(source) => Poured {
                rest: Some(source),
                fault,
            },
            Err(fault) => gone(fault),
        }
    }

    fn gone(fault: io::Error) -> Poured<Receiver> {
        Poured {
            rest: None,
            fault: Some(fault),
        }
    }

    /// Whether the source has ended; else the room is filled, or the caller is gone.
    fn move_all(source: &OwnedFd, stop: &PipeReader, reservoir: &Reservoir) -> io::Result<bool> {
        let mut mover = Mover::new();
        let mut room = reservoir.room;
        while room > 0 {
            let step = usize::try_from(room).map_or(STEP, |room| room.min(STEP));
            match mover.step(source, reservoir, step) {
                Ok(0) => return Ok(true),
                Ok(count) => {
                    room = room.saturating_sub(count as u64);
                    reservoir
                        .activity
                        .fetch_add(count as u64, Ordering::Relaxed);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if !comes(source, stop)? {
                        return Ok(false);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    /// Waits for more; false if nobody waits for it any longer.
    fn comes(source: &OwnedFd, stop: &PipeReader) -> io::Result<bool> {
        let mut ready = [
            PollFd::new(source, PollFlags::IN),
            PollFd::new(stop, PollFlags::IN),
        ];
        match poll(&mut ready, None) {
            Ok(_) | Err(Errno::INTR) => Ok(ready[1].revents().is_empty()),
            Err(error) => Err(error.into()),
        }
    }

    /// Moves in the kernel where file and system can do that, else through a buffer.
    struct Mover {
        buffer: Option<Vec<u8>>,
    }

    impl Mover {
        fn new() -> Self {
            Self {
                buffer: (!cfg!(target_os = "linux")).then(Vec::new),
            }
        }

        fn step(&mut self, source: &OwnedFd, to: &Reservoir, most: usize) -> io::Result<usize> {
            #[cfg(target_os = "linux")]
            if self.buffer.is_none() {
                use rustix::pipe::{SpliceFlags, splice};
                let flags = SpliceFlags::NONBLOCK | SpliceFlags::MOVE;
                match splice(source, None, &*to.file, None, most, flags) {
                    Err(Errno::INVAL) => self.buffer = Some(Vec::new()),
                    moved => return moved.map_err(io::Error::from),
                }
            }
            let buffer = self.buffer.get_or_insert_default();
            buffer.resize(most, 0);
            let count = rustix::io::read(source, buffer.as_mut_slice())?;
            (&*to.file).write_all(&buffer[..count])?;
            Ok(count)
        }
    }

    #[cfg(test)]
    mod tests {
        use std::io::{Read as _, Seek as _};
        use std::sync::Arc;

        use super::*;

        fn pour(
            room: u64,
            feed: impl FnOnce(io::PipeWriter) + Send + 'static,
        ) -> (Poured<Receiver>, Vec<u8>) {
            let mut file = tempfile::tempfile().unwrap();
            let (reader, writer) = pipe().unwrap();
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            let poured = runtime.block_on(async {
                let source = Receiver::from_owned_fd(reader.into()).unwrap();
                let feeding = std::thread::spawn(move || feed(writer));
                let poured = source
                    .pour(Reservoir {
                        file: Arc::new(file.try_clone().unwrap()),
                        room,
                        activity: Arc::default(),
                    })
                    .await;
                feeding.join().unwrap();
                poured
            });
            let mut found = Vec::new();
            file.rewind().unwrap();
            file.read_to_end(&mut found).unwrap();
            (poured, found)
        }

        #[test]
        fn what_comes_in_pieces_is_whole_in_the_file() {
            let (poured, found) = pour(u64::MAX, |mut writer| {
                for piece in [&b"abc"[..], &[b'x'; 300_000], b"end"] {
                    writer.write_all(piece).unwrap();
                    std::thread::sleep(std::time::Duration::from_millis(5));
                }
            });
            assert!(poured.rest.is_none() && poured.fault.is_none());
            assert_eq!(found.len(), 300_006);
            assert!(found.starts_with(b"abcx") && found.ends_with(b"xend"));
        }

        #[test]
        fn a_filled_room_gives_the_source_back() {
            let (poured, found) = pour(5, |mut writer| writer.write_all(b"abcdefgh").unwrap());
            assert!(poured.rest.is_some() && poured.fault.is_none());
            assert_eq!(found, b"abcde");
        }
    }
}
