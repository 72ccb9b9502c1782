//! The words after `run`: its own options, the tool's id, and after that the tool's
//! parameters, with more options between them.
//!
//! After `--` everything is a parameter, so that a tool may have one called `json`.

use std::ffi::OsString;
use std::time::Duration;

use clap::ValueEnum as _;
use toolroom_exec::executor::parameters::Given;

use crate::args::{Global, When};
use crate::failure::Failure;

/// What was written after `run`.
#[derive(Debug)]
pub struct Flags {
    pub id: Option<String>,
    pub help: bool,
    /// The options of every command, with those before `run`.
    pub global: Global,
    pub timeout: Option<Duration>,
    /// No environment may be made or changed.
    pub frozen: bool,
    pub env: Vec<(String, String)>,
    /// The value of `--params`.
    pub params: Option<String>,
    /// `--name` with its value, or without one.
    pub given: Vec<(String, Option<String>)>,
}

impl Flags {
    /// Sorts the words after `run`; `global` has the options before it.
    ///
    /// # Errors
    /// Fails for a word that is neither, and for an option whose value is missing, wrong
    /// or one too many.
    pub fn parse(words: Vec<OsString>, global: Global) -> Result<Self, Failure> {
        let mut flags = Self {
            id: None,
            help: false,
            global,
            timeout: None,
            frozen: false,
            env: Vec::new(),
            params: None,
            given: Vec::new(),
        };
        let mut only_parameters = false;
        let mut words = words.into_iter().map(text).peekable();
        while let Some(word) = words.next() {
            let word = word?;
            if word == "--" && !only_parameters {
                only_parameters = true;
                continue;
            }
            let (name, attached) = match word.split_once('=') {
                Some((name, value)) if name.starts_with('-') => {
                    (name.to_owned(), Some(value.to_owned()))
                }
                _ => (word.clone(), None),
            };
            let Some(parameter) = name
                .strip_prefix("--")
                .filter(|name| !name.is_empty())
                .or_else(|| short(&name))
            else {
                if flags.id.is_none() && !word.starts_with('-') {
                    flags.id = Some(word);
                    continue;
                }
                return Err(usage(format!("{word:?} belongs to no parameter")).help("parameters are written --name value (--name=-value where it begins with a dash), or all at once as --params '{…}'"));
            };
            if !only_parameters && flags.switch(parameter, attached.as_deref())? {
                continue;
            }
            let mut value = || -> Result<Option<String>, Failure> {
                if attached.is_some() {
                    return Ok(attached.clone());
                }
                let is_value = words
                    .peek()
                    .is_some_and(|next| next.as_ref().map_or(true, |next| is_value(next)));
                if is_value {
                    words.next().transpose()
                } else {
                    Ok(None)
                }
            };
            if only_parameters || !flags.own(parameter, &mut value)? {
                if flags.id.is_none() {
                    return Err(usage(format!("{name} comes before the id of a tool")).help("run's own options may; a tool's parameters come after its id: toolroom run ID --name value"));
                }
                let value = value()?;
                flags.given.push((parameter.to_owned(), value));
            }
        }
        if flags.global.quiet && flags.global.verbose {
            let message = "--quiet cannot be used with --verbose".to_owned();
            return Err(usage(message).help("leave one of them out"));
        }
        Ok(flags)
    }

    /// Takes an option of `run` itself that has no value; says whether it was one.
    fn switch(&mut self, name: &str, attached: Option<&str>) -> Result<bool, Failure> {
        let switch = match name {
            "help" => &mut self.help,
            "json" => &mut self.global.json,
            "quiet" => &mut self.global.quiet,
            "verbose" => &mut self.global.verbose,
            "frozen" => &mut self.frozen,
            _ => return Ok(false),
        };
        if attached.is_some() {
            return Err(usage(format!("--{name} takes no value"))
                .help(format!("a parameter called {name} comes after --")));
        }
        *switch = true;
        Ok(true)
    }

