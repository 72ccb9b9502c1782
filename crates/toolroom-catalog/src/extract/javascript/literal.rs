//! Evaluates literal expressions: what a value is, or why that cannot be known without running.
//!
//! Promises bounded depth and size even where constants refer to constants. Calls nothing;
//! the one function it understands is `Object.freeze`, which changes no value.

use serde_json::{Map, Value};
use tree_sitter::Node;

use super::module::Module;
use super::syntax::{MAX_DEPTH, children, is_comment, parts};
use super::token;

/// What one variable's value may cost, so that constants built from constants cannot explode.
const MAX_COST: usize = 4 * 1024 * 1024;
const COST_OF_A_VALUE: usize = 16;
const MAX_NAME_CHARS: usize = 60;

/// The expression that keeps a value from being known, and why.
#[derive(Debug)]
pub(super) struct Obstacle<'t> {
    pub(super) node: Node<'t>,
    pub(super) reason: String,
}

type Evaluated<'t, T = Value> = Result<T, Obstacle<'t>>;

fn obstacle<'t, T>(node: Node<'t>, reason: impl Into<String>) -> Evaluated<'t, T> {
    Err(Obstacle {
        node,
        reason: reason.into(),
    })
}

/// Evaluates one expression of the module.
pub(super) fn evaluate<'t>(module: &Module<'t>, node: Node<'t>) -> Evaluated<'t> {
    Evaluator { module, cost: 0 }.value(node, 0)
}

/// The name a property has, where it is written out.
pub(super) fn property_name<'t>(module: &Module<'t>, key: Node<'t>) -> Option<String> {
    Evaluator { module, cost: 0 }.key(key, 0).ok()
}

struct Evaluator<'m, 't> {
    module: &'m Module<'t>,
    cost: usize,
}

