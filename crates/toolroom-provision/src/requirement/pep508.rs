//! Python requirements: PEP 508 with the extensions that requirement files allow.
//!
//! Stands guard before the parser: what could make it panic, run away or quietly ignore
//! part of a marker is refused here as "cannot judge". The parser's types stay inside.

use std::fmt;
use std::path::Path;

use pep440_rs::{Version, VersionSpecifiers};
use pep508_rs::{
    ExtraName, MarkerEnvironment, MarkerTree, MarkerWarningKind, Pep508Url, VersionOrUrl,
};

use super::pep440;
use super::source::SourceUrl;

const MAX_LENGTH: usize = 8 << 10;
const MAX_NESTING: usize = 32;
const MAX_MIXED: usize = 48;
const MAX_CHOICES: usize = 16;
/// Longer runs of digits do not fit the parser's integers with room to count up.
const MAX_DIGITS: usize = 18;

/// A requirement on a Python distribution.
#[derive(Debug, Clone)]
pub struct PythonRequirement {
    name: String,
    extras: Vec<ExtraName>,
    want: Want,
    marker: MarkerTree,
    /// A marker that compares kernel releases, which have no agreed order.
    uncertain_marker: bool,
    editable: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Want {
    Versions(VersionSpecifiers),
    Source(SourceUrl),
}

/// Whether a requirement counts in an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Applies {
    Yes,
    No,
    Unknown,
}

impl PythonRequirement {
    /// Parses a dependency specifier.
    ///
    /// # Errors
    ///
    /// The reason why it cannot be judged.
    pub fn parse(text: &str, base: &Path) -> Result<Self, String> {
        guard(text)?;
        let mut ignored = None;
        let mut reporter = |kind: MarkerWarningKind, warning: String| {
            if !matches!(kind, MarkerWarningKind::DeprecatedMarkerName) {
                ignored.get_or_insert(warning);
            }
        };
        let parsed = pep508_rs::Requirement::<Verbatim>::parse_reporter(text, base, &mut reporter)
            .map_err(|error| one_line(&error.message.to_string()))?;
        if let Some(warning) = ignored {
            return Err(one_line(&warning));
        }
        let want = match parsed.version_or_url {
            None => Want::Versions(VersionSpecifiers::empty()),
            Some(VersionOrUrl::VersionSpecifier(versions)) => Want::Versions(versions),
            Some(VersionOrUrl::Url(url)) => Want::Source(SourceUrl::parse(&url.0, base)),
        };
        Ok(Self {
            name: parsed.name.to_string(),
            extras: parsed.extras,
            want,
            marker: parsed.marker,
            uncertain_marker: marker_of(text).is_some_and(compares_kernels),
            editable: false,
        })
    }

    /// A requirement on whatever a URL or path holds; the name may be unknown (empty).
    pub(crate) fn from_source(
        name: &str,
        source: SourceUrl,
        extras: &str,
        marker: &str,
    ) -> Result<Self, String> {
        // The parser reads extras and marker of a stand-in, so there is one grammar only.
        let marker = marker.trim();
        let stand_in = if marker.is_empty() {
            format!("x{extras}")
        } else {
            format!("x{extras} ; {marker}")
        };
        let mut requirement = Self::parse(&stand_in, Path::new(""))?;
        requirement.name = if name.is_empty() {
            String::new()
        } else {
            normalize(name)
        };
        requirement.want = Want::Source(source);
        Ok(requirement)
    }

    pub(crate) fn editable(mut self) -> Self {
        self.editable = true;
        self
    }

    /// The normalised name; empty if only a place is known.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[must_use]
    pub fn is_editable(&self) -> bool {
        self.editable
    }

    /// The extras asked for, in normal form.
    pub fn extras(&self) -> impl Iterator<Item = &str> {
        self.extras.iter().map(AsRef::as_ref)
    }

    /// Where the package must come from, if a place is asked for.
    #[must_use]
    pub fn source(&self) -> Option<&SourceUrl> {
        match &self.want {
            Want::Source(source) => Some(source),
            Want::Versions(_) => None,
        }
    }

