//! One configuration out of a chain: the tool wins over its runtime, the runtime over
//! the primitive. Mappings are joined, lists and everything else replaced.

use serde_json::{Map, Value};
use toolroom_kernel::chain::Chain;

/// How deep mappings are joined; below, the nearer one replaces the other whole.
const MAX_DEPTH: usize = 32;

/// The merged `config` of a chain.
#[must_use]
pub fn merged(chain: &Chain) -> Map<String, Value> {
    merged_above(chain, &Map::new())
}

/// The merged `config` of a chain, with defaults between the primitive's own and those
/// of everything above it.
#[must_use]
pub fn merged_above(chain: &Chain, defaults: &Map<String, Value>) -> Map<String, Value> {
    let mut links = chain.links().iter().rev();
    let mut merged = Map::new();
    let primitive = links.next().and_then(|link| link.config());
    let above = links.filter_map(|link| link.config());
    for config in primitive.into_iter().chain([defaults]).chain(above) {
        join(&mut merged, config, 0);
    }
    merged
}

fn join(below: &mut Map<String, Value>, above: &Map<String, Value>, depth: usize) {
    for (key, value) in above {
        match (below.get_mut(key), value) {
            (Some(Value::Object(lower)), Value::Object(upper)) if depth < MAX_DEPTH => {
                join(lower, upper, depth + 1);
            }
            _ => {
                below.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            other => panic!("{other} is not an object"),
        }
    }

    #[test]
    fn mappings_are_joined_and_lists_replaced() {
        let mut below = object(json!({"a": {"x": 1, "y": 2}, "list": [1, 2], "kept": true}));
        join(
            &mut below,
            &object(json!({"a": {"y": 3}, "list": [9], "new": null})),
            0,
        );
        let wanted = json!({"a": {"x": 1, "y": 3}, "list": [9], "kept": true, "new": null});
        assert_eq!(Value::Object(below), wanted);
    }
}
