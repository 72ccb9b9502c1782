//! Turns literal expressions into JSON values, or says why there is no value to be had.
//!
//! Computes what can only have one answer: joined strings and lists, sums of numbers, names
//! bound to a literal further up. Never guesses. Knows nothing of what the values mean.

use ruff_python_ast::{
    Expr, ExprBinOp, ExprDict, ExprFString, ExprName, FStringPart, InterpolatedStringElement,
    Number, Operator, UnaryOp,
};
use ruff_text_size::{Ranged, TextSize};
use serde_json::{Map, Value};

use super::scope::{Bound, Scope};

const MAX_DEPTH: usize = 64;

/// Why an expression has no literal value.
#[derive(Debug)]
pub(super) struct Obstacle {
    /// The part that is in the way.
    pub(super) at: TextSize,
    /// Begins with "it", for the variable.
    pub(super) reason: String,
}

type Evaluated = Result<Value, Obstacle>;

fn obstacle(part: &impl Ranged, reason: impl Into<String>) -> Obstacle {
    Obstacle {
        at: part.start(),
        reason: reason.into(),
    }
}

/// The value of an expression in a statement that begins at `at`.
pub(super) fn evaluate(expression: &Expr, scope: &Scope<'_>, at: TextSize) -> Evaluated {
    Evaluator {
        scope,
        at,
        depth: 0,
    }
    .value(expression)
}

#[derive(Clone, Copy)]
struct Evaluator<'s, 'a> {
    scope: &'s Scope<'a>,
    /// Names bound at or after this offset are not known yet.
    at: TextSize,
    depth: usize,
}

impl Evaluator<'_, '_> {
    fn value(self, expression: &Expr) -> Evaluated {
        if self.depth > MAX_DEPTH {
            let reason = format!("it is nested deeper than {MAX_DEPTH} levels");
            return Err(obstacle(expression, reason));
        }
        let inner = Self {
            depth: self.depth + 1,
            ..self
        };
        match expression {
            Expr::StringLiteral(text) => self.text(expression, text.value.to_str().to_owned()),
            Expr::FString(text) => self.text(expression, plain_text(text)?),
            Expr::NumberLiteral(number) => {
                self.paid(expression, integer_or_float(&number.value, false))
            }
            Expr::BooleanLiteral(truth) => self.paid(expression, Ok(Value::Bool(truth.value))),
            Expr::NoneLiteral(_) => self.paid(expression, Ok(Value::Null)),
            Expr::UnaryOp(unary) => match unary.op {
                UnaryOp::USub => self.negative(expression, &unary.operand),
                UnaryOp::UAdd if is_number(&unary.operand) => inner.value(&unary.operand),
                operator => Err(computed(expression, operator.as_str())),
            },
            Expr::Dict(dict) => inner.object(dict),
            Expr::List(list) => inner.array(expression, &list.elts),
            Expr::Tuple(tuple) => inner.array(expression, &tuple.elts),
            Expr::Set(set) => inner.array(expression, &set.elts),
            Expr::Name(name) => inner.reference(name),
            Expr::BinOp(operation) => inner.operation(expression, operation),
            _ => Err(obstacle(expression, why_not(expression))),
        }
    }

    fn paid(self, part: &Expr, value: Result<Value, &'static str>) -> Evaluated {
        let value = value.map_err(|reason| obstacle(part, reason))?;
        self.pay(part, 0)?;
        Ok(value)
    }

    fn pay(self, part: &Expr, text: usize) -> Result<(), Obstacle> {
        if self.scope.pay(text) {
            return Ok(());
        }
        Err(obstacle(part, "it is larger than a file's values may be"))
    }

    fn text(self, part: &Expr, text: String) -> Evaluated {
        self.pay(part, text.len())?;
        Ok(Value::String(text))
    }

