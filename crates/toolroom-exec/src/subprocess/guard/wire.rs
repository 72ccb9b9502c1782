//! What passes between us and a guard: one order there, notices back.
//!
//! Everything in an order is free of NUL by the system's own rules for arguments,
//! variables and paths, so NUL separates its fields and bytes pass untouched.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use crate::subprocess::command::{Channel, Command, Limit, Limits};
use crate::subprocess::orphans::Mark;

/// The most an order may hold; the system takes a few megabytes of arguments at most.
const LARGEST: u64 = 64 << 20;

/// The request to end the leader's group in an orderly way.
pub(crate) const TERMINATE: u8 = b'T';
/// The request to kill the tree.
pub(crate) const KILL: u8 = b'K';

/// The length that comes before an order, with the passed descriptors.
pub(crate) const PREFIX: usize = 8;

/// Why a command cannot be written as an order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unpassable(pub(crate) String);

/// A command as a guard receives it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) cwd: PathBuf,
    pub(crate) limits: Limits,
    pub(crate) mark: Mark,
    pub(crate) channel: bool,
}

/// Writes a command with its length in front.
pub(crate) fn encode(command: &Command, mark: Mark) -> Result<Vec<u8>, Unpassable> {
    let mut bytes = vec![0; PREFIX];
    push(&mut bytes, "the working directory", command.cwd.as_os_str())?;
    push(&mut bytes, "the path", command.program.as_os_str())?;
    for number in numbers(&command.limits) {
        let text = number.map_or_else(String::new, |number| number.to_string());
        push(&mut bytes, "a limit", OsStr::new(&text))?;
    }
    push(&mut bytes, "the mark", OsStr::new(&mark.0.to_string()))?;
    let channel = if command.channel == Channel::Private {
        "1"
    } else {
        ""
    };
    push(&mut bytes, "the channel", OsStr::new(channel))?;
    push(
        &mut bytes,
        "the arguments",
        OsStr::new(&command.args.len().to_string()),
    )?;
    for (index, argument) in command.args.iter().enumerate() {
        push(&mut bytes, &format!("argument {}", index + 1), argument)?;
    }
    for (name, value) in command.env.iter() {
        let what = format!("the variable `{}`", name.display());
        if name.is_empty() || name.as_bytes().contains(&b'=') {
            return Err(Unpassable(what));
        }
        push(&mut bytes, &what, name)?;
        push(&mut bytes, &what, value)?;
    }
    let length = (bytes.len() - PREFIX) as u64;
    if length > LARGEST {
        return Err(Unpassable(format!(
            "{length} bytes of arguments and variables"
        )));
    }
    bytes[..PREFIX].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

fn push(bytes: &mut Vec<u8>, what: &str, value: &OsStr) -> Result<(), Unpassable> {
    if value.as_bytes().contains(&0) {
        return Err(Unpassable(what.to_owned()));
    }
    bytes.extend_from_slice(value.as_bytes());
    bytes.push(0);
    Ok(())
}

fn numbers(limits: &Limits) -> [Option<i128>; 7] {
    [
        limits.memory.map(i128::from),
        limits.cpu_seconds.map(i128::from),
        limits.open_files.map(i128::from),
        limits.processes.map(i128::from),
        limits.file_size.map(i128::from),
        limits.umask.map(i128::from),
        limits.nice.map(i128::from),
    ]
}

/// The length that a prefix announces, unless it is more than any order has.
pub(crate) fn length(prefix: [u8; PREFIX]) -> Option<usize> {
    let length = u64::from_le_bytes(prefix);
    (length <= LARGEST).then(|| usize::try_from(length).ok())?
}

/// Reads what `encode` wrote, without its prefix; anything else is no order.
pub(crate) fn decode(bytes: &[u8]) -> Option<Order> {
    let mut fields = bytes.strip_suffix(&[0])?.split(|byte| *byte == 0);
    let cwd = path(fields.next()?);
    let program = path(fields.next()?);
    let limits = Limits {
        memory: number(fields.next()?)?,
        cpu_seconds: number(fields.next()?)?,
        open_files: number(fields.next()?)?,
        processes: number(fields.next()?)?,
        file_size: number(fields.next()?)?,
        umask: number(fields.next()?)?,
        nice: number(fields.next()?)?,
    };
    let mark = Mark(number(fields.next()?)??);
    let channel = fields.next()? == b"1";
    let count: usize = number(fields.next()?)??;
    let args: Vec<_> = fields.by_ref().take(count).map(text).collect();
    if args.len() != count {
        return None;
    }
    let mut env = Vec::new();
    while let Some(name) = fields.next() {
        env.push((text(name), text(fields.next()?)));
    }
    Some(Order {
        program,
        args,
        env,
        cwd,
        limits,
        mark,
        channel,
    })
}

fn text(field: &[u8]) -> OsString {
    OsString::from_vec(field.to_vec())
}

fn path(field: &[u8]) -> PathBuf {
    text(field).into()
}

/// An empty field is no number; a field that is neither is no order.
fn number<N: std::str::FromStr>(field: &[u8]) -> Option<Option<N>> {
    if field.is_empty() {
        return Some(None);
    }
    std::str::from_utf8(field).ok()?.parse().ok().map(Some)
}

/// What a guard has to say, one line each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notice {
    /// The tool's number, and the guard's own.
    Started {
        pid: i32,
        guard: i32,
    },
    NoCwd {
        errno: i32,
    },
    NoLimit {
        limit: Limit,
        errno: i32,
    },
    NotStarted {
        errno: i32,
    },
    Exited {
        code: i32,
    },
    Signalled {
        signal: i32,
    },
    /// Nothing of the tree is left.
    Over,
}

