//! The version of an executable, told by its name, its links or a file beside it.
//! Nothing is run: what cannot be read is not known.

use std::path::{Path, PathBuf};

use super::facts::{Facts, Filled};
use super::files::{Reading, link_chain, read_text};
use super::pattern;
use super::spec::EvidenceSpec;
use super::version::Version;
use crate::template::TemplateError;

const MAX_FILE: u64 = 64 * 1024;

/// The most precise version the evidence gives.
pub(super) fn version_of(
    executable: &Path,
    evidence: &[EvidenceSpec],
    facts: &Facts<'_>,
) -> Result<Option<Version>, TemplateError> {
    if evidence.is_empty() {
        return Ok(None);
    }
    let chain = link_chain(executable);
    let mut best: Option<Version> = None;
    for spec in evidence {
        let found = match (&spec.link, &spec.folder, &spec.file) {
            (Some(name), _, _) => marked(name, facts)?.and_then(|name| by_name(&chain, &name)),
            (_, Some(folder), _) => {
                marked(folder, facts)?.and_then(|folder| by_folder(&chain, &folder))
            }
            (_, _, Some(file)) => by_file(&chain, file, spec, facts)?,
            _ => None,
        };
        if let Some(version) = found
            && best
                .as_ref()
                .is_none_or(|best| version.release().len() > best.release().len())
        {
            best = Some(version);
        }
    }
    Ok(best)
}

fn marked(text: &str, facts: &Facts<'_>) -> Result<Option<String>, TemplateError> {
    Ok(match facts.fill(&pattern::mark(text))? {
        Filled::Text(text) => Some(text),
        Filled::Lacking(_) => None,
    })
}

fn by_name(chain: &[PathBuf], marked: &str) -> Option<Version> {
    let names = chain.iter().filter_map(|path| path.file_name()?.to_str());
    names
        .map(|name| name.strip_suffix(".exe").unwrap_or(name))
        .filter_map(|name| Version::parse(pattern::capture(marked, name)?))
        .max_by_key(|version| version.release().len())
}

fn by_folder(chain: &[PathBuf], marked: &str) -> Option<Version> {
    chain
        .iter()
        .find_map(|path| Version::parse(pattern::capture_folder(marked, path)?))
}

fn by_file(
    chain: &[PathBuf],
    file: &str,
    spec: &EvidenceSpec,
    facts: &Facts<'_>,
) -> Result<Option<Version>, TemplateError> {
    let Some(folder) = chain.last().and_then(|path| path.parent()) else {
        return Ok(None);
    };
    let mut facts = facts.clone();
    facts.set_path("executable_dir", Some(folder));
    let Filled::Text(path) = facts.fill(file)? else {
        return Ok(None);
    };
    let Reading::Text(text) = read_text(Path::new(&path), MAX_FILE) else {
        return Ok(None);
    };
    if let Some(word) = &spec.word {
        let marked = marked(word, &facts)?.unwrap_or_default();
        let mut words = text.split_whitespace();
        return Ok(words.find_map(|word| Version::parse(pattern::capture(&marked, word)?)));
    }
    let value_of = |key: &String| {
        text.lines().find_map(|line| {
            let mut words = line
                .split(|next: char| next.is_whitespace() || next == '=')
                .map(|word| word.trim_matches(['"', ',', ':', ';']))
                .filter(|word| !word.is_empty());
            words.find(|word| word == key)?;
            words.next()
        })
    };
    let values: Option<Vec<&str>> = spec.keys.iter().map(value_of).collect();
    Ok(values.and_then(|values| Version::parse(&values.join("."))))
}
