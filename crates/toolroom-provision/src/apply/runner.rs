//! Runs the commands of a plan: offline first where that is a way, then with the network.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolroom_exec::subprocess::{
    Cancel, Command, End, Exit, Guard, Happening, Listener, Outcome, Supervision, run_blocking,
};
use toolroom_kernel::World;
use toolroom_kernel::model::Environ;

use super::listen::Heard;
use super::said::Said;
use crate::error::ProvisionError;
use crate::manager::{Argv, Choice, Facts, fill_text};
use crate::plan::{Interpreter, Step};
use crate::redaction::Redaction;

/// Runs commands for one environment.
pub struct Runner<'r> {
    pub world: &'r World,
    pub guard: &'r Guard,
    pub cancel: &'r Cancel,
    pub choice: &'r Choice,
    pub root: &'r Path,
    pub environment: &'r Path,
    pub manifest: Option<&'r PathBuf>,
    /// What the packages are for: its folder comes first on PATH.
    pub interpreter: Option<&'r Interpreter>,
    pub offline: bool,
}

impl Runner<'_> {
    /// Runs a step to its end.
    ///
    /// # Errors
    /// Fails with the end of what the command said.
    pub fn run(&self, step: &Step, heard: &Heard) -> Result<(), ProvisionError> {
        let commands = &self.choice.commands;
        let offline = commands.offline.as_ref().filter(|_| step.asks_network);
        let with_flag = |flag: &str| {
            let mut argv = step.argv.clone();
            argv.push(flag.to_owned());
            argv
        };
        if let Some(offline) = offline.filter(|offline| offline.first && !self.offline) {
            // What it says if it fails is no news: the network is asked next.
            let aside = Heard::default();
            let outcome = self.start(&with_flag(&offline.flag), true, Some(&aside))?;
            if outcome.success() {
                super::lock(heard).append(&mut super::lock(&aside));
                return Ok(());
            }
            self.interrupted(&outcome)?;
        }
        let argv = match offline {
            Some(offline) if self.offline => with_flag(&offline.flag),
            _ => step.argv.clone(),
        };
        let outcome = self.start(&argv, self.offline, Some(heard))?;
        if outcome.success() {
            return Ok(());
        }
        self.interrupted(&outcome)?;
        Err(self.failed(step, &outcome))
    }

    /// Whether a command ends with status zero.
    pub fn succeeds(&self, argv: &Argv) -> bool {
        self.start(argv, self.offline, None)
            .is_ok_and(|outcome| outcome.success())
    }

    fn interrupted(&self, outcome: &Outcome) -> Result<(), ProvisionError> {
        if outcome.end == End::Cancelled {
            return Err(ProvisionError::Interrupted {
                environment: self.environment.to_path_buf(),
            });
        }
        Ok(())
    }

    fn failed(&self, step: &Step, outcome: &Outcome) -> ProvisionError {
        let program = Path::new(&step.argv[0])
            .file_name()
            .unwrap_or_default()
            .display()
            .to_string();
        let status = match outcome.exit {
            Some(Exit::Code(code)) => format!("ended with status {code}"),
            Some(Exit::Signal(signal)) => format!("was ended by signal {signal}"),
            None => "did not end well".to_owned(),
        };
        let outputs = [outcome.stderr.text().text, outcome.stdout.text().text];
        let outputs = outputs.each_ref().map(AsRef::as_ref);
        ProvisionError::Failed {
            environment: self.environment.to_path_buf(),
            reason: format!("{program} {status} ({})", step.what),
            said: Said::of(&outputs, &Redaction::of(self.world)),
        }
    }

    fn start(
        &self,
        argv: &Argv,
        offline: bool,
        heard: Option<&Heard>,
    ) -> Result<Outcome, ProvisionError> {
        let failed = |reason: String| ProvisionError::Failed {
            environment: self.environment.to_path_buf(),
            reason,
            said: None,
        };
        let (program, args) = argv
            .split_first()
            .ok_or_else(|| failed("a command is empty".to_owned()))?;
        let mut command = Command::new(program, self.root);
        command.args = args.iter().map(Into::into).collect();
        command.env = self.env(offline)?;
        let mut how = Supervision::new();
        if let Some(heard) = heard {
            let heard = Arc::clone(heard);
            how.live = Some(Listener::new(move |happening| {
                if let Happening::Output(_, bytes) = happening
                    && let Ok(mut buffer) = heard.lock()
                {
                    buffer.extend_from_slice(bytes);
                }
            }));
        }
        run_blocking(&command, &how, self.guard, self.cancel)
            .map_err(|error| failed(error.to_string()))
    }

    /// The process environment with what the manager sets and unsets.
    fn env(&self, offline: bool) -> Result<Environ, ProvisionError> {
        let commands = &self.choice.commands;
        let locked = self
            .choice
            .lockfile
            .iter()
            .flat_map(|_| &commands.locked_env);
        let offline = commands.offline_env.iter().filter(|_| offline);
        let mut facts = Facts::new(self.world, self.root);
        facts.path("environment", self.environment);
        if let Some(manifest) = self.manifest {
            facts.path("manifest", manifest);
        }
        let mut env = self.world.env.clone();
        let folder = self.interpreter.and_then(|found| found.path.parent());
        if let Some(folder) = folder {
            let usual = env.get_os("PATH").unwrap_or_default();
            let folders = std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(usual));
            if let Ok(path) = std::env::join_paths(folders) {
                env.set("PATH", path);
            }
        }
        for (name, value) in commands.env.iter().chain(locked).chain(offline) {
            match value {
                None => {
                    env.remove(name);
                }
                Some(text) => {
                    let value =
                        fill_text(text, &facts).map_err(|error| ProvisionError::BadManager {
                            name: self.choice.tool.clone(),
                            path: PathBuf::from(&self.choice.tool),
                            reason: error.to_string(),
                        })?;
                    env.set(name, value);
                }
            }
        }
        Ok(env)
    }
}
