//! Understands docstrings: what a thing does, and what is said of each parameter.
//!
//! Reads the Google, NumPy and reST styles, also mixed. Works line by line, in one pass.
//! Knows no syntax tree; types are handed on as the text they are written in.

use std::collections::HashMap;

/// A tab reaches to the next multiple of this, as in `str.expandtabs`.
const TAB: usize = 8;

/// A docstring, taken apart.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Documentation {
    /// The text before any section on parameters, results or errors.
    pub(super) summary: Option<String>,
    pub(super) parameters: HashMap<String, Described>,
}

/// What a docstring says of one parameter.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Described {
    pub(super) description: Option<String>,
    /// Its type, as written.
    pub(super) kind: Option<String>,
}

/// Strips the indentation a docstring has from its place in the code, as `inspect.cleandoc` does.
pub(super) fn clean(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(expand_tabs).collect();
    let margin = lines
        .iter()
        .skip(1)
        .filter(|line| !line.trim_start().is_empty())
        .map(|line| indent(line))
        .min()
        .unwrap_or(0);
    let mut cleaned: Vec<&str> = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        cleaned.push(match index {
            0 => line.trim_start(),
            _ => line.get(margin..).unwrap_or_default(),
        });
    }
    let first = cleaned.iter().position(|line| !line.is_empty());
    let last = cleaned.iter().rposition(|line| !line.is_empty());
    match (first, last) {
        (Some(first), Some(last)) => cleaned[first..=last].join("\n"),
        _ => String::new(),
    }
}

fn expand_tabs(line: &str) -> String {
    if !line.contains('\t') {
        return line.to_owned();
    }
    let mut expanded = String::with_capacity(line.len() + TAB);
    let mut column = 0;
    for character in line.chars() {
        if character == '\t' {
            let width = TAB - column % TAB;
            expanded.extend(std::iter::repeat_n(' ', width));
            column += width;
        } else {
            expanded.push(character);
            column += 1;
        }
    }
    expanded
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Takes a cleaned docstring apart.
pub(super) fn parse(text: &str) -> Documentation {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut parser = Parser::default();
    let mut at = 0;
    while at < lines.len() {
        at = parser.step(&lines, at);
    }
    parser.finish()
}

/// What the lines being read belong to.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Summary,
    /// A section on parameters, whose lines are indented at least so far.
    Parameters {
        style: Style,
        margin: usize,
    },
    /// A `:param:` field; its text may go on.
    Field,
    /// Anything after the summary that says nothing of parameters.
    Elsewhere,
}

#[derive(Clone, Copy, PartialEq)]
enum Style {
    Google,
    Numpy,
}

struct Parser<'a> {
    place: Place,
    summary: Vec<&'a str>,
    parameters: HashMap<String, Described>,
    /// The parameters the current text speaks of, and the text.
    current: Vec<&'a str>,
    text: Vec<&'a str>,
    /// The indentation of the entries in the current section.
    entries: Option<usize>,
}

impl Default for Parser<'_> {
    fn default() -> Self {
        Self {
            place: Place::Summary,
            summary: Vec::new(),
            parameters: HashMap::new(),
            current: Vec::new(),
            text: Vec::new(),
            entries: None,
        }
    }
}

impl<'a> Parser<'a> {
    /// Reads what begins at this line, and gives the line after it.
    fn step(&mut self, lines: &[&'a str], at: usize) -> usize {
        let line = lines[at];
        let trimmed = line.trim();
        if let Some(field) = Field::of(trimmed) {
            self.field(field);
            return at + 1;
        }
        if is_underline(lines.get(at + 1)) && !trimmed.is_empty() {
            if let Some(section) = Section::of(trimmed) {
                self.enter(section, Style::Numpy, indent(line));
                return at + 2;
            }
        } else if let Some(section) = trimmed.strip_suffix(':').and_then(Section::of)
            && self.may_begin(indent(line), lines, at)
        {
            // The first line has lost its indentation: all others may seem to stand under it.
            let margin = if at == 0 { 0 } else { indent(line) + 1 };
            self.enter(section, Style::Google, margin);
            return at + 1;
        }
        match self.place {
            Place::Summary => self.summary.push(line.trim_end()),
            Place::Parameters { style, margin } => self.entry(line, style, margin),
            Place::Field if trimmed.is_empty() => self.close(),
            Place::Field => self.text.push(trimmed),
            Place::Elsewhere => {}
        }
        at + 1
    }

    /// A parameter may be called `returns`: a heading stands outside the last section, and
    /// something indented follows it.
    fn may_begin(&self, heading: usize, lines: &[&str], at: usize) -> bool {
        let outside = match self.place {
            Place::Parameters { margin, .. } => heading < margin,
            _ => true,
        };
        let following = lines[at + 1..].iter().find(|line| !line.trim().is_empty());
        outside && following.is_none_or(|line| at == 0 || indent(line) > heading)
    }

    fn enter(&mut self, section: Section, style: Style, margin: usize) {
        self.close();
        self.entries = None;
        self.place = match section {
            Section::Parameters => Place::Parameters { style, margin },
            Section::Other => Place::Elsewhere,
        };
    }

    /// A line of a section on parameters.
    fn entry(&mut self, line: &'a str, style: Style, margin: usize) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            return;
        }
        let indent = indent(line);
        if indent < margin {
            self.close();
            self.place = Place::Elsewhere;
            return;
        }
        if self.entries.is_none() && style == Style::Google && margin == 0 {
            self.place = Place::Parameters {
                style,
                margin: indent,
            };
        }
        let entries = *self.entries.get_or_insert(indent);
        if indent <= entries {
            let found = match style {
                Style::Google => google_entry(trimmed),
                Style::Numpy => Some(numpy_entry(trimmed)),
            };
            if let Some(entry) = found {
                self.close();
                self.begin(entry);
                return;
            }
        }
        self.text.push(trimmed);
    }