    /// Takes an option of `run` itself that has a value; says whether it was one.
    fn own(
        &mut self,
        name: &str,
        value: &mut dyn FnMut() -> Result<Option<String>, Failure>,
    ) -> Result<bool, Failure> {
        let mut needed = || value()?.ok_or_else(|| needs_value(name));
        match name {
            "color" => self.global.color = when(&needed()?)?,
            "project" => self.global.project = Some(needed()?.into()),
            "params" => self.params = Some(needed()?),
            "timeout" => self.timeout = Some(seconds(&needed()?)?),
            "env" => self.env.push(variable(&needed()?)?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn short(name: &str) -> Option<&'static str> {
    match name {
        "-h" => Some("help"),
        "-q" => Some("quiet"),
        "-v" => Some("verbose"),
        _ => None,
    }
}

/// A word that can be a value: also `-3` and `-`, but not another flag.
fn is_value(word: &str) -> bool {
    let is_number = word.parse::<f64>().is_ok();
    !word.starts_with('-') || word == "-" || is_number
}

fn text(word: OsString) -> Result<String, Failure> {
    word.into_string().map_err(|word| {
        usage(format!("{} is not UTF-8", word.display()))
            .help("pass such a value through a file: --params @FILE")
    })
}

fn when(text: &str) -> Result<When, Failure> {
    When::from_str(text, false).map_err(|_| {
        let known = When::value_variants().iter();
        let known = known.filter_map(When::to_possible_value);
        let known: Vec<String> = known.map(|value| value.get_name().to_owned()).collect();
        usage(format!("--color cannot be {text:?}"))
            .help(format!("it is one of {}", known.join(", ")))
    })
}

pub fn seconds(text: &str) -> Result<Duration, Failure> {
    let seconds = text
        .parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| {
            usage(format!(
                "--timeout {text} is not a number of seconds above zero"
            ))
            .help("write seconds without a unit, such as --timeout 30 or --timeout 0.5")
        })
}

fn variable(text: &str) -> Result<(String, String), Failure> {
    match text.split_once('=') {
        Some((name, value)) if is_variable(name) => Ok((name.to_owned(), value.to_owned())),
        _ => Err(usage("--env needs NAME=VALUE".to_owned())
            .help("such as --env GREETING=hello; --env GREETING= sets an empty one")),
    }
}

/// What is passed on but no program could ask for is a slip of the finger.
fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control())
}

fn needs_value(name: &str) -> Failure {
    usage(format!("--{name} needs a value")).help(format!(
        "write --{name} VALUE, or --{name}=VALUE where it begins with a dash"
    ))
}

pub fn usage(message: String) -> Failure {
    Failure::new("usage::bad_arguments", message)
}

/// Parameters that come as one JSON object.
pub mod params {
    use serde_json::Value;
    use toolroom_exec::executor::parameters::{Given, would_lose_digits};

    use super::usage;
    use crate::failure::Failure;
    use crate::input;

    /// How parameters are written, for who wrote them in another way.
    const FORM: &str = r#"write names and values as JSON: --params '{"name": "value"}'"#;
    /// The most that is read of them, as much as anything else that comes from outside.
    const LARGEST: u64 = 64 << 20;

    /// Reads `--params`: JSON itself, `@FILE`, or `-` for standard input.
    pub fn read(written: Option<String>) -> Result<Vec<(String, Given)>, Failure> {
        let Some(written) = written else {
            return Ok(Vec::new());
        };
        let text = match (written.as_str(), written.strip_prefix('@')) {
            ("-", _) => input::at_most(LARGEST, std::io::stdin().lock()).map_err(|error| {
                usage(format!("standard input cannot be read: {error}")).help(FORM)
            })?,
            // It may be a pipe: a shell's `<(…)` is one.
            (_, Some(file)) => std::fs::File::open(file)
                .and_then(|open| input::at_most(LARGEST, open))
                .map_err(|error| {
                    usage(format!("{file} cannot be read: {error}"))
                        .help("name a file that is there after the @, or - for standard input")
                })?,
            (json, None) => json.to_owned(),
        };
        let text = text.trim_start_matches('\u{feff}');
        if would_lose_digits(text) {
            return Err(
                usage("--params has a whole number beyond 64 bits".to_owned())
                    .help("pass it as a text, or it would lose digits"),
            );
        }
        match serde_json::from_str(text) {
            Ok(Value::Object(params)) => Ok(params
                .into_iter()
                .map(|(name, value)| (name, Given::Json(value)))
                .collect()),
            Ok(_) => Err(usage("--params is not a JSON object".to_owned()).help(FORM)),
            Err(error) => Err(usage(format!("--params is not JSON: {error}")).help(FORM)),
        }
    }
}

/// Parameters that come as flags.
pub mod given {
    use serde_json::Value;
    use toolroom_exec::executor::parameters::is_switch;

