//! The order of presets: every one after what it requires, and always the same.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;

use thiserror::Error;
use toolroom_kernel::{Explain, Place};

use super::definition::Definition;

/// Why presets cannot be put in order.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PresetError {
    #[error("there is no preset called {name}{}", required_by(by.as_deref()))]
    Unknown {
        name: String,
        by: Option<String>,
        known: Vec<String>,
    },
    #[error("presets require each other in a circle: {}", .cycle.join(" → "))]
    Cycle { cycle: Vec<String> },
    #[error("the preset {name} cannot be used: {reason}")]
    Bad {
        name: String,
        path: PathBuf,
        reason: String,
    },
}

fn required_by(by: Option<&str>) -> String {
    by.map_or_else(String::new, |by| format!(", which {by} requires"))
}

impl Explain for PresetError {
    fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "preset::unknown",
            Self::Cycle { .. } => "preset::cycle",
            Self::Bad { .. } => "preset::bad",
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Unknown { known, .. } => Some(format!("there are {}", known.join(", "))),
            Self::Cycle { .. } => {
                Some("take one of them out of the other's requires.presets".to_owned())
            }
            Self::Bad { .. } => None,
        }
    }

    fn place(&self) -> Option<Place> {
        match self {
            Self::Bad { path, .. } => Some(Place::file(path)),
            _ => None,
        }
    }
}

/// Puts presets and all they require into layers: those of one layer require nothing of
/// each other. Within a layer they are ordered by name.
///
/// # Errors
/// Names a preset that is not there, or the shortest circle.
pub fn order<'d>(
    definitions: &'d [Definition],
    names: &[String],
) -> Result<Vec<Vec<&'d Definition>>, PresetError> {
    let mut waiting = closure(definitions, names)?;
    let mut done: BTreeSet<&str> = BTreeSet::new();
    let mut layers = Vec::new();
    while !waiting.is_empty() {
        let is_next = |preset: &&Definition| {
            preset
                .requires
                .iter()
                .all(|name| done.contains(name.as_str()))
        };
        let layer: Vec<&Definition> = waiting.values().copied().filter(is_next).collect();
        if layer.is_empty() {
            return Err(PresetError::Cycle {
                cycle: shortest_cycle(&waiting),
            });
        }
        for preset in &layer {
            waiting.remove(preset.name.as_str());
            done.insert(&preset.name);
        }
        layers.push(layer);
    }
    Ok(layers)
}

/// The presets of these names, and what they require, all the way.
fn closure<'d>(
    definitions: &'d [Definition],
    names: &[String],
) -> Result<BTreeMap<&'d str, &'d Definition>, PresetError> {
    let known: BTreeMap<&str, &Definition> = definitions
        .iter()
        .map(|preset| (preset.name.as_str(), preset))
        .collect();
    let mut found = BTreeMap::new();
    let mut asked: VecDeque<(&str, Option<&str>)> =
        names.iter().map(|name| (name.as_str(), None)).collect();
    while let Some((name, by)) = asked.pop_front() {
        let preset = known.get(name).ok_or_else(|| PresetError::Unknown {
            name: name.to_owned(),
            by: by.map(str::to_owned),
            known: known.keys().map(|&name| name.to_owned()).collect(),
        })?;
        if found.insert(preset.name.as_str(), *preset).is_none() {
            asked.extend(
                preset
                    .requires
                    .iter()
                    .map(|name| (name.as_str(), Some(preset.name.as_str()))),
            );
        }
    }
    Ok(found)
}

/// The shortest circle among presets of which none can go first; it begins and ends with
/// the same name.
fn shortest_cycle(presets: &BTreeMap<&str, &Definition>) -> Vec<String> {
    let from = presets.keys().filter_map(|start| way_back(presets, start));
    from.min_by_key(Vec::len).unwrap_or_default()
}

/// The shortest way from a preset along what it requires back to itself.
fn way_back(presets: &BTreeMap<&str, &Definition>, start: &str) -> Option<Vec<String>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut next = VecDeque::from([start]);
    while let Some(name) = next.pop_front() {
        for required in presets
            .get(name)
            .into_iter()
            .flat_map(|preset| &preset.requires)
        {
            if required == start {
                let mut way = vec![start.to_owned(), name.to_owned()];
                let mut at = name;
                while let Some(&before) = came_from.get(at) {
                    way.push(before.to_owned());
                    at = before;
                }
                if name == start {
                    way.truncate(2);
                }
                way.reverse();
                return Some(way);
            }
            if let Some((&known, _)) = presets.get_key_value(required.as_str())
                && !came_from.contains_key(known)
            {
                came_from.insert(known, name);
                next.push_back(known);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn presets(edges: &[(&str, &[&str])]) -> Vec<Definition> {
        let preset = |(name, requires): &(&str, &[&str])| Definition {
            name: (*name).to_owned(),
            requires: requires.iter().map(|&name| name.to_owned()).collect(),
            ..Definition::default()
        };
        edges.iter().map(preset).collect()
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn every_preset_comes_after_what_it_requires_whatever_the_order_of_the_files() {
        let mut all = presets(&[
            ("d", &["b", "c"]),
            ("c", &["a"]),
            ("b", &["a"]),
            ("a", &[]),
            ("unasked", &[]),
        ]);
        for _ in 0..2 {
            let layers = order(&all, &names(&["d"])).unwrap();
            let layers: Vec<Vec<&str>> = layers
                .iter()
                .map(|layer| layer.iter().map(|preset| preset.name.as_str()).collect())
                .collect();
            assert_eq!(layers, [vec!["a"], vec!["b", "c"], vec!["d"]]);
            all.reverse();
        }
    }

    #[test]
    fn a_preset_that_is_not_there_is_named_with_the_one_that_requires_it() {
        let all = presets(&[("a", &["ghost"])]);
        let error = order(&all, &names(&["a"])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no preset called ghost, which a requires"
        );
    }

    #[test]
    fn of_several_circles_the_shortest_is_named() {
        type Edges = &'static [(&'static str, &'static [&'static str])];
        let table: [(Edges, &[&str]); 3] = [
            (&[("a", &["a"])], &["a", "a"]),
            (
                &[
                    ("a", &["b"]),
                    ("b", &["c"]),
                    ("c", &["a", "d"]),
                    ("d", &["c"]),
                ],
                &["c", "d", "c"],
            ),
            (
                &[("outside", &["a"]), ("a", &["b"]), ("b", &["a"])],
                &["a", "b", "a"],
            ),
        ];
        for (edges, cycle) in table {
            let all = presets(edges);
            let asked = names(&[edges[0].0]);
            assert_eq!(
                order(&all, &asked),
                Err(PresetError::Cycle {
                    cycle: names(cycle)
                }),
                "{edges:?}"
            );
        }
    }
}