    fn array(self, part: &Expr, elements: &[Expr]) -> Evaluated {
        self.pay(part, 0)?;
        elements.iter().map(|element| self.value(element)).collect()
    }

    fn object(self, dict: &ExprDict) -> Evaluated {
        let mut object = Map::with_capacity(dict.items.len());
        for item in &dict.items {
            let Some(key) = &item.key else {
                return Err(obstacle(&item.value, "it spreads another dictionary (**)"));
            };
            let name = match self.value(key)? {
                Value::String(text) => text,
                name @ (Value::Number(_) | Value::Bool(_) | Value::Null) => name.to_string(),
                Value::Array(_) | Value::Object(_) => {
                    return Err(obstacle(
                        key,
                        "it has a key that is no string and no number",
                    ));
                }
            };
            object.insert(name, self.value(&item.value)?);
        }
        Ok(Value::Object(object))
    }

    fn negative(self, part: &Expr, operand: &Expr) -> Evaluated {
        match operand {
            Expr::NumberLiteral(number) => self.paid(part, integer_or_float(&number.value, true)),
            _ => Err(computed(part, "-")),
        }
    }

    /// A name stands for the literal it is bound to further up.
    fn reference(self, name: &ExprName) -> Evaluated {
        let id = name.id.as_str();
        if id.is_empty() {
            return Err(obstacle(name, "it has a syntax error"));
        }
        let unknown = || {
            obstacle(
                name,
                format!("it uses {id}, which is no literal further up"),
            )
        };
        match self.scope.before(id, self.at) {
            Some(binding) => match binding.bound {
                Bound::Value(value) => Self {
                    at: binding.at,
                    ..self
                }
                .value(value)
                .map_err(|_| unknown()),
                _ => Err(unknown()),
            },
            None => Err(unknown()),
        }
    }

    /// Sums are walked along their left side, however long they are.
    fn operation(self, part: &Expr, operation: &ExprBinOp) -> Evaluated {
        if operation.op != Operator::Add {
            let left = self.value(&operation.left)?;
            let right = self.value(&operation.right)?;
            return combine(operation.op, left, right)
                .ok_or_else(|| computed(part, operation.op.as_str()));
        }
        let mut terms = vec![&*operation.right];
        let mut rest = &*operation.left;
        while let Expr::BinOp(sum) = rest
            && sum.op == Operator::Add
        {
            terms.push(&sum.right);
            rest = &sum.left;
        }
        let mut sum = self.value(rest)?;
        for term in terms.into_iter().rev() {
            let right = self.value(term)?;
            sum = combine(Operator::Add, sum, right).ok_or_else(|| computed(part, "+"))?;
        }
        Ok(sum)
    }
}

fn computed(part: &Expr, operator: &str) -> Obstacle {
    obstacle(part, format!("it is computed ({operator})"))
}

fn is_number(expression: &Expr) -> bool {
    matches!(expression, Expr::NumberLiteral(_))
}

fn combine(operator: Operator, left: Value, right: Value) -> Option<Value> {
    match (operator, left, right) {
        (Operator::Add, Value::String(mut left), Value::String(right)) => {
            left.push_str(&right);
            Some(Value::String(left))
        }
        (Operator::Add, Value::Array(mut left), Value::Array(right)) => {
            left.extend(right);
            Some(Value::Array(left))
        }
        (operator, Value::Number(left), Value::Number(right)) => {
            match (left.as_i128(), right.as_i128()) {
                (Some(left), Some(right)) => integers(operator, left, right),
                _ => floats(operator, left.as_f64()?, right.as_f64()?),
            }
        }
        _ => None,
    }
}

