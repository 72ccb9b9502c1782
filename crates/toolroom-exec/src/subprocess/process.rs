//! One started process tree, from its first byte of input to its outcome.
//!
//! Input, both outputs and the channel are served at the same time, together with the
//! end, the time limit and the cancel handle. After the end the pipes get a bounded time
//! to run dry: a process that escaped may hold one open for ever.

use std::future::{Future, pending};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};

use super::cancel::{Cancel, Urgency};
use super::capture::{Capture, Lending};
use super::channel::Frames;
use super::command::{Channel, Command, Guard, Happening, Listener, Stream, Supervision};
use super::error::Error;
use super::outcome::Outcome;
use super::platform::{self, HAS_PRIVATE_CHANNEL, Input, Recall, Started, Tree};
use super::pour::{Poured, Reservoir, Source};
use crate::end::End;

/// How long a killed tree may take to be gone.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a pipe may stay silent after the end before it is given up.
const SILENCE: Duration = Duration::from_millis(300);
/// How long a pipe may go on after the end though it never falls silent.
const LONGEST_DRAIN: Duration = Duration::from_secs(2);

const SMALLEST_BUFFER: usize = 8 << 10;
const LARGEST_BUFFER: usize = 256 << 10;

/// A started tool that has not been given its input yet. Dropping it kills it.
#[derive(Debug)]
pub struct Process {
    command: Command,
    started: Started,
}

/// What comes from one output or the channel goes here.
struct Sink<'a> {
    live: Option<&'a Listener>,
    /// Counts bytes, so that silence can be told from slowness.
    activity: &'a Arc<AtomicU64>,
    target: Target<'a>,
}