    /// What is asked of the package, as text: `>=1,<2`, a URL, a path, or nothing.
    #[must_use]
    pub fn spec(&self) -> String {
        match &self.want {
            Want::Versions(versions) => versions.to_string().replace(", ", ","),
            Want::Source(source) => source.to_string(),
        }
    }

    pub(crate) fn extra_names(&self) -> &[ExtraName] {
        &self.extras
    }

    pub(crate) fn want(&self) -> &Want {
        &self.want
    }

    /// Whether an installed version is acceptable; a place says nothing about versions.
    /// A pre-release that is installed counts like any other version, as for pip and uv.
    pub(crate) fn allows(&self, version: &Version) -> bool {
        match &self.want {
            Want::Versions(versions) => pep440::contains(versions, version),
            Want::Source(_) => true,
        }
    }

    pub(crate) fn applies(&self, env: &MarkerEnvironment, extras: &[ExtraName]) -> Applies {
        if self.uncertain_marker {
            return Applies::Unknown;
        }
        match self.marker.is_true() || self.marker.evaluate(env, extras) {
            true => Applies::Yes,
            false => Applies::No,
        }
    }
}

impl fmt::Display for SourceUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vcs {
                system,
                url,
                revision,
                ..
            } => {
                write!(out, "{system}+{url}")?;
                match revision {
                    Some(revision) => write!(out, "@{revision}"),
                    None => Ok(()),
                }
            }
            Self::Archive { url, .. } => out.write_str(url),
            Self::Local { path } => write!(out, "{}", path.display()),
        }
    }
}

/// PEP 503: lower case, and every run of `-`, `_` and `.` is one `-`.
#[must_use]
pub fn normalize(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    let mut pending = false;
    for c in name.chars() {
        if matches!(c, '-' | '_' | '.') {
            pending = true;
            continue;
        }
        if std::mem::take(&mut pending) {
            normal.push('-');
        }
        normal.push(c.to_ascii_lowercase());
    }
    if pending {
        normal.push('-');
    }
    normal
}

/// The name at the start of a specifier, as written; empty if there is none.
#[must_use]
pub(crate) fn leading_name(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find(|c: char| !is_name_char(c)).unwrap_or(text.len());
    &text[..end]
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// The part of a specifier after its `;`. Only right where no URL precedes it.
pub(crate) fn marker_of(text: &str) -> Option<&str> {
    text.split_once(';').map(|(_, marker)| marker)
}

/// The extra that must be asked for before a specifier can count, where that is plain to
/// see: most lines of a package's metadata belong to extras nobody asked for, and need no
/// parsing. `None` means nothing, not even "no extra is needed".
pub(crate) fn gate(text: &str) -> Option<&str> {
    let marker = marker_of(text)?;
    let at = marker.rfind("extra")?;
    let before = marker[..at].bytes().next_back();
    if before.is_some_and(|byte| !matches!(byte, b' ' | b'(' | b'\t')) || has_word_or(marker) {
        return None;
    }
    let rest = marker[at + 5..]
        .trim_start()
        .strip_prefix("==")?
        .trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest[1..].split_once(quote).map(|(extra, _)| extra)
}

fn has_word_or(marker: &str) -> bool {
    marker
        .split(|c: char| !is_name_char(c))
        .any(|word| word == "or")
}

fn compares_kernels(marker: &str) -> bool {
    ["platform_release", "platform_version", "platform.version"]
        .into_iter()
        .any(|name| marker.contains(name))
}

/// Refuses what the parser must not see.
fn guard(text: &str) -> Result<(), String> {
    if text.len() > MAX_LENGTH {
        return Err(format!("it is longer than {MAX_LENGTH} bytes"));
    }
    let mut rest = text.trim_start();
    let name = leading_name(rest);
    ends_well(name, "the name")?;
    rest = rest[name.len()..].trim_start();
    if let Some(inside) = rest.strip_prefix('[') {
        let extras = inside.split(']').next().unwrap_or_default();
        for extra in extras.split(|c: char| !is_name_char(c)) {
            ends_well(extra, "an extra")?;
        }
    }
    let (mut depth, mut deepest, mut digits, mut longest) = (0_usize, 0, 0, 0);
    for byte in text.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        deepest = deepest.max(depth);
        longest = longest.max(digits);
    }
    if deepest > MAX_NESTING {
        return Err(format!("it nests more than {MAX_NESTING} deep"));
    }
    if longest > MAX_DIGITS && !text.contains("://") {
        return Err(format!("it has a number of more than {MAX_DIGITS} digits"));
    }
    marker_of(text).map_or(Ok(()), guard_marker)
}

