//! The environment as text a shell can evaluate. Secrets are not hidden here: the shell
//! is to have them. Values arrive to the byte, and nothing in them is ever evaluated.

use std::ffi::OsStr;
use std::fmt::Write as _;

use toolroom_kernel::resolve::{Origin, Resolution};

use crate::args::EvalShell;

/// What a shell is to evaluate.
#[derive(Debug, Default)]
pub struct Script {
    pub text: String,
    /// Variables that programs may have and this shell cannot set.
    pub left_out: Vec<String>,
}

/// Sets and unsets what differs from the caller's own environment.
pub fn script(shell: EvalShell, resolution: &Resolution) -> Script {
    let mut script = Script::default();
    for (name, value, origin) in resolution.env.iter() {
        if *origin == Origin::Process {
            continue;
        }
        match name.to_str() {
            Some(name) if can_set(shell, name) && can_hold(shell, value) => {
                set(&mut script.text, shell, name, value);
            }
            _ => script.left_out.push(name.display().to_string()),
        }
    }
    for name in resolution.env.unset().filter(|name| can_set(shell, name)) {
        let text = &mut script.text;
        let _ = match shell {
            EvalShell::Bash | EvalShell::Zsh => writeln!(text, "unset {name}"),
            EvalShell::Fish => writeln!(text, "set -e {name}"),
            EvalShell::Pwsh => {
                writeln!(text, "Remove-Item Env:{name} -ErrorAction SilentlyContinue")
            }
        };
    }
    script
}

fn set(text: &mut String, shell: EvalShell, name: &str, value: &OsStr) {
    let _ = match shell {
        EvalShell::Bash | EvalShell::Zsh => writeln!(text, "export {name}={}", posix(value)),
        EvalShell::Fish if name == "PATH" => {
            let parts: Vec<String> = std::env::split_paths(value)
                .map(|part| fish(part.as_os_str()))
                .collect();
            writeln!(text, "set -gx PATH {}", parts.join(" "))
        }
        EvalShell::Fish => writeln!(text, "set -gx {name} {}", fish(value)),
        EvalShell::Pwsh => writeln!(text, "$Env:{name} = {}", pwsh(value)),
    };
}

/// For bash and zsh. Text is quoted as every POSIX shell has it; only bytes that are no
/// text need more than that.
fn posix(value: &OsStr) -> String {
    quoted(
        value,
        |text| format!("'{}'", text.replace('\'', r"'\''")),
        |byte| format!(r"$'\{byte:03o}'"),
    )
}

fn fish(value: &OsStr) -> String {
    quoted(
        value,
        |text| format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'")),
        |byte| format!(r"\X{byte:02x}"),
    )
}

/// A value in pieces: text as the shell quotes it, and each byte that is no text.
fn quoted(value: &OsStr, text: fn(&str) -> String, byte: fn(&u8) -> String) -> String {
    if value.is_empty() {
        return text("");
    }
    let mut all = String::new();
    for chunk in value.as_encoded_bytes().utf8_chunks() {
        if !chunk.valid().is_empty() {
            all.push_str(&text(chunk.valid()));
        }
        all.extend(chunk.invalid().iter().map(byte));
    }
    all
}

/// PowerShell ends a text at typographic quotes as well; each is doubled.
fn pwsh(value: &OsStr) -> String {
    let mut all = String::from("'");
    for char in value.to_string_lossy().chars() {
        if matches!(char, '\'' | '\u{2018}'..='\u{201b}') {
            all.push(char);
        }
        all.push(char);
    }
    all.push('\'');
    all
}

/// PowerShell has texts alone: another value than the one that is meant is none.
fn can_hold(shell: EvalShell, value: &OsStr) -> bool {
    !matches!(shell, EvalShell::Pwsh) || value.to_str().is_some()
}

/// Shells cannot set every name the system can, and some are their own: setting one ends
/// the evaluation, changes whom the shell runs as, or what it runs before the next prompt.
fn can_set(shell: EvalShell, name: &str) -> bool {
    let is_own = match shell {
        EvalShell::Bash => BASH.contains(&name),
        EvalShell::Zsh => ZSH.contains(&name),
        EvalShell::Fish => FISH.contains(&name) || name.starts_with("fish_"),
        EvalShell::Pwsh => false,
    };
    let starts_well = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    starts_well && name.chars().all(is_name) && !is_own
}

#[rustfmt::skip]
const BASH: &[&str] = &[
    "BASHOPTS", "BASH_VERSINFO", "EUID", "IFS", "PPID", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS3", "PS4",
    "SHELLOPTS", "UID",
];
#[rustfmt::skip]
const ZSH: &[&str] = &[
    "ARGC", "EGID", "ERRNO", "EUID", "FPATH", "GID", "HISTCMD", "IFS", "LINENO", "MODULE_PATH", "NULLCMD",
    "PPID", "PROMPT", "PROMPT2", "PROMPT3", "PROMPT4", "PS1", "PS2", "PS3", "PS4", "READNULLCMD", "RPROMPT",
    "RPROMPT2", "RPS1", "RPS2", "SPROMPT", "TTYIDLE", "UID", "USERNAME", "ZSH_EVAL_CONTEXT", "ZSH_SUBSHELL",
    "aliases", "argv", "builtins", "cdpath", "commands", "dirstack", "fignore", "fpath", "functions",
    "history", "keymaps", "mailpath", "manpath", "module_path", "modules", "nameddirs", "options",
    "parameters", "path", "pipestatus", "prompt", "psvar", "signals", "status", "termcap", "terminfo",
    "userdirs", "usergroups", "watch", "widgets", "zsh_eval_context",
];
#[rustfmt::skip]
const FISH: &[&str] = &[
    "FISH_VERSION", "PWD", "SHLVL", "_", "history", "hostname", "pipestatus", "status", "status_generation",
    "umask", "version",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// There is no PowerShell to try it in where this is tested.
    #[test]
    fn no_quote_ends_a_text_of_powershell() {
        assert_eq!(pwsh(OsStr::new("it's")), "'it''s'");
        let hostile = OsStr::new("a\u{2019}; calc \u{2018}\u{201a}\u{201b}$x`\n");
        let quoted =
            "'a\u{2019}\u{2019}; calc \u{2018}\u{2018}\u{201a}\u{201a}\u{201b}\u{201b}$x`\n'";
        assert_eq!(pwsh(hostile), quoted);
        assert_eq!(pwsh(OsStr::new("")), "''");
    }
}