    use super::{Given, needs_value};
    use crate::failure::Failure;

    /// Gives every flag its meaning: a flag without a value is true, `--no-name` false.
    pub fn with_flags(
        given: Vec<(String, Option<String>)>,
        schema: Option<&Value>,
    ) -> Result<Vec<(String, Given)>, Failure> {
        given
            .into_iter()
            .map(|(name, value)| one(name, value, schema))
            .collect()
    }

    fn one(
        name: String,
        value: Option<String>,
        schema: Option<&Value>,
    ) -> Result<(String, Given), Failure> {
        let property = |name: &str| {
            let properties = schema?.get("properties")?;
            properties
                .get(name)
                .or_else(|| properties.get(name.replace('-', "_")))
        };
        let is_switch = |property: &Value| schema.is_some_and(|root| is_switch(property, root));
        match value {
            Some(value) => Ok((name, Given::Text(value))),
            None => match property(&name) {
                Some(known) if !is_switch(known) => Err(needs_value(&name)),
                Some(_) => Ok((name, Given::Flag(true))),
                None => match name
                    .strip_prefix("no-")
                    .filter(|positive| property(positive).is_some_and(is_switch))
                {
                    Some(positive) => Ok((positive.to_owned(), Given::Flag(false))),
                    None => Ok((name, Given::Flag(true))),
                },
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::flags::OWN;

    fn try_parse(words: &[&str]) -> Result<Flags, Failure> {
        let global = Global {
            project: None,
            json: false,
            quiet: false,
            verbose: false,
            color: When::Auto,
        };
        let words = ["tool"].iter().chain(words).map(OsString::from);
        Flags::parse(words.collect(), global)
    }

    fn parse(words: &[&str]) -> Flags {
        try_parse(words).unwrap()
    }

    #[test]
    fn options_of_run_and_parameters_are_told_apart() {
        let flags = parse(&[
            "--name",
            "Ada",
            "--json",
            "--timeout",
            "2.5",
            "--n=-3",
            "--loud",
            "--env",
            "A=b=c",
        ]);
        assert!(flags.global.json);
        assert_eq!(flags.timeout, Some(Duration::from_millis(2500)));
        assert_eq!(flags.env, [("A".to_owned(), "b=c".to_owned())]);
        let given: Vec<(&str, Option<&str>)> = flags
            .given
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_deref()))
            .collect();
        assert_eq!(
            given,
            [("name", Some("Ada")), ("n", Some("-3")), ("loud", None)]
        );
    }

    #[test]
    fn after_two_dashes_every_flag_is_a_parameter() {
        let flags = parse(&["--", "--json", "x"]);
        assert!(!flags.global.json);
        assert_eq!(flags.given, [("json".to_owned(), Some("x".to_owned()))]);
    }

    #[test]
    fn every_option_of_run_is_listed_as_its_own() {
        for name in OWN {
            let word = format!("--{name}");
            let value = match name {
                "color" => "never",
                "env" => "A=b",
                _ => "1",
            };
            let taken = [&[word.as_str()][..], &[&word, value]];
            let is_taken = |words: &&[&str]| try_parse(words).is_ok_and(|it| it.given.is_empty());
            assert!(taken.iter().any(is_taken), "{name}");
        }
    }

    #[test]
    fn a_negative_number_is_a_value_and_a_flag_is_not() {
        let flags = parse(&["--n", "-3", "--a", "--b"]);
        assert_eq!(flags.given[0].1.as_deref(), Some("-3"));
        assert_eq!(flags.given[1], ("a".to_owned(), None));
    }

    #[test]
    fn what_run_cannot_mean_is_refused() {
        let table = [
            (&["stray"][..], "\"stray\" belongs to no parameter"),
            (&["--color", "banana"], "--color cannot be \"banana\""),
            (&["--color"], "--color needs a value"),
            (&["--json=false"], "--json takes no value"),
            (&["-q=1"], "--quiet takes no value"),
            (&["--env", "A B=1"], "--env needs NAME=VALUE"),
            (&["--env", "=1"], "--env needs NAME=VALUE"),
            (&["-q", "-v"], "--quiet cannot be used with --verbose"),
        ];
        for (words, message) in table {
            let failure = try_parse(words).unwrap_err();
            assert_eq!(failure.code, "usage::bad_arguments");
            assert_eq!(failure.message, message);
        }
        assert_eq!(parse(&["--color", "never"]).global.color, When::Never);
    }
}