impl<'t> Evaluator<'_, 't> {
    fn text(&self, node: Node<'t>) -> &'t str {
        self.module.source.text(node)
    }

    fn spend(&mut self, node: Node<'t>, bytes: usize) -> Evaluated<'t, ()> {
        let cost = COST_OF_A_VALUE + bytes;
        self.cost = self.cost.saturating_add(cost);
        if self.cost > MAX_COST || !self.module.burn(cost) {
            return obstacle(node, "it is too large");
        }
        Ok(())
    }

    fn value(&mut self, node: Node<'t>, depth: usize) -> Evaluated<'t> {
        let node = self.module.unwrapped(node);
        if depth > MAX_DEPTH {
            return obstacle(node, format!("it nests deeper than {MAX_DEPTH} levels"));
        }
        if node.has_error() {
            return obstacle(node, "it has a syntax error");
        }
        self.spend(node, 0)?;
        match node.kind() {
            "string" | "template_string" => self.string(node).map(Value::String),
            "number" => self.number(node, 1.0),
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "null" | "undefined" => Ok(Value::Null),
            "array" => self.array(node, depth),
            "object" => self.object(node, depth),
            "unary_expression" => self.signed(node),
            "binary_expression" => self.concatenation(node, depth),
            "identifier" => self.reference(node, depth),
            _ => obstacle(node, self.why_not(node)),
        }
    }

    fn string(&mut self, node: Node<'t>) -> Evaluated<'t, String> {
        let text = self.text(node);
        self.spend(node, text.len())?;
        let is_filled = |part: &Node<'t>| part.kind() == "template_substitution";
        if let Some(filled) = parts(node).into_iter().find(is_filled) {
            return obstacle(filled, "it is a template with a substitution");
        }
        let inside = text.get(1..text.len().saturating_sub(1));
        Ok(token::unescape(inside.unwrap_or_default()))
    }

    fn number(&self, node: Node<'t>, sign: f64) -> Evaluated<'t> {
        let Some(number) = token::number(self.text(node)) else {
            return obstacle(node, "it is a bigint, which JSON cannot hold");
        };
        token::json_number(sign * number)
            .map_or_else(|| obstacle(node, "it is a number too large for JSON"), Ok)
    }

    fn signed(&self, node: Node<'t>) -> Evaluated<'t> {
        let operator = node.child_by_field_name("operator").map(|op| op.kind());
        let argument = node.child_by_field_name("argument");
        let argument = argument.map(|argument| self.module.unwrapped(argument));
        match (operator, argument) {
            (Some("-"), Some(number)) if number.kind() == "number" => self.number(number, -1.0),
            (Some("+"), Some(number)) if number.kind() == "number" => self.number(number, 1.0),
            _ => obstacle(node, self.why_not(node)),
        }
    }

    fn array(&mut self, node: Node<'t>, depth: usize) -> Evaluated<'t> {
        let inside = children(node);
        // Paid for up front: holes and comments cost work as well.
        self.spend(node, COST_OF_A_VALUE * inside.len())?;
        let mut items = Vec::new();
        let mut hole = true;
        for child in inside {
            match child.kind() {
                "[" | "]" => {}
                "," if hole => items.push(Value::Null),
                "," => hole = true,
                _ if is_comment(child) => {}
                _ => {
                    items.push(self.value(child, depth + 1)?);
                    hole = false;
                }
            }
        }
        Ok(Value::Array(items))
    }

    fn object(&mut self, node: Node<'t>, depth: usize) -> Evaluated<'t> {
        let inside = children(node);
        self.spend(node, COST_OF_A_VALUE * inside.len())?;
        let mut map = Map::new();
        for part in inside {
            if !part.is_named() || is_comment(part) {
                continue;
            }
            let (key, value) = match part.kind() {
                "pair" => self.pair(part, depth)?,
                "shorthand_property_identifier" => {
                    (self.text(part).to_owned(), self.reference(part, depth)?)
                }
                _ => return obstacle(part, self.why_not(part)),
            };
            self.spend(part, key.len())?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }

    fn pair(&mut self, node: Node<'t>, depth: usize) -> Evaluated<'t, (String, Value)> {
        let fields = (
            node.child_by_field_name("key"),
            node.child_by_field_name("value"),
        );
        let (Some(key), Some(value)) = fields else {
            return obstacle(node, "it has a syntax error");
        };
        Ok((self.key(key, depth)?, self.value(value, depth + 1)?))
    }

    fn key(&mut self, node: Node<'t>, depth: usize) -> Evaluated<'t, String> {
        let key = match node.kind() {
            "computed_property_name" => match parts(node).first() {
                Some(inner) => self.value(*inner, depth + 1)?,
                None => Value::Null,
            },
            "string" => Value::String(self.string(node)?),
            "number" => self.number(node, 1.0)?,
            _ => Value::from(self.text(node)),
        };
        match key {
            Value::String(text) => Ok(text),
            Value::Number(number) => Ok(number.to_string()),
            _ => obstacle(node, "it has a computed key"),
        }
    }

    /// Long concatenations lean left, so they are walked, not descended into.
    fn concatenation(&mut self, node: Node<'t>, depth: usize) -> Evaluated<'t> {
        let mut operands = Vec::new();
        let mut rest = node;
        while rest.kind() == "binary_expression" {
            let operator = rest.child_by_field_name("operator").map(|op| op.kind());
            let left = rest.child_by_field_name("left");
            let right = rest.child_by_field_name("right");
            let (Some("+"), Some(left), Some(right)) = (operator, left, right) else {
                return obstacle(rest, self.why_not(rest));
            };
            operands.push(right);
            rest = self.module.unwrapped(left);
        }
        operands.push(rest);
        let mut joined = String::new();
        for operand in operands.into_iter().rev() {
            match self.value(operand, depth + 1)? {
                Value::String(text) => joined.push_str(&text),
                _ => return obstacle(node, self.why_not(node)),
            }
        }
        Ok(Value::String(joined))
    }

    fn reference(&mut self, node: Node<'t>, depth: usize) -> Evaluated<'t> {
        let name = self.text(node);
        match self.module.constant_above(name, node) {
            Some(value) => self.value(value, depth + 1),
            None => obstacle(
                node,
                format!("it refers to `{name}`, which is not a constant defined above"),
            ),
        }
    }

    fn why_not(&self, node: Node<'t>) -> String {
        let named = |what: &str, field: &str| match node.child_by_field_name(field) {
            Some(name) => self.naming(what, name),
            None => what.to_owned(),
        };
        match node.kind() {
            "call_expression" => named("it calls a function", "function"),
            "new_expression" => named("it makes an object", "constructor"),
            "member_expression" | "subscript_expression" => {
                self.naming("it reads a property", node)
            }
            "spread_element" => match parts(node).first() {
                Some(spread) => self.naming("it spreads another value", *spread),
                None => "it spreads another value".to_owned(),
            },
            "method_definition" => named("it contains a function", "name"),
            "function_expression"
            | "arrow_function"
            | "generator_function"
            | "function_declaration"
            | "generator_function_declaration" => "it is a function".to_owned(),
            "class" | "class_declaration" => "it is a class".to_owned(),
            "regex" => "it is a regular expression".to_owned(),
            "await_expression" => "it waits for a value".to_owned(),
            "unary_expression" | "binary_expression" => named("it computes a value", "operator"),
            "ternary_expression" => "it depends on a condition".to_owned(),
            _ => "it is not a literal".to_owned(),
        }
    }

    /// Adds a name in brackets, where it is short enough to help.
    fn naming(&self, what: &str, name: Node<'t>) -> String {
        let name = self.text(name);
        if name.is_empty() || name.contains(['\n', '\r']) || name.chars().count() > MAX_NAME_CHARS {
            return what.to_owned();
        }
        format!("{what} ({name})")
    }
}
