//! Calls a tool through a launcher, the way the executor does.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use serde_json::{Map, Value};
use toolroom_exec::call::Call;
use toolroom_exec::subprocess::{
    Channel, End, Event, Failure, Happening, Listener, Outcome, Reply, Stdin,
};

use crate::support::*;

/// A language as the tests know it.
#[derive(Debug, Clone, Copy)]
pub struct Language {
    pub interpreter: &'static str,
    /// What comes before the launcher.
    pub args: &'static [&'static str],
    pub launcher: &'static str,
    pub extension: &'static str,
}

/// What stands for the text of a tool's file, and a file that it reads beside that.
#[derive(Clone, Copy)]
pub struct Kept<'a> {
    pub text: &'a str,
    pub beside: (&'a str, &'a str),
}

/// What a request says.
pub struct Given<'a> {
    pub entry: &'a [String],
    pub order: &'a [String],
    pub params: Value,
    pub kept: Option<Kept<'a>>,
    /// Where below its temporary place the tool is.
    pub folder: &'a str,
}

pub struct Called {
    pub outcome: Outcome,
    pub events: Vec<Event>,
    /// Where the tool was.
    pub path: PathBuf,
    _place: tempfile::TempDir,
}

impl Called {
    pub fn result(&self) -> Value {
        serde_json::from_str(&self.raw()).unwrap()
    }

    /// The result's own text.
    pub fn raw(&self) -> String {
        match &self.outcome.reply {
            Some(Reply::Result(raw)) => raw.get().to_owned(),
            other => panic!("{other:?}, {}", text(&self.outcome.stderr)),
        }
    }

    pub fn failure(&self) -> &Failure {
        match &self.outcome.reply {
            Some(Reply::Failure(failure)) => failure,
            other => panic!("{other:?}, {}", text(&self.outcome.stderr)),
        }
    }

    pub fn stdout(&self) -> String {
        text(&self.outcome.stdout)
    }

    pub fn stderr(&self) -> String {
        text(&self.outcome.stderr)
    }
}

/// The launchers where they may be written next to: interpreters keep compiled forms. Each
/// text of theirs has a place of its own.
fn launchers() -> &'static Path {
    static COPY: OnceLock<PathBuf> = OnceLock::new();
    COPY.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core/launchers");
        let mut files = Vec::new();
        read_below(&source, Path::new(""), &mut files);
        files.sort();
        let mut hash = DefaultHasher::new();
        files.hash(&mut hash);
        let parent = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let copy = parent.join(format!("launchers-{:x}", hash.finish()));
        let beside = tempfile::tempdir_in(parent).unwrap();
        for (path, bytes) in files {
            let path = beside.path().join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, bytes).unwrap();
        }
        // Another process may have been faster.
        let _ = fs_err::rename(beside.path(), &copy);
        copy
    })
}

fn read_below(source: &Path, folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs_err::read_dir(source.join(folder))
        .unwrap()
        .map(Result::unwrap)
    {
        let path = folder.join(entry.file_name());
        match entry.path().is_dir() {
            true => read_below(source, &path, files),
            false => files.push((path, fs_err::read(entry.path()).unwrap())),
        }
    }
}

impl Language {
    /// Calls a tool of this source; none if the language is not installed.
    pub fn call(self, source: &str, params: Value) -> Option<Called> {
        self.call_on(Channel::Private, source, params)
    }

    pub fn call_on(self, channel: Channel, source: &str, params: Value) -> Option<Called> {
        let entry = ["main", "execute"].map(str::to_owned);
        let call = Given {
            kept: None,
            entry: &entry,
            order: &[],
            params,
            folder: "",
        };
        self.call_as(channel, source, call)
    }

    /// Calls a tool with everything a request may hold.
    pub fn call_as(self, channel: Channel, source: &str, given: Given<'_>) -> Option<Called> {
        let interpreter = interpreter(self.interpreter)?;
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join(given.folder);
        fs_err::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("my_tool.{}", self.extension));
        fs_err::write(&path, source).unwrap();
        fs_err::write(folder.join("helper.py"), "VALUE = 42\n").unwrap();
        if let Some((name, text)) = given.kept.map(|kept| kept.beside) {
            fs_err::write(folder.join(name), text).unwrap();
        }
        let launcher = launchers().join(self.launcher);
        let mut command = command(interpreter, self.args);
        command.args.push(launcher.into());
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interpreters");
        command.env.set("HOME", &cache);
        command.stdin = Stdin::Pipe;
        command.channel = channel;
        let params = match given.params {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        let call = Call {
            tool_path: &path,
            source: given.kept.map(|kept| kept.text),
            project_path: Some(Path::new("/the/project")),
            entry: given.entry,
            order: given.order,
            params: &params,
            argv: None,
        };
        let events = Arc::new(Mutex::new(Vec::new()));
        let ours = Arc::clone(&events);
        let mut how = within(30.0, 0.5);
        how.input = if self.launcher == "call.sh" {
            call.fields()
        } else {
            call.json()
        }
        .unwrap();
        how.live = Some(Listener::new(move |happening| {
            if let Happening::Event(event) = happening {
                ours.lock().unwrap().push(event.clone());
            }
        }));
        let outcome = run(&command, &how).unwrap();
        assert_ne!(outcome.end, End::TimedOut);
        let events = std::mem::take(&mut *events.lock().unwrap());
        Some(Called {
            outcome,
            events,
            path,
            _place: place,
        })
    }
}

pub fn progress(done: f64, total: Option<f64>, message: Option<&str>) -> Event {
    Event::Progress {
        done,
        total,
        message: message.map(str::to_owned),
    }
}

pub fn log(level: &str, message: &str) -> Event {
    Event::Log {
        level: level.to_owned(),
        message: message.to_owned(),
    }
}
