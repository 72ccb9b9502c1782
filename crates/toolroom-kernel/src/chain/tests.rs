use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::model::Space;

struct Shelf(BTreeMap<String, Arc<Tool>>);

impl Library for Shelf {
    fn executor(&self, name: &str) -> Result<Arc<Tool>, Missing> {
        self.0.get(name).cloned().ok_or_else(|| Missing::Unknown {
            suggestions: vec!["near".into()],
        })
    }
}

fn tool(id: &str, tool_type: &str, executor: Option<&str>) -> Arc<Tool> {
    let mut metadata = serde_json::Map::new();
    metadata.insert("tool_type".into(), json!(tool_type));
    metadata.insert("executor_id".into(), json!(executor));
    Arc::new(Tool {
        id: ToolId::parse(id).unwrap(),
        space: Space::Project,
        path: format!("{id}.yaml").into(),
        metadata,
        positions: BTreeMap::new(),
        digest: String::new(),
    })
}

fn shelf(tools: &[(&str, &str, Option<&str>)]) -> Shelf {
    Shelf(
        tools
            .iter()
            .map(|(id, kind, executor)| ((*id).to_owned(), tool(id, kind, *executor)))
            .collect(),
    )
}

fn ids(chain: &Chain) -> Vec<&str> {
    chain.links().iter().map(|link| link.id.as_str()).collect()
}

#[test]
fn a_chain_goes_from_the_tool_to_the_primitive() {
    let shelf = shelf(&[
        ("outer", "runtime", Some("inner")),
        ("inner", "runtime", Some("spawn")),
        ("spawn", "primitive", None),
    ]);
    let chain = link(tool("t", "x", Some("outer")), &shelf).unwrap();
    assert_eq!(ids(&chain), ["t", "outer", "inner", "spawn"]);
    assert_eq!(chain.tool().id.as_str(), "t");
    assert_eq!(chain.primitive().id.as_str(), "spawn");
}

#[test]
fn a_cycle_is_named_whole_without_what_leads_to_it() {
    let shelf = shelf(&[
        ("a", "runtime", Some("b")),
        ("b", "runtime", Some("c")),
        ("c", "runtime", Some("a")),
    ]);
    let error = link(tool("t", "x", Some("a")), &shelf).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the chain never reaches a primitive, it goes round: a → b → c → a"
    );
    assert_eq!(error.code(), "catalog::chain_cycle");
}

#[test]
fn an_unknown_executor_comes_with_a_suggestion() {
    let error = link(tool("t", "x", Some("neer")), &shelf(&[])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "t names an executor that does not exist: neer"
    );
    assert_eq!(error.help().as_deref(), Some("did you mean near?"));
}

#[test]
fn only_a_primitive_may_have_no_executor() {
    let error = link(tool("t", "x", None), &shelf(&[])).unwrap_err();
    assert_eq!(error.code(), "catalog::missing_executor");
}

#[test]
fn a_chain_has_a_bounded_length() {
    let names: Vec<String> = (0..40).map(|n| format!("r{n}")).collect();
    let mut tools = BTreeMap::new();
    for pair in names.windows(2) {
        tools.insert(pair[0].clone(), tool(&pair[0], "runtime", Some(&pair[1])));
    }
    let error = link(tool("t", "x", Some("r0")), &Shelf(tools)).unwrap_err();
    assert_eq!(error.code(), "catalog::chain_too_deep");
}
