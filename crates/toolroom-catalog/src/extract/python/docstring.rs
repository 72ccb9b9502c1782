//! Understands docstrings: what a thing does, and what is said of each parameter.
//!
//! Reads the Google, NumPy and reST styles, also mixed. Works line by line, in one pass.
//! Knows no syntax tree; types are handed on as the text they are written in.

use std::borrow::Cow;

use memchr::memchr;
use rustc_hash::FxHashMap;

/// A tab reaches to the next multiple of this, as in `str.expandtabs`.
const TAB: usize = 8;

/// A docstring, taken apart.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Documentation<'a> {
    /// The text before any section on parameters, results or errors.
    pub(super) summary: Option<String>,
    pub(super) parameters: FxHashMap<&'a str, Described<'a>>,
}

/// What a docstring says of one parameter.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Described<'a> {
    pub(super) description: Option<Cow<'a, str>>,
    /// Its type, as written.
    pub(super) kind: Option<&'a str>,
}

impl Described<'_> {
    pub(super) fn text(&self) -> Option<String> {
        self.description.as_deref().map(str::to_owned)
    }
}

/// Strips the indentation a docstring has from its place in the code, as `inspect.cleandoc` does.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    if text.contains('\t') {
        let lines: Vec<String> = text.split('\n').map(expand_tabs).collect();
        return Cow::Owned(undented(&lines.join("\n")));
    }
    if !text.contains('\n') {
        return Cow::Borrowed(text.trim_start());
    }
    Cow::Owned(undented(text))
}

fn undented(text: &str) -> String {
    let margin = Lines::of(text)
        .skip(1)
        .filter(|line| !line.trim_start().is_empty())
        .map(indent)
        .min()
        .unwrap_or(0);
    let mut cleaned = String::with_capacity(text.len());
    for (index, line) in Lines::of(text).enumerate() {
        let line = match index {
            0 => line.trim_start(),
            _ => line.get(margin..).unwrap_or_default(),
        };
        // Empty lines at either end are left out.
        if !(cleaned.is_empty() && line.is_empty()) {
            cleaned.push_str(line);
            cleaned.push('\n');
        }
    }
    cleaned.truncate(cleaned.trim_end_matches('\n').len());
    cleaned
}

/// The lines of a text, as `split('\n')` has them, which takes longer to look for an end than
/// most lines are long.
#[derive(Clone)]
struct Lines<'a>(Option<&'a str>);

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        Self(Some(text))
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.0.take()?;
        let Some(end) = memchr(b'\n', rest.as_bytes()) else {
            return Some(rest);
        };
        self.0 = rest.get(end + 1..);
        rest.get(..end)
    }
}

fn expand_tabs(line: &str) -> String {
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
pub(super) fn parse(text: &str) -> Documentation<'_> {
    let mut parser = Parser::default();
    let mut lines = Lines::of(text);
    while let Some(line) = lines.next() {
        parser.step(line, &mut lines);
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
    /// Whether no line has been read yet.
    at_start: bool,
    summary: String,
    parameters: FxHashMap<&'a str, Described<'a>>,
    /// The parameters the current text speaks of, and the text.
    current: Names<'a>,
    text: Cow<'a, str>,
    /// The indentation of the entries in the current section.
    entries: Option<usize>,
}

impl Default for Parser<'_> {
    fn default() -> Self {
        Self {
            place: Place::Summary,
            at_start: true,
            summary: String::new(),
            parameters: FxHashMap::default(),
            current: Names::default(),
            text: Cow::Borrowed(""),
            entries: None,
        }
    }
}

impl<'a> Parser<'a> {
    /// Reads a line, and what belongs to it of those that follow.
    fn step(&mut self, line: &'a str, following: &mut Lines<'a>) {
        let at_start = std::mem::take(&mut self.at_start);
        let trimmed = line.trim();
        if let Some(field) = Field::of(trimmed) {
            return self.field(field);
        }
        if !trimmed.is_empty() && is_underline(following.clone().next()) {
            if let Some(section) = Section::of(trimmed) {
                following.next();
                return self.enter(section, Style::Numpy, indent(line));
            }
        } else if let Some(section) = trimmed.strip_suffix(':').and_then(Section::of)
            && self.may_begin(indent(line), following, at_start)
        {
            // The first line has lost its indentation: all others may seem to stand under it.
            let margin = if at_start { 0 } else { indent(line) + 1 };
            return self.enter(section, Style::Google, margin);
        }
        match self.place {
            Place::Summary => {
                self.summary.push_str(line.trim_end());
                self.summary.push('\n');
            }
            Place::Parameters { style, margin } => self.entry(line, style, margin),
            Place::Field if trimmed.is_empty() => self.close(),
            Place::Field => self.go_on(trimmed),
            Place::Elsewhere => {}
        }
    }

    /// A parameter may be called `returns`: a heading stands outside the last section, and
    /// something indented follows it.
    fn may_begin(&self, heading: usize, following: &Lines<'_>, at_start: bool) -> bool {
        let outside = match self.place {
            Place::Parameters { margin, .. } => heading < margin,
            _ => true,
        };
        let following = following.clone().find(|line| !line.trim().is_empty());
        outside && following.is_none_or(|line| at_start || indent(line) > heading)
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
        self.go_on(trimmed);
    }

    fn begin(&mut self, entry: Entry<'a>) {
        if let Some(kind) = entry.kind {
            for name in entry.names.iter() {
                self.parameters.entry(name).or_default().kind = Some(kind);
            }
        }
        self.current = entry.names;
        self.text = Cow::Borrowed(entry.text.unwrap_or_default());
    }

    /// Adds a line to what is said of the current parameters.
    fn go_on(&mut self, line: &'a str) {
        if self.text.is_empty() {
            self.text = Cow::Borrowed(line);
        } else {
            let text = self.text.to_mut();
            text.push(' ');
            text.push_str(line);
        }
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
                self.parameters.entry(name).or_default().kind = Some(kind);
            }
            Field::Other => {}
        }
    }

    /// Ends the current entry: its text is known.
    fn close(&mut self) {
        let text = std::mem::take(&mut self.text);
        for name in std::mem::take(&mut self.current).iter() {
            let known = self.parameters.entry(name).or_default();
            if !text.is_empty() {
                known.description = Some(text.clone());
            }
        }
    }

    fn finish(mut self) -> Documentation<'a> {
        self.close();
        let summary = self.summary.trim();
        Documentation {
            summary: (!summary.is_empty()).then(|| summary.to_owned()),
            parameters: self.parameters,
        }
    }
}

fn is_underline(line: Option<&str>) -> bool {
    line.map(str::trim)
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
    names: Names<'a>,
    kind: Option<&'a str>,
    text: Option<&'a str>,
}

/// The names an entry speaks of, as they are written: one, or several with commas between.
#[derive(Default)]
struct Names<'a>(&'a str);

impl<'a> Names<'a> {
    fn iter(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.0.split(',').filter_map(bare_name)
    }
}

fn not_empty(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// A parameter's bare name: stars, backticks and bullets are decoration.
fn bare_name(text: &str) -> Option<&str> {
    let mut name = text.trim();
    while let Some(rest) = name.strip_prefix("- ") {
        name = rest;
    }
    let name = name.trim_matches(['`', '*', '\\']);
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
        names: Names(bare_name(name)?),
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
        names: Names(names),
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
                    names: Names(bare_name(name)?),
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