enum Target<'a> {
    Capture(Stream, &'a mut Capture),
    Frames(&'a mut Frames),
}

impl Process {
    /// Starts a command; its program runs and waits for its input when this returns.
    pub async fn start(command: &Command, guard: &Guard) -> Result<Self, Error> {
        let mut process = Self::start_ahead(command, guard).await?;
        process.started.recall = None;
        Ok(process)
    }

    /// Starts a command long before it has its input, so that it may end in between; see
    /// [`Self::finish_if_taken`].
    pub async fn start_ahead(command: &Command, guard: &Guard) -> Result<Self, Error> {
        Ok(Self {
            command: command.clone(),
            started: platform::start(command, guard).await?,
        })
    }

    /// Whether a spare process still waits for its call, as far as is known.
    pub fn is_running(&mut self) -> bool {
        self.started.tree.is_running()
    }

    /// Feeds the process, hears it out and sees it end.
    pub async fn finish(self, how: &Supervision, cancel: &Cancel) -> Result<Outcome, Error> {
        self.hear_out(how, cancel, &AtomicU64::new(0)).await
    }

    /// As [`Self::finish`] for what was started ahead. None if it ended by itself with
    /// neither an answer nor a single byte of its input: then nothing has begun, and the
    /// call may be made again. Its input was taken back, so that nobody can come to it.
    pub async fn finish_if_taken(
        mut self,
        how: &Supervision,
        cancel: &Cancel,
    ) -> Result<Option<Outcome>, Error> {
        let recall = self.started.recall.take();
        let fed = AtomicU64::new(0);
        let finished = self.hear_out(how, cancel, &fed).await;
        let may_be_made_again = match &finished {
            Ok(outcome) => outcome.reply.is_none() && outcome.end == End::Itself,
            Err(error) => matches!(error, Error::GuardLost { .. }),
        };
        let back = recall.filter(|_| may_be_made_again).map(Recall::take);
        match back {
            Some(Ok(back)) if back == fed.into_inner() && !how.input.is_empty() => Ok(None),
            _ => finished.map(Some),
        }
    }

    /// Counts in `fed` how much of the input went into the pipe.
    async fn hear_out(
        self,
        how: &Supervision,
        cancel: &Cancel,
        fed: &AtomicU64,
    ) -> Result<Outcome, Error> {
        let begun = Instant::now();
        let Self { command, started } = self;
        let mut stdout = Capture::new(Stream::Stdout, &how.capture);
        let mut stderr = Capture::new(Stream::Stderr, &how.capture);
        let mut frames = Frames::new(how.capture.frame);
        let mut tree = started.tree;
        let activity = Arc::new(AtomicU64::new(0));
        let sink = |target| Sink {
            live: how.live.as_ref(),
            activity: &activity,
            target,
        };
        let end = {
            let (out, channel) = if speaks_on_stdout(&command) {
                (Target::Frames(&mut frames), None)
            } else {
                let out = Target::Capture(Stream::Stdout, &mut stdout);
                (out, Some(sink(Target::Frames(&mut frames))))
            };
            let err = Target::Capture(Stream::Stderr, &mut stderr);
            let pipes = async {
                tokio::join!(
                    feed(started.stdin, &how.input, fed),
                    drain(Some(started.stdout), Some(sink(out))),
                    drain(Some(started.stderr), Some(sink(err))),
                    drain(started.channel, channel),
                );
            };
            both(pin!(pipes), supervise(&mut tree, how, cancel), &activity).await
        };
        let exit = tree.exit();
        if exit.is_none() && end == End::Itself {
            return Err(Error::GuardLost {
                program: command.program,
            });
        }
        Ok(Outcome {
            end,
            exit,
            stdout: stdout.finish().await,
            stderr: stderr.finish().await,
            reply: frames.finish(),
            duration: begun.elapsed(),
        })
    }
}

fn speaks_on_stdout(command: &Command) -> bool {
    match command.channel {
        Channel::None => false,
        Channel::Private => !HAS_PRIVATE_CHANNEL,
        Channel::Output => true,
    }
}

/// Serves the pipes until the tree has ended, and then until they are dry or silent.
async fn both<P: Future<Output = ()>>(
    mut pipes: Pin<&mut P>,
    ending: impl Future<Output = End>,
    activity: &AtomicU64,
) -> End {
    let mut ending = pin!(ending);
    let mut dry = false;
    let end = loop {
        tokio::select! {
            end = &mut ending => break end,
            () = &mut pipes, if !dry => dry = true,
        }
    };
    let deadline = Instant::now() + LONGEST_DRAIN;
    while !dry && Instant::now() < deadline {
        let before = activity.load(Ordering::Relaxed);
        dry = timeout(SILENCE, &mut pipes).await.is_ok()
            || before == activity.load(Ordering::Relaxed);
    }
    end
}

/// Waits for the end, and brings it about when time is up or the caller wishes so.
async fn supervise(tree: &mut Tree, how: &Supervision, cancel: &Cancel) -> End {
    let end = tokio::select! {
        biased;
        () = tree.ended() => return End::Itself,
        () = cancel.reached(Urgency::Stop) => End::Cancelled,
        () = after(how.timeout) => End::TimedOut,
    };
    if how.grace > Duration::ZERO {
        tree.terminate();
        tokio::select! {
            biased;
            () = tree.ended() => return end,
            () = cancel.reached(Urgency::Kill) => {}
            () = sleep(how.grace) => {}
        }
    }
    tree.kill();
    if timeout(PATIENCE, tree.ended()).await.is_err() {
        // The guard was stopped again and again, or waits for what not even a kill ends.
        tree.take_over().await;
    }
    end
}

async fn after(limit: Option<Duration>) {
    match limit {
        Some(limit) => sleep(limit).await,
        None => pending().await,
    }
}

/// Writes the input and closes it. A tool may well end without having read it.
async fn feed(stdin: Option<Input>, mut input: &[u8], fed: &AtomicU64) {
    let Some(mut stdin) = stdin else { return };
    while !input.is_empty()
        && let Ok(count @ 1..) = stdin.write(input).await
    {
        fed.fetch_add(count as u64, Ordering::Relaxed);
        input = &input[count..];
    }
    let _ = stdin.shutdown().await;
}

async fn drain<S: Source>(source: Option<S>, sink: Option<Sink<'_>>) {
    let (Some(mut source), Some(mut sink)) = (source, sink) else {
        return;
    };
    let mut buffer = Vec::with_capacity(SMALLEST_BUFFER);
    while let Ok(count @ 1..) = source.read_buf(&mut buffer).await {
        sink.take(&buffer).await;
        if S::CAN_POUR
            && let Some(reservoir) = sink.reservoir().await
        {
            let poured = source.pour(reservoir).await;
            match sink.resume(poured).await {
                Some(rest) => source = rest,
                None => return,
            }
        }
        if count == buffer.capacity() && count < LARGEST_BUFFER {
            buffer = Vec::with_capacity(LARGEST_BUFFER);
        }
        buffer.clear();
    }
}

impl Sink<'_> {
    /// Where an output goes that fills its file and that nobody hears.
    async fn reservoir(&mut self) -> Option<Reservoir> {
        let Target::Capture(_, capture) = &mut self.target else {
            return None;
        };
        if self.live.is_some() || !capture.is_spilling() {
            return None;
        }
        let (file, room) = capture.lend().await?;
        Some(Reservoir {
            file,
            room,
            activity: Arc::clone(self.activity),
        })
    }

    /// Goes on with what was not poured, if there is more to come.
    async fn resume<S>(&mut self, poured: Poured<S>) -> Option<S> {
        if let Target::Capture(_, capture) = &mut self.target {
            let end = match (poured.fault, &poured.rest) {
                (Some(fault), _) => Lending::Failed(fault),
                (None, Some(_)) => Lending::Full,
                (None, None) => Lending::Whole,
            };
            capture.take_back(end).await;
        }
        poured.rest
    }

    async fn take(&mut self, bytes: &[u8]) {
        self.activity
            .fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let hear = |happening: Happening<'_>| {
            if let Some(live) = self.live {
                live.hear(happening);
            }
        };
        match &mut self.target {
            Target::Capture(stream, capture) => {
                hear(Happening::Output(*stream, bytes));
                capture.push(bytes).await;
            }
            Target::Frames(frames) => frames.push(bytes, |event| hear(Happening::Event(event))),
        }
    }
}
