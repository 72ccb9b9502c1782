//! What a module's names are bound to, in the order of its statements.
//!
//! Only statements of the module itself bind: what hangs on an `if` or a `try` is not known
//! without running it. Keeps the account of what may still be built from the file's values.

use std::cell::Cell;

use ruff_python_ast::{Expr, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_text_size::{Ranged, TextSize};

/// All values and schemas made from one file together, in bytes: a few short lines that name
/// each other can stand for more than any machine holds.
const MAX_YIELD: usize = 32 << 20;
/// Behind every statement: no file is so long.
const END: TextSize = TextSize::new(u32::MAX);
/// What a value costs beside its text.
const VALUE_COST: usize = 32;

#[derive(Clone, Copy)]
pub(super) enum Bound<'a> {
    Value(&'a Expr),
    Function(&'a StmtFunctionDef),
    Class(&'a StmtClassDef),
    /// A `type X = …` statement.
    Alias(&'a Expr),
    /// Imported, by this name in its own module.
    Imported(&'a str),
    /// Bound to what is not known, for this reason.
    Unknown(&'static str),
    /// Changed in place, whatever it was.
    Changed,
}

#[derive(Clone, Copy)]
pub(super) struct Binding<'a> {
    /// Where its statement begins.
    pub(super) at: TextSize,
    pub(super) bound: Bound<'a>,
}

pub(super) struct Scope<'a> {
    /// Ordered by name, and those of one name by their place. The shorter name comes first: most
    /// names differ in length, and then their letters are not looked at.
    bindings: Vec<(&'a str, Binding<'a>)>,
    left: Cell<usize>,
}

impl<'a> Scope<'a> {
    pub(super) fn of(body: &'a [Stmt]) -> Self {
        let mut scope = Self {
            bindings: Vec::with_capacity(body.len()),
            left: Cell::new(MAX_YIELD),
        };
        for statement in body {
            scope.add(statement);
        }
        scope.bindings.sort_by_key(|(name, _)| (name.len(), *name));
        // What is changed without having been bound is none of this module's names.
        let mut bound = None;
        scope.bindings.retain(|(name, binding)| {
            let is_kept = bound == Some(*name) || !matches!(binding.bound, Bound::Changed);
            if is_kept {
                bound = Some(*name);
            }
            is_kept
        });
        scope
    }

    /// What the name is bound to before this offset, the latest first.
    fn earlier(&self, name: &str, at: TextSize) -> impl Iterator<Item = Binding<'a>> {
        let wanted = (name.len(), name, at);
        let end = self
            .bindings
            .partition_point(|(bound, binding)| (bound.len(), *bound, binding.at) < wanted);
        let latest = self.bindings[..end].iter().rev();
        latest
            .take_while(move |(bound, _)| *bound == name)
            .map(|(_, binding)| *binding)
    }

    /// What the name is bound to in the end.
    pub(super) fn last(&self, name: &str) -> Option<Binding<'a>> {
        self.before(name, END)
    }

    /// What the name is bound to when the statement at this offset runs.
    pub(super) fn before(&self, name: &str, at: TextSize) -> Option<Binding<'a>> {
        self.earlier(name, at).next()
    }

    /// The last function defined under the name, or under the name it is assigned from.
    pub(super) fn function(&self, name: &str) -> Option<&'a StmtFunctionDef> {
        let defined = |name: &str| {
            self.earlier(name, END)
                .find_map(|binding| match binding.bound {
                    Bound::Function(function) => Some(function),
                    _ => None,
                })
        };
        defined(name).or_else(|| match self.last(name)?.bound {
            Bound::Value(Expr::Name(other)) => defined(other.id.as_str()),
            _ => None,
        })
    }

    /// Pays for a value with this much text; false when the file has used up its share.
    pub(super) fn pay(&self, text: usize) -> bool {
        let left = self.left.get().checked_sub(text.saturating_add(VALUE_COST));
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    fn bind(&mut self, name: &'a str, at: TextSize, bound: Bound<'a>) {
        self.bindings.push((name, Binding { at, bound }));
    }

    fn add(&mut self, statement: &'a Stmt) {
        let at = statement.start();
        match statement {
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    self.assign(target, Some(&assign.value), at);
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.assign(&assign.target, Some(value), at);
                }
            }
            Stmt::AugAssign(assign) => self.change(&assign.target, at),
            Stmt::Delete(delete) => {
                for target in &delete.targets {
                    self.change(target, at);
                }
            }
            Stmt::Expr(expression) => self.call(&expression.value, at),
            Stmt::FunctionDef(function) => {
                self.bind(function.name.as_str(), at, Bound::Function(function));
            }
            Stmt::ClassDef(class) => self.bind(class.name.as_str(), at, Bound::Class(class)),
            Stmt::TypeAlias(alias) => {
                if let Expr::Name(name) = &*alias.name {
                    self.bind(name.id.as_str(), at, Bound::Alias(&alias.value));
                }
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let name = alias.name.as_str();
                    let bound = alias.asname.as_ref().map_or_else(
                        || name.split('.').next().unwrap_or(name),
                        |name| name.as_str(),
                    );
                    self.bind(bound, at, Bound::Imported(name));
                }
            }
            Stmt::ImportFrom(import) => {
                for alias in &import.names {
                    let bound = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                    self.bind(bound, at, Bound::Imported(alias.name.as_str()));
                }
            }
            _ => {}
        }
    }

    fn assign(&mut self, target: &'a Expr, value: Option<&'a Expr>, at: TextSize) {
        match target {
            Expr::Name(name) => {
                let unpacked = Bound::Unknown("it is unpacked from another value");
                self.bind(name.id.as_str(), at, value.map_or(unpacked, Bound::Value));
            }
            Expr::Tuple(_) | Expr::List(_) => {
                let targets = elements(target).unwrap_or_default();
                let values = value
                    .and_then(elements)
                    .filter(|values| values.len() == targets.len())
                    .filter(|values| !values.iter().chain(targets).any(Expr::is_starred_expr));
                for (index, target) in targets.iter().enumerate() {
                    // Only one level is unpacked: deeper patterns are no metadata.
                    if let Expr::Name(_) = target {
                        self.assign(target, values.map(|values| &values[index]), at);
                    }
                }
            }
            _ => self.change(target, at),
        }
    }

    /// `target` names what is changed, or a part of it.
    fn change(&mut self, target: &'a Expr, at: TextSize) {
        let mut whole = target;
        while let Expr::Subscript(_) | Expr::Attribute(_) = whole {
            whole = match whole {
                Expr::Subscript(part) => &part.value,
                Expr::Attribute(part) => &part.value,
                _ => return,
            };
        }
        if let Expr::Name(name) = whole {
            self.bind(name.id.as_str(), at, Bound::Changed);
        }
    }

    /// A method called for its effect, such as `CONFIG.update(…)`.
    fn call(&mut self, expression: &'a Expr, at: TextSize) {
        const CHANGING: [&str; 11] = [
            "add",
            "append",
            "clear",
            "discard",
            "extend",
            "insert",
            "pop",
            "popitem",
            "remove",
            "setdefault",
            "update",
        ];
        if let Expr::Call(call) = expression
            && let Expr::Attribute(method) = &*call.func
            && CHANGING.contains(&method.attr.as_str())
        {
            self.change(&method.value, at);
        }
    }
}

fn elements(expression: &Expr) -> Option<&[Expr]> {
    match expression {
        Expr::Tuple(tuple) => Some(&tuple.elts),
        Expr::List(list) => Some(&list.elts),
        _ => None,
    }
}
