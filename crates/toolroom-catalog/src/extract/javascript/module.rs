//! The module's table of contents: which top-level name stands for which expression.
//!
//! One pass over the top-level statements; understands both module systems. Judges no
//! value and looks into no function body.

use std::cell::Cell;
use std::collections::BTreeMap;

use tree_sitter::Node;

use super::literal::property_name;
use super::syntax::{MAX_DEPTH, Source, has_token, parts};

/// The name a module's default export goes by.
pub(super) const DEFAULT: &str = "default";

/// What evaluating all of a file may cost, in [`super::literal`]'s units.
const FUEL: usize = 32 * 1024 * 1024;
const ELSEWHERE: &str = "it comes from another module";

/// What a name stands for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Definition<'t> {
    pub(super) value: Node<'t>,
    /// The statement or property its documentation stands before.
    pub(super) holder: Node<'t>,
    /// Why the value cannot be known, whatever the expression says.
    pub(super) hidden: Option<&'static str>,
    constant: bool,
}

impl<'t> Definition<'t> {
    fn new(value: Node<'t>, holder: Node<'t>) -> Self {
        Self {
            value,
            holder,
            hidden: None,
            constant: false,
        }
    }

    fn hidden(value: Node<'t>, holder: Node<'t>, reason: &'static str) -> Self {
        Self {
            hidden: Some(reason),
            ..Self::new(value, holder)
        }
    }
}

#[derive(Debug, Clone)]
enum Export<'t> {
    Local(&'t str),
    Here(Definition<'t>),
}

#[derive(Debug)]
pub(super) struct Module<'t> {
    pub(super) source: Source<'t>,
    /// Interfaces, type aliases and enums.
    pub(super) types: BTreeMap<&'t str, Node<'t>>,
    pub(super) is_script: bool,
    locals: BTreeMap<&'t str, Definition<'t>>,
    exports: BTreeMap<String, Export<'t>>,
    fuel: Cell<usize>,
}

impl<'t> Module<'t> {
    pub(super) fn new(root: Node<'t>, source: Source<'t>) -> Self {
        let mut module = Self {
            source,
            types: BTreeMap::new(),
            is_script: false,
            locals: BTreeMap::new(),
            exports: BTreeMap::new(),
            fuel: Cell::new(FUEL),
        };
        for statement in parts(root) {
            module.statement(statement);
        }
        module.open_default();
        module
    }

