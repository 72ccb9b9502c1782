//! A YAML document as a tree that knows where each node is written.

use serde_json::Value;
use serde_saphyr::granit_parser::{
    Event, Options, Parser, ScalarStyle, ScanError, Span, StructureStyle,
};

use super::Fault;

/// A node and the bytes it is written in; a block ends with its last scalar.
#[derive(Debug)]
pub struct Node {
    pub start: usize,
    pub end: usize,
    /// Counted in characters from zero.
    pub column: usize,
    pub kind: Kind,
}

#[derive(Debug)]
pub enum Kind {
    Map {
        is_flow: bool,
        items: Vec<(Node, Node)>,
    },
    List {
        is_flow: bool,
        items: Vec<Node>,
    },
    Scalar {
        text: String,
        is_plain: bool,
    },
    /// `*name`, which stands for a node elsewhere.
    Alias(usize),
}

impl Node {
    pub fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, is_plain: true } if matches!(text.as_str(), "" | "~" | "null"))
    }

    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    pub fn name(&self) -> &'static str {
        match &self.kind {
            Kind::Map { .. } => "a mapping",
            Kind::List { .. } => "a list",
            Kind::Scalar { .. } if self.is_null() => "empty",
            Kind::Scalar { .. } => "a plain value",
            Kind::Alias(_) => "an alias",
        }
    }

    fn data(&self) -> Value {
        match &self.kind {
            Kind::Map { items, .. } => {
                let key = |node: &Self| {
                    node.text()
                        .map_or_else(|| node.data().to_string(), str::to_owned)
                };
                Value::Object(
                    items
                        .iter()
                        .map(|(name, value)| (key(name), value.data()))
                        .collect(),
                )
            }
            Kind::List { items, .. } => items.iter().map(Self::data).collect(),
            Kind::Scalar { text, is_plain } if *is_plain => plain(text),
            Kind::Scalar { text, .. } => Value::from(text.as_str()),
            Kind::Alias(id) => Value::from(format!("*{id}")),
        }
    }
}

pub fn value(text: &str) -> Result<Value, Fault> {
    Ok(root(text)?.map_or(Value::Null, |node| node.data()))
}

/// The one document of a text; a text of comments has none.
pub fn root(text: &str) -> Result<Option<Node>, Fault> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    let mut builder = Builder {
        parser: Parser::new_from_str_with_options(text, options),
        text,
    };
    let mut found = None;
    while let Some((event, span)) = builder.next()? {
        match event {
            Event::DocumentStart(..) if found.is_some() => {
                return Err(Fault::syntax(
                    offset(span.start),
                    "there are several documents in it",
                ));
            }
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(..)
            | Event::DocumentEnd => {}
            event => found = Some(builder.node(event, span)?),
        }
    }
    Ok(found.filter(|node| !node.is_null()))
}

fn offset(marker: serde_saphyr::granit_parser::Marker) -> usize {
    marker.byte_offset().unwrap_or_default()
}

struct Builder<'t> {
    parser: Parser<'t, serde_saphyr::granit_parser::StrInput<'t>>,
    text: &'t str,
}

impl<'t> Builder<'t> {
    fn next(&mut self) -> Result<Option<(Event<'t>, Span)>, Fault> {
        match self.parser.next() {
            None => Ok(None),
            Some(Ok(pair)) => Ok(Some(pair)),
            Some(Err(error)) => Err(fault(self.text, &error)),
        }
    }

    fn some(&mut self) -> Result<(Event<'t>, Span), Fault> {
        self.next()?
            .ok_or_else(|| Fault::syntax(self.text.len(), "the document ends too early"))
    }

    /// Recursion is bounded by the parser's own limit on nesting.
    fn node(&mut self, event: Event<'t>, span: Span) -> Result<Node, Fault> {
        let start = offset(span.start);
        let written = self.text.get(start..offset(span.end)).unwrap_or_default();
        let end = start + written.trim_end().len();
        let (kind, end) = match event {
            Event::Scalar(text, style, ..) => {
                let is_plain = style == ScalarStyle::Plain;
                (
                    Kind::Scalar {
                        text: text.into_owned(),
                        is_plain,
                    },
                    end,
                )
            }
            Event::Alias(id) => (Kind::Alias(id), end),
            Event::MappingStart(style, ..) => {
                let (nodes, close) = self.nodes(&Event::MappingEnd)?;
                let is_flow = style == StructureStyle::Flow;
                let end = if is_flow {
                    close
                } else {
                    last_end(&nodes, end)
                };
                (
                    Kind::Map {
                        is_flow,
                        items: pairs(nodes),
                    },
                    end,
                )
            }
            Event::SequenceStart(style, ..) => {
                let (items, close) = self.nodes(&Event::SequenceEnd)?;
                let is_flow = style == StructureStyle::Flow;
                let end = if is_flow {
                    close
                } else {
                    last_end(&items, end)
                };
                (Kind::List { is_flow, items }, end)
            }
            _ => return Err(Fault::syntax(start, "the document ends too early")),
        };
        let column = span.start.col();
        Ok(Node {
            start,
            end,
            column,
            kind,
        })
    }

    /// The nodes of a collection, and where the collection is closed.
    fn nodes(&mut self, close: &Event<'_>) -> Result<(Vec<Node>, usize), Fault> {
        let mut nodes = Vec::new();
        loop {
            let (event, span) = self.some()?;
            if event == *close {
                return Ok((nodes, offset(span.end)));
            }
            nodes.push(self.node(event, span)?);
        }
    }
}

fn pairs(nodes: Vec<Node>) -> Vec<(Node, Node)> {
    let mut nodes = nodes.into_iter();
    let mut pairs = Vec::with_capacity(nodes.len() / 2);
    while let (Some(key), Some(value)) = (nodes.next(), nodes.next()) {
        pairs.push((key, value));
    }
    pairs
}

/// The end of the last node that is written at all.
fn last_end(nodes: &[Node], end: usize) -> usize {
    nodes
        .iter()
        .filter(|node| !node.is_empty())
        .map(|node| node.end)
        .fold(end, usize::max)
}

impl Node {
    /// Whether nothing at all is written for it.
    fn is_empty(&self) -> bool {
        self.start == self.end && matches!(self.kind, Kind::Scalar { .. })
    }
}

fn fault(text: &str, error: &ScanError) -> Fault {
    let marker = error.marker();
    let line = text
        .lines()
        .take(marker.line().saturating_sub(1))
        .map(|line| line.len() + 1)
        .sum::<usize>();
    Fault::syntax(marker.byte_offset().unwrap_or(line), error.info())
}

fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        other => {
            let number = other.starts_with(|first: char| first.is_ascii_digit() || first == '-');
            let number = number
                .then(|| serde_json::from_str::<serde_json::Number>(other).ok())
                .flatten();
            number.map_or_else(|| Value::from(other), Value::Number)
        }
    }
}