impl Notice {
    pub(crate) fn line(self) -> String {
        match self {
            Self::Started { pid, guard } => format!("started {pid} {guard}\n"),
            Self::NoCwd { errno } => format!("no-cwd {errno}\n"),
            Self::NoLimit { limit, errno } => format!("no-{} {errno}\n", limit.name()),
            Self::NotStarted { errno } => format!("not-started {errno}\n"),
            Self::Exited { code } => format!("exited {code}\n"),
            Self::Signalled { signal } => format!("signalled {signal}\n"),
            Self::Over => "over\n".to_owned(),
        }
    }

    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let word = words.next()?;
        if word == "over" {
            return Some(Self::Over);
        }
        let number = words.next()?.parse().ok()?;
        match word {
            "started" => Some(Self::Started {
                pid: number,
                guard: words.next()?.parse().ok()?,
            }),
            "no-cwd" => Some(Self::NoCwd { errno: number }),
            "not-started" => Some(Self::NotStarted { errno: number }),
            "exited" => Some(Self::Exited { code: number }),
            "signalled" => Some(Self::Signalled { signal: number }),
            other => {
                let name = other.strip_prefix("no-")?;
                let limit = Limit::ALL.into_iter().find(|limit| limit.name() == name)?;
                Some(Self::NoLimit {
                    limit,
                    errno: number,
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn command(args: &[&[u8]], env: &[(&[u8], &[u8])]) -> Command {
        let mut command = Command::new("/bin/x", "/tmp");
        command.args = args.iter().map(|arg| text(arg)).collect();
        command.env = env
            .iter()
            .map(|(name, value)| (text(name), text(value)))
            .collect();
        command
    }

    #[test]
    fn an_order_arrives_as_it_was_given() {
        let mut sent = command(
            &[b"", b"a b", b"\xff\xfe", b"\n"],
            &[(b"A", b""), (b"B", b"x=\xff")],
        );
        sent.limits.memory = Some(1 << 40);
        sent.limits.nice = Some(-5);
        sent.channel = Channel::Private;
        let mark = Mark::new();
        let bytes = encode(&sent, mark).unwrap();
        let order = decode(&bytes[PREFIX..]).unwrap();
        assert_eq!(order.args, sent.args);
        assert_eq!(order.limits, sent.limits);
        assert_eq!(order.mark, mark);
        assert!(order.channel);
        assert_eq!(order.env.len(), 2);
        assert_eq!(order.env[1].1, text(b"x=\xff"));
    }

    #[test]
    fn what_no_process_can_take_is_named() {
        let unpassable = |command: &Command| encode(command, Mark::new()).unwrap_err().0;
        assert_eq!(unpassable(&command(&[b"a", b"b\0c"], &[])), "argument 2");
        assert_eq!(
            unpassable(&command(&[], &[(b"A=B", b"")])),
            "the variable `A=B`"
        );
        assert_eq!(
            unpassable(&command(&[], &[(b"A", b"\0")])),
            "the variable `A`"
        );
    }

    #[test]
    fn a_notice_reads_back() {
        let notices = [
            Notice::Started { pid: 7, guard: 6 },
            Notice::Over,
            Notice::NoCwd { errno: 2 },
            Notice::NotStarted { errno: 13 },
            Notice::Exited { code: 0 },
            Notice::Signalled { signal: 9 },
        ];
        let refused = Limit::ALL.map(|limit| Notice::NoLimit { limit, errno: 1 });
        for notice in notices.into_iter().chain(refused) {
            assert_eq!(Notice::parse(&notice.line()), Some(notice));
        }
    }

    proptest! {
        #[test]
        fn no_bytes_upset_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&bytes);
        }
    }
}
