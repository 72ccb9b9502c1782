//! `pyvenv.cfg`: not INI; one `key = value` per line, keys in any case.

use std::io::Read;
use std::path::{Path, PathBuf};

const MAX_BYTES: u64 = 64 << 10;

/// The parts of a `pyvenv.cfg` that say what an environment is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Config {
    pub home: Option<PathBuf>,
    pub version: Option<String>,
    pub implementation: Option<String>,
    pub system_site_packages: bool,
    pub base_prefix: Option<PathBuf>,
}

impl Config {
    pub fn read(path: &Path) -> std::io::Result<Self> {
        let mut bytes = Vec::new();
        fs_err::File::open(path)?
            .take(MAX_BYTES)
            .read_to_end(&mut bytes)?;
        Ok(Self::parse(&String::from_utf8_lossy(&bytes)))
    }

    fn parse(text: &str) -> Self {
        let mut config = Self::default();
        let mut version_info = None;
        for line in text.trim_start_matches('\u{feff}').lines() {
            let Some((key, value)) = line.split_once('=') else {
                continue;
            };
            let value = value.trim();
            match key.trim().to_ascii_lowercase().as_str() {
                "home" if !value.is_empty() => config.home = Some(PathBuf::from(value)),
                "version" => config.version = release(value),
                "version_info" => version_info = release(value),
                "implementation" => config.implementation = Some(value.to_owned()),
                "base-prefix" => config.base_prefix = Some(PathBuf::from(value)),
                "include-system-site-packages" => {
                    config.system_site_packages = value.eq_ignore_ascii_case("true");
                }
                _ => {}
            }
        }
        // `version_info` knows pre-releases, `version` as the standard library writes it does not.
        config.version = version_info.or(config.version);
        config
    }
}

/// Reads `3.11.7`, `3.14.0rc1`, `3.11.7.final.0` and `3.14.0.candidate.1`.
fn release(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('.').collect();
    let tag = match parts.get(3).copied() {
        Some("alpha") => "a",
        Some("beta") => "b",
        Some("candidate") => "rc",
        _ => "",
    };
    let serial = match (tag, parts.get(4)) {
        ("", _) | (_, None) => "",
        (_, Some(serial)) => serial,
    };
    let plain = parts
        .get(..parts.len().min(3))
        .unwrap_or_default()
        .join(".");
    let starts_well = plain.starts_with(|c: char| c.is_ascii_digit()) && plain.len() < 40;
    starts_well.then(|| format!("{plain}{tag}{serial}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_s_dialect_is_read() {
        let cases = [
            ("home = /usr/bin\nversion = 3.11.7\n", Some("3.11.7")),
            ("home=/usr/bin\nversion_info=3.12.1\n", Some("3.12.1")),
            (
                "HOME = /usr/bin\nversion_info = 3.11.7.final.0\n",
                Some("3.11.7"),
            ),
            (
                "home = /usr/bin\r\nversion = 3.14.0\r\nversion_info = 3.14.0.candidate.1\r\n",
                Some("3.14.0rc1"),
            ),
            ("home = /usr/bin\nversion = 3.14.0rc1\n", Some("3.14.0rc1")),
            ("home = /usr/bin\nversion = none\n", None),
        ];
        for (text, version) in cases {
            let config = Config::parse(text);
            assert_eq!(config.version.as_deref(), version, "{text}");
            assert_eq!(config.home.as_deref(), Some(Path::new("/usr/bin")));
        }
    }

    #[test]
    fn a_value_may_hold_an_equals_sign() {
        let config = Config::parse("home = /a=b\ninclude-system-site-packages = True\n");
        assert_eq!(config.home.as_deref(), Some(Path::new("/a=b")));
        assert!(config.system_site_packages);
    }
}
