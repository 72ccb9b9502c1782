//! The environment as text a shell can evaluate. Secrets are not hidden here: the shell
//! is to have them.

use std::ffi::OsStr;
use std::fmt::Write as _;

use toolroom_kernel::resolve::{Origin, Resolution};

use crate::args::EvalShell;

/// Sets and unsets what differs from the caller's own environment.
pub fn script(shell: EvalShell, resolution: &Resolution) -> String {
    let mut text = String::new();
    for (name, value, origin) in resolution.env.iter() {
        if *origin != Origin::Process && is_name(name) {
            set(
                &mut text,
                shell,
                &name.to_string_lossy(),
                &value.to_string_lossy(),
            );
        }
    }
    for name in resolution
        .env
        .unset()
        .filter(|name| is_name(OsStr::new(name)))
    {
        let _ = match shell {
            EvalShell::Bash | EvalShell::Zsh => writeln!(text, "unset {name}"),
            EvalShell::Fish => writeln!(text, "set -e {name}"),
            EvalShell::Pwsh => {
                writeln!(text, "Remove-Item Env:{name} -ErrorAction SilentlyContinue")
            }
        };
    }
    text
}

fn set(text: &mut String, shell: EvalShell, name: &str, value: &str) {
    let _ = match shell {
        EvalShell::Bash | EvalShell::Zsh => {
            writeln!(text, "export {name}='{}'", value.replace('\'', r"'\''"))
        }
        EvalShell::Fish if name == "PATH" => {
            let parts: Vec<String> = std::env::split_paths(value)
                .map(|part| fish(&part.to_string_lossy()))
                .collect();
            writeln!(text, "set -gx PATH {}", parts.join(" "))
        }
        EvalShell::Fish => writeln!(text, "set -gx {name} {}", fish(value)),
        EvalShell::Pwsh => writeln!(text, "$Env:{name} = '{}'", value.replace('\'', "''")),
    };
}

fn fish(value: &str) -> String {
    format!("'{}'", value.replace('\\', r"\\").replace('\'', r"\'"))
}

/// Shells cannot set every name the system can.
fn is_name(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    let starts_well = bytes
        .first()
        .is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_');
    starts_well
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}