    /// What the name stands for: to other modules first, then inside this one.
    pub(super) fn definition(&self, name: &str) -> Option<Definition<'t>> {
        match self.exports.get(name) {
            Some(Export::Here(definition)) => Some(*definition),
            Some(Export::Local(local)) => self.locals.get(local).copied(),
            None => self.locals.get(name).copied(),
        }
    }

    /// The expression of a module-level name, wherever it stands.
    pub(super) fn local(&self, name: &str) -> Option<Definition<'t>> {
        self.locals.get(name).copied()
    }

    /// The expression of a constant that is complete before the given node begins.
    pub(super) fn constant_above(&self, name: &str, user: Node<'t>) -> Option<Node<'t>> {
        let definition = self.locals.get(name)?;
        let known = definition.constant
            && definition.hidden.is_none()
            && definition.value.end_byte() <= user.start_byte();
        known.then_some(definition.value)
    }

    /// Pays for evaluation; the whole module shares one tank.
    pub(super) fn burn(&self, cost: usize) -> bool {
        let left = self.fuel.get().checked_sub(cost);
        self.fuel.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Takes off what does not change a value: brackets, type assertions, `Object.freeze`.
    pub(super) fn unwrapped(&self, mut node: Node<'t>) -> Node<'t> {
        for _ in 0..MAX_DEPTH {
            let inner = match node.kind() {
                "parenthesized_expression"
                | "as_expression"
                | "satisfies_expression"
                | "non_null_expression" => parts(node).first().copied(),
                "type_assertion" => parts(node).last().copied(),
                "call_expression" => self.frozen(node),
                _ => None,
            };
            match inner {
                Some(inner) => node = inner,
                None => break,
            }
        }
        node
    }

    fn frozen(&self, call: Node<'t>) -> Option<Node<'t>> {
        let function = call.child_by_field_name("function")?;
        if self.source.text(function) != "Object.freeze" {
            return None;
        }
        match parts(call.child_by_field_name("arguments")?)[..] {
            [only] if only.kind() != "spread_element" => Some(only),
            _ => None,
        }
    }

    fn statement(&mut self, node: Node<'t>) {
        match node.kind() {
            "export_statement" => self.export(node),
            "expression_statement" => {
                if let Some(expression) = parts(node).first() {
                    self.assignment(*expression, node);
                }
            }
            "import_statement" => self.import(node),
            "if_statement" => self.is_script |= self.asks_for_main(node),
            _ => self.declaration(node, node),
        }
    }

    fn import(&mut self, node: Node<'t>) {
        let Some(from) = node.child_by_field_name("source") else {
            return;
        };
        let imported = Definition::hidden(from, node, ELSEWHERE);
        for clause in parts(node).into_iter().flat_map(parts) {
            let names = match clause.kind() {
                "named_imports" => parts(clause),
                _ => vec![clause],
            };
            for name in names {
                let alias = name.child_by_field_name("alias");
                let local = alias
                    .or_else(|| name.child_by_field_name("name"))
                    .unwrap_or(name);
                if local.kind() == "identifier" {
                    self.locals.insert(self.source.text(local), imported);
                }
            }
        }
    }

    fn declaration(&mut self, node: Node<'t>, holder: Node<'t>) {
        match node.kind() {
            "lexical_declaration" | "variable_declaration" => {
                let constant = has_token(node, "const");
                for declarator in parts(node) {
                    self.declarator(declarator, holder, constant);
                }
            }
            "function_declaration"
            | "generator_function_declaration"
            | "class_declaration"
            | "abstract_class_declaration" => {
                if let Some(name) = node.child_by_field_name("name") {
                    let definition = Definition::new(node, holder);
                    self.locals.insert(self.source.text(name), definition);
                }
            }
            "interface_declaration" | "type_alias_declaration" | "enum_declaration" => {
                if let Some(name) = node.child_by_field_name("name") {
                    self.types.insert(self.source.text(name), node);
                }
            }
            _ => {}
        }
    }

    fn declarator(&mut self, node: Node<'t>, holder: Node<'t>, constant: bool) {
        let name = node.child_by_field_name("name");
        let value = node.child_by_field_name("value");
        let (Some(name), Some(value)) = (name, value) else {
            return;
        };
        if name.kind() == "identifier" {
            let definition = Definition {
                constant,
                ..Definition::new(value, holder)
            };
            self.locals.insert(self.source.text(name), definition);
            return;
        }
        let taken = Definition::hidden(value, holder, "it is taken out of another value");
        for part in parts(name) {
            if part.kind() == "shorthand_property_identifier_pattern" {
                self.locals.insert(self.source.text(part), taken);
            }
        }
    }

    fn export(&mut self, node: Node<'t>) {
        if let Some(declaration) = node.child_by_field_name("declaration") {
            self.declaration(declaration, node);
            if has_token(node, DEFAULT) {
                let export = Export::Here(Definition::new(declaration, node));
                self.exports.insert(DEFAULT.to_owned(), export);
            }
            for name in self.declared(declaration) {
                self.exports.insert(name.to_owned(), Export::Local(name));
            }
            return;
        }
        if let Some(value) = node.child_by_field_name("value") {
            self.export_value(DEFAULT.to_owned(), value, node);
            return;
        }
        for part in parts(node) {
            match part.kind() {
                "export_clause" => self.export_names(part, node),
                _ if has_token(node, "=") => {
                    self.export_value(DEFAULT.to_owned(), part, node);
                }
                _ => {}
            }
        }
    }

    fn declared(&self, declaration: Node<'t>) -> Vec<&'t str> {
        let own = declaration.child_by_field_name("name");
        let listed = parts(declaration).into_iter();
        let listed = listed.filter_map(|part| match part.kind() {
            "variable_declarator" => part.child_by_field_name("name"),
            _ => None,
        });
        let names = own.into_iter().chain(listed);
        names.map(|name| self.source.text(name)).collect()
    }

    fn export_names(&mut self, clause: Node<'t>, statement: Node<'t>) {
        let elsewhere = statement.child_by_field_name("source");
        for specifier in parts(clause) {
            let Some(local) = specifier.child_by_field_name("name") else {
                continue;
            };
            let public = specifier.child_by_field_name("alias").unwrap_or(local);
            let public = self.source.text(public).trim_matches(['"', '\'']);
            let export = match elsewhere {
                Some(from) => Export::Here(Definition::hidden(from, statement, ELSEWHERE)),
                None => Export::Local(self.source.text(local)),
            };
            self.exports.insert(public.to_owned(), export);
        }
    }

    fn export_value(&mut self, name: String, value: Node<'t>, holder: Node<'t>) {
        let plain = self.unwrapped(value);
        let export = match plain.kind() {
            "identifier" if self.locals.contains_key(self.source.text(plain)) => {
                Export::Local(self.source.text(plain))
            }
            // A function may be exported above the line that declares it.
            "identifier" if name == DEFAULT => Export::Local(self.source.text(plain)),
            _ => Export::Here(Definition::new(value, holder)),
        };
        self.exports.insert(name, export);
    }

    /// `exports.a = module.exports.b = value`, and plain reassignments of a known variable.
    fn assignment(&mut self, expression: Node<'t>, holder: Node<'t>) {
        let mut targets = Vec::new();
        let mut value = expression;
        while value.kind() == "assignment_expression" {
            let left = value.child_by_field_name("left");
            let right = value.child_by_field_name("right");
            let (Some(left), Some(right)) = (left, right) else {
                return;
            };
            targets.push(left);
            value = right;
        }
        for target in targets {
            let path = self.source.text(target);
            if path == "module.exports" {
                self.export_value(DEFAULT.to_owned(), value, holder);
            } else if let Some(name) = exported_property(path) {
                self.export_value(name.to_owned(), value, holder);
            } else if let Some(known) = self.locals.get_mut(path) {
                *known = Definition::new(value, holder);
            }
        }
    }

    /// Makes the properties of a default-exported object exports, where no named one is in the way.
    fn open_default(&mut self) {
        let Some(default) = self.definition(DEFAULT) else {
            return;
        };
        let object = self.unwrapped(default.value);
        if object.kind() != "object" {
            return;
        }
        for property in parts(object) {
            let (key, export) = match property.kind() {
                "shorthand_property_identifier" => {
                    let name = self.source.text(property);
                    (Some(name.to_owned()), Export::Local(name))
                }
                "pair" => match property.child_by_field_name("value") {
                    Some(value) => (self.key_of(property, "key"), self.property(value, property)),
                    None => continue,
                },
                "method_definition" => {
                    let method = Definition::new(property, property);
                    (self.key_of(property, "name"), Export::Here(method))
                }
                _ => continue,
            };
            if let Some(key) = key {
                self.exports.entry(key).or_insert(export);
            }
        }
    }

    fn property(&self, value: Node<'t>, holder: Node<'t>) -> Export<'t> {
        let name = self.source.text(value);
        if value.kind() == "identifier" && self.locals.contains_key(name) {
            return Export::Local(name);
        }
        Export::Here(Definition::new(value, holder))
    }

    fn key_of(&self, property: Node<'t>, field: &str) -> Option<String> {
        property_name(self, property.child_by_field_name(field)?)
    }

    fn asks_for_main(&self, statement: Node<'t>) -> bool {
        let Some(condition) = statement.child_by_field_name("condition") else {
            return false;
        };
        let mut text = self.source.text(condition).to_owned();
        text.retain(|ch| !ch.is_whitespace());
        text.contains("import.meta.main")
            || (text.contains("require.main") && text.contains("module"))
            || (text.contains("import.meta.url") && text.contains("process.argv"))
    }
}

/// The `NAME` of `exports.NAME` and `module.exports.NAME`.
fn exported_property(path: &str) -> Option<&str> {
    let path = path.strip_prefix("module.").unwrap_or(path);
    let name = path.strip_prefix("exports.")?;
    (!name.contains(['.', '[', '(', ' '])).then_some(name)
}
