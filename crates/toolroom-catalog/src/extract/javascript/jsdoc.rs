//! Reads a documentation comment: its text, and the tags that describe a function.
//!
//! Works on text alone. Types stay as written; [`super::types`] understands them.

const MAX_TAGS: usize = 256;

/// A documentation comment, taken apart.
#[derive(Debug, Default)]
pub(super) struct JsDoc {
    /// The text before any tag, or that of `@description`.
    pub(super) summary: Option<String>,
    /// The summary, or what `@file` says.
    pub(super) overview: Option<String>,
    pub(super) is_about_file: bool,
    pub(super) params: Vec<Tag>,
    pub(super) returns: Option<String>,
    pub(super) typedefs: Vec<Typedef>,
}

impl JsDoc {
    pub(super) fn is_about_function(&self) -> bool {
        !self.params.is_empty() || self.returns.is_some()
    }
}

/// A `@param` or `@property`.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Tag {
    /// As written: `name`, `params.name`, `params.items[].name`.
    pub(super) path: String,
    pub(super) ty: Option<String>,
    pub(super) optional: bool,
    pub(super) default: Option<String>,
    pub(super) description: Option<String>,
}

/// A type declared in a comment, with its properties.
#[derive(Debug, PartialEq)]
pub(super) struct Typedef {
    pub(super) name: String,
    pub(super) ty: Option<String>,
    pub(super) properties: Vec<Tag>,
}

/// Strips the comment's frame: the delimiters and the stars down its left side.
pub(super) fn clean(comment: &str) -> String {
    let inside = comment.strip_prefix("/*").unwrap_or(comment);
    let inside = inside.strip_suffix("*/").unwrap_or(inside);
    let mut lines = inside.trim_start_matches('*').lines();
    let first = lines.next().unwrap_or_default();
    let rest = unframed(lines.collect());
    let mut out = first.trim().to_owned();
    for line in rest {
        out.push('\n');
        out.push_str(line.trim_end());
    }
    out.trim_end().trim_start_matches('\n').to_owned()
}

/// Takes off the stars, if every line has one, and then the indentation they share.
fn unframed(mut lines: Vec<&str>) -> Vec<&str> {
    let star = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('*');
    if lines.iter().all(|line| star(line)) {
        for line in &mut lines {
            *line = line.trim_start().strip_prefix('*').unwrap_or_default();
        }
    }
    let indent = lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches([' ', '\t']).len())
        .min()
        .unwrap_or(0);
    for line in &mut lines {
        *line = line.get(indent..).unwrap_or_default();
    }
    lines
}

/// Takes a comment apart; anything it does not know is left out.
pub(super) fn parse(comment: &str) -> JsDoc {
    let text = with_tags_on_lines(clean(comment));
    let (prose, tags) = split_tags(without_front_matter(&text));
    let mut doc = JsDoc {
        summary: non_empty(prose),
        ..JsDoc::default()
    };
    let mut overview = None;
    for (name, body) in tags {
        match name {
            "param" | "arg" | "argument" => doc.params.extend(tag(&body)),
            "returns" | "return" => doc.returns = braced(body.trim()).0.map(str::to_owned),
            "description" | "desc" if doc.summary.is_none() => doc.summary = non_empty(&body),
            "file" | "fileoverview" | "overview" => {
                doc.is_about_file = true;
                overview = non_empty(&body);
            }
            "module" | "packageDocumentation" => doc.is_about_file = true,
            "typedef" => doc.typedefs.extend(typedef(&body)),
            "property" | "prop" => {
                if let (Some(open), Some(property)) = (doc.typedefs.last_mut(), tag(&body)) {
                    open.properties.push(property);
                }
            }
            _ => {}
        }
    }
    doc.overview = doc.summary.clone().or(overview);
    doc
}