/// The parser keeps markers as decision diagrams. A plain chain of `and` or of `or` stays
/// small in any length; a mixture can double with every comparison.
fn guard_marker(marker: &str) -> Result<(), String> {
    let (mut ands, mut ors, mut choices) = (0, 0, 0);
    for word in marker.split(|c: char| !is_name_char(c)) {
        match word {
            "and" => ands += 1,
            "or" => ors += 1,
            "extra" | "in" => choices += 1,
            _ => {}
        }
    }
    let is_mixed = ands > 0 && ors > 0;
    if is_mixed && (ands + ors >= MAX_MIXED || choices > MAX_CHOICES) {
        return Err("its marker is too complex".to_owned());
    }
    Ok(())
}

fn ends_well(name: &str, what: &str) -> Result<(), String> {
    match name.chars().next_back() {
        Some(last @ ('-' | '_' | '.')) => Err(format!("{what} ends in `{last}`")),
        _ => Ok(()),
    }
}

fn one_line(message: &str) -> String {
    let mut line = message
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .trim_end_matches(", will be ignored")
        .to_owned();
    if let Some(first) = line.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    line
}

/// Keeps a URL as it was written: reading it is [`SourceUrl`]'s job, which looks at neither
/// the process environment nor the working directory.
#[derive(Debug, Clone)]
struct Verbatim(String);

impl fmt::Display for Verbatim {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Pep508Url for Verbatim {
    type Err = std::convert::Infallible;

    fn parse_url(url: &str, _working_dir: Option<&Path>) -> Result<Self, Self::Err> {
        Ok(Self(url.to_owned()))
    }
}

/// Whether a text names a place rather than a package.
pub(crate) fn is_location(text: &str) -> bool {
    let name = leading_name(text);
    let rest = text.trim_start()[name.len()..].trim_start();
    let rest = match rest.strip_prefix('[') {
        Some(inside) => inside.split_once(']').map_or("", |(_, after)| after),
        None => rest,
    };
    let rest = rest.trim_start();
    if name.is_empty() {
        return rest.starts_with(['/', '\\', '~']);
    }
    if rest.starts_with('@') {
        return false;
    }
    let drive = name.len() == 1 && rest.starts_with(':');
    let scheme =
        rest.starts_with("://") || name.eq_ignore_ascii_case("file") && rest.starts_with(':');
    let archive = rest.is_empty() && is_archive(name);
    name.starts_with('.') || archive || drive || scheme || rest.starts_with(['/', '\\', '+'])
}

pub(crate) fn is_archive(name: &str) -> bool {
    const ENDS: [&str; 7] = [
        ".whl", ".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar",
    ];
    let lower = name.to_ascii_lowercase();
    ENDS.iter().any(|end| lower.ends_with(end))
}

/// The name a wheel or source archive carries in its file name.
pub(crate) fn archive_name(path: &str) -> Option<String> {
    let file = path.rsplit(['/', '\\']).next()?;
    if !is_archive(file) {
        return None;
    }
    let name = match file.strip_suffix(".whl") {
        Some(stem) => stem.split('-').next()?,
        None => {
            let version = file
                .match_indices('-')
                .find(|(at, _)| file[at + 1..].starts_with(|c: char| c.is_ascii_digit()))?;
            &file[..version.0]
        }
    };
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests;