    fn begin(&mut self, entry: Entry<'a>) {
        if let Some(kind) = entry.kind {
            for name in &entry.names {
                let known = self.parameters.entry((*name).to_owned()).or_default();
                known.kind = Some(kind.to_owned());
            }
        }
        self.current = entry.names;
        self.text.extend(entry.text);
    }

    fn field(&mut self, field: Field<'a>) {
        self.close();
        self.place = Place::Elsewhere;
        match field {
            Field::Parameter(entry) => {
                self.begin(entry);
                self.place = Place::Field;
            }
            Field::Type { name, kind } => {
                let known = self.parameters.entry(name.to_owned()).or_default();
                known.kind = Some(kind.to_owned());
            }
            Field::Other => {}
        }
    }

    /// Ends the current entry: its text is known.
    fn close(&mut self) {
        let text = self.text.join(" ");
        self.text.clear();
        for name in self.current.drain(..) {
            let known = self.parameters.entry(name.to_owned()).or_default();
            if !text.is_empty() {
                known.description = Some(text.clone());
            }
        }
    }

    fn finish(mut self) -> Documentation {
        self.close();
        let summary = self.summary.join("\n").trim().to_owned();
        Documentation {
            summary: Some(summary).filter(|summary| !summary.is_empty()),
            parameters: self.parameters,
        }
    }
}

fn is_underline(line: Option<&&str>) -> bool {
    line.map(|line| line.trim())
        .is_some_and(|line| line.len() >= 3 && line.bytes().all(|byte| matches!(byte, b'-' | b'=')))
}

#[derive(Clone, Copy)]
enum Section {
    Parameters,
    Other,
}

impl Section {
    fn of(heading: &str) -> Option<Self> {
        const PARAMETERS: [&str; 10] = [
            "args",
            "arguments",
            "attributes",
            "fields",
            "keyword args",
            "keyword arguments",
            "other parameters",
            "parameters",
            "params",
            "inputs",
        ];
        const OTHER: [&str; 11] = [
            "return", "returns", "raise", "raises", "yield", "yields", "receives", "warns",
            "methods", "result", "errors",
        ];
        let is = |names: &[&str]| names.iter().any(|name| heading.eq_ignore_ascii_case(name));
        if is(&PARAMETERS) {
            Some(Self::Parameters)
        } else {
            is(&OTHER).then_some(Self::Other)
        }
    }
}

/// The first line of what is said of a parameter.
struct Entry<'a> {
    names: Vec<&'a str>,
    kind: Option<&'a str>,
    text: Option<&'a str>,
}

fn not_empty(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// A parameter's bare name: stars, backticks and bullets are decoration.
fn bare_name(text: &str) -> Option<&str> {
    let name = text
        .trim()
        .trim_start_matches("- ")
        .trim_matches(['`', '*', '\\']);
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_')
        && !name.starts_with(|letter: char| letter.is_ascii_digit());
    is_name.then_some(name)
}

/// `name (type): text` or `name: text`.
fn google_entry(line: &str) -> Option<Entry<'_>> {
    let colon = outer_colon(line)?;
    let (head, text) = (line[..colon].trim_end(), &line[colon + 1..]);
    let (name, kind) = match head.split_once('(') {
        Some((name, kind)) => (name, Some(kind.strip_suffix(')')?)),
        None => (head, None),
    };
    Some(Entry {
        names: vec![bare_name(name)?],
        kind,
        text: not_empty(text),
    })
}

/// The first colon outside brackets.
fn outer_colon(line: &str) -> Option<usize> {
    let mut depth = 0_usize;
    line.bytes().position(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b':' && depth == 0
    })
}

/// `name : type` or `one, two : type`; the text follows on its own lines.
fn numpy_entry(line: &str) -> Entry<'_> {
    let (names, kind) = line
        .split_once(':')
        .map_or((line, None), |(names, kind)| (names, not_empty(kind)));
    Entry {
        names: names.split(',').filter_map(bare_name).collect(),
        kind,
        text: None,
    }
}

/// A reST field.
enum Field<'a> {
    Parameter(Entry<'a>),
    Type { name: &'a str, kind: &'a str },
    Other,
}

impl<'a> Field<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let inner = line.strip_prefix([':', '@'])?;
        let colon = inner.find(": ").or_else(|| {
            let end = inner.len().checked_sub(1)?;
            inner.ends_with(':').then_some(end)
        })?;
        let (head, text) = (&inner[..colon], &inner[colon + 1..]);
        let (role, rest) = head.split_once(' ').unwrap_or((head, ""));
        match role {
            "param" | "parameter" | "arg" | "argument" | "key" | "keyword" => {
                let (kind, name) = match rest.trim().rsplit_once(' ') {
                    Some((kind, name)) => (Some(kind), name),
                    None => (None, rest),
                };
                Some(Self::Parameter(Entry {
                    names: vec![bare_name(name)?],
                    kind,
                    text: not_empty(text),
                }))
            }
            "type" => Some(Self::Type {
                name: bare_name(rest)?,
                kind: not_empty(text)?,
            }),
            "return" | "returns" | "rtype" | "raises" | "raise" | "except" | "exception"
            | "yields" | "var" | "ivar" | "cvar" | "meta" | "vartype" => Some(Self::Other),
            _ => None,
        }
    }
}