/// A comment of one line has its tags there as well: `/** Says hi. @param {string} name */`.
fn with_tags_on_lines(text: String) -> String {
    const TAGS: [&str; 5] = ["param", "arg", "argument", "returns", "return"];
    if text.contains('\n') || !text.contains(" @") {
        return text;
    }
    TAGS.iter().fold(text, |text, tag| {
        text.replace(&format!(" @{tag} "), &format!("\n@{tag} "))
    })
}

fn non_empty(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Cuts off metadata between two `---` lines at the top.
fn without_front_matter(text: &str) -> &str {
    let Some(rest) = text.trim_start().strip_prefix("---\n") else {
        return text;
    };
    match rest.split_once("\n---") {
        Some((_, after)) => after.split_once('\n').map_or("", |(_, prose)| prose),
        None => text,
    }
}

/// The prose above the first tag, then each tag's name and text.
fn split_tags(text: &str) -> (&str, Vec<(&str, String)>) {
    let mut tags: Vec<(&str, String)> = Vec::new();
    let mut prose_end = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if let Some((name, body)) = tag_line(line) {
            prose_end.get_or_insert(offset);
            if tags.len() == MAX_TAGS {
                break;
            }
            tags.push((name, body.to_owned()));
        } else if let Some((_, body)) = tags.last_mut() {
            body.push_str(line);
        }
        offset += line.len();
    }
    (&text[..prose_end.unwrap_or(text.len())], tags)
}

fn tag_line(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix('@')?;
    let end = rest
        .find(|ch: char| !ch.is_ascii_alphabetic())
        .unwrap_or(rest.len());
    (end > 0).then(|| rest.split_at(end))
}

/// `{type} name - description`, `{type} [name=default] description`.
fn tag(body: &str) -> Option<Tag> {
    let (ty, rest) = braced(body.trim());
    let (name, rest) = match rest.strip_prefix('[') {
        Some(inner) => inner.split_at(closing(inner, '[', ']')),
        None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
    };
    let bracketed = rest.starts_with(']');
    let text = rest.strip_prefix(']').unwrap_or(rest).trim_start();
    let (path, default) = match name.split_once('=') {
        Some((path, default)) if bracketed => (path, Some(default)),
        _ => (name, None),
    };
    let path = path.trim();
    if path.is_empty() {
        return None;
    }
    let (ty, marked) = match ty.and_then(|ty| ty.strip_suffix('=')) {
        Some(plain) => (Some(plain), true),
        None => (ty, false),
    };
    let text = text.strip_prefix('-').unwrap_or(text);
    Some(Tag {
        path: path.to_owned(),
        ty: ty.map(str::to_owned),
        optional: bracketed || marked,
        default: default.and_then(non_empty),
        description: non_empty(&one_line(text)),
    })
}

fn typedef(body: &str) -> Option<Typedef> {
    let (ty, rest) = braced(body.trim());
    let name = rest.split_whitespace().next()?;
    Some(Typedef {
        name: name.to_owned(),
        ty: ty.map(str::to_owned),
        properties: Vec::new(),
    })
}

/// Splits a leading `{type}` off; braces inside it balance.
fn braced(text: &str) -> (Option<&str>, &str) {
    let Some(inner) = text.strip_prefix('{') else {
        return (None, text);
    };
    let (ty, rest) = inner.split_at(closing(inner, '{', '}'));
    let rest = rest.strip_prefix('}').unwrap_or(rest);
    (Some(ty.trim()), rest.trim_start())
}

/// Where the bracket that is already open closes; quoted brackets do not count.
fn closing(text: &str, open: char, close: char) -> usize {
    let mut depth = 1_usize;
    let mut quote = None;
    for (index, ch) in text.char_indices() {
        match quote {
            Some(mark) if ch == mark => quote = None,
            Some(_) => {}
            None if matches!(ch, '"' | '\'') => quote = Some(ch),
            None if ch == open => depth += 1,
            None if ch == close => {
                depth -= 1;
                if depth == 0 {
                    return index;
                }
            }
            None => {}
        }
    }
    // An apostrophe may have looked like a quote; the first bracket is the better guess then.
    text.find(close).unwrap_or(text.len())
}

/// The text with every run of white space as one space.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