fn integers(operator: Operator, left: i128, right: i128) -> Option<Value> {
    let result = match operator {
        Operator::Add => left.checked_add(right),
        Operator::Sub => left.checked_sub(right),
        Operator::Mult => left.checked_mul(right),
        Operator::Pow => left.checked_pow(u32::try_from(right).ok()?),
        Operator::LShift => left.checked_mul(2_i128.checked_pow(u32::try_from(right).ok()?)?),
        // A negative remainder rounds another way in Python.
        Operator::FloorDiv if left >= 0 && right > 0 => left.checked_div(right),
        Operator::Mod if left >= 0 && right > 0 => left.checked_rem(right),
        #[expect(clippy::cast_precision_loss, reason = "Python divides as floats, too")]
        Operator::Div => return floats(operator, left as f64, right as f64),
        _ => None,
    };
    integer(result?)
}

fn floats(operator: Operator, left: f64, right: f64) -> Option<Value> {
    let result = match operator {
        Operator::Add => left + right,
        Operator::Sub => left - right,
        Operator::Mult => left * right,
        Operator::Div => left / right,
        _ => return None,
    };
    serde_json::Number::from_f64(result).map(Value::Number)
}

fn integer(value: i128) -> Option<Value> {
    let small = i64::try_from(value).map(Value::from);
    small
        .or_else(|_| u64::try_from(value).map(Value::from))
        .ok()
}

fn integer_or_float(number: &Number, negative: bool) -> Result<Value, &'static str> {
    match number {
        Number::Int(value) => value
            .as_u64()
            .map(i128::from)
            .and_then(|value| integer(if negative { -value } else { value }))
            .ok_or("it has an integer beyond 64 bits"),
        Number::Float(value) => {
            let value = if negative { -value } else { *value };
            serde_json::Number::from_f64(value)
                .map(Value::Number)
                .ok_or("it has a number that is not finite")
        }
        Number::Complex { .. } => Err("it has a complex number"),
    }
}

fn plain_text(text: &ExprFString) -> Result<String, Obstacle> {
    let mut plain = String::new();
    for part in &text.value {
        match part {
            FStringPart::Literal(literal) => plain.push_str(literal.as_str()),
            FStringPart::FString(interpolated) => {
                for element in &interpolated.elements {
                    match element {
                        InterpolatedStringElement::Literal(literal) => {
                            plain.push_str(&literal.value);
                        }
                        InterpolatedStringElement::Interpolation(placeholder) => {
                            let reason = "it is an f-string with placeholders";
                            return Err(obstacle(placeholder, reason));
                        }
                    }
                }
            }
        }
    }
    Ok(plain)
}

fn why_not(expression: &Expr) -> String {
    let reason = match expression {
        Expr::Call(call) => {
            return match dotted(&call.func) {
                Some(name) => format!("it calls a function ({name})"),
                None => "it calls a function".to_owned(),
            };
        }
        Expr::Attribute(_) => {
            return match dotted(expression) {
                Some(name) => format!("it reads an attribute ({name})"),
                None => "it reads an attribute".to_owned(),
            };
        }
        Expr::BytesLiteral(_) => "it is bytes, not text",
        Expr::TString(_) => "it is a template string",
        Expr::Subscript(_) | Expr::Slice(_) => "it reads a part of another value",
        Expr::If(_) | Expr::BoolOp(_) | Expr::Compare(_) => "it depends on a condition",
        Expr::Lambda(_) => "it is a function",
        Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
            "it is a comprehension"
        }
        Expr::Starred(_) => "it spreads another value (*)",
        Expr::EllipsisLiteral(_) => "it is left open (...)",
        _ => "it is computed when the file runs",
    };
    reason.to_owned()
}

/// `os.environ.get`, for names joined by dots and nothing else.
fn dotted(expression: &Expr) -> Option<String> {
    let mut names = Vec::new();
    let mut rest = expression;
    while let Expr::Attribute(attribute) = rest {
        names.push(attribute.attr.as_str());
        rest = &attribute.value;
        if names.len() > MAX_DEPTH {
            return None;
        }
    }
    let Expr::Name(name) = rest else { return None };
    names.push(name.id.as_str());
    names.reverse();
    Some(names.join("."))
}
