//! Reads inline script metadata: TOML in a comment between `# /// name` and `# ///`.
//!
//! Follows PEP 723 to the letter about where a block begins and ends, for any line comment;
//! where the PEP would silently ignore a block that is never closed, this says so.

use serde_json::Value;
use toolroom_kernel::Position;

use super::data::{self, Format};
use super::document::{Located, SyntaxFault};
use super::prose::column_after;
use super::scan::has_byte;

/// Reads the block called `name`. Its place is its first line.
///
/// # Errors
///
/// A fault if the block is not closed, is there twice, or holds invalid TOML.
pub fn read(
    source: &str,
    line_comment: &str,
    name: &str,
) -> Result<Option<Located<Value>>, SyntaxFault> {
    // Most files have none; a single byte is looked for much faster than three.
    let may_have_one = has_byte(source, b'/') && source.contains("///");
    if line_comment.is_empty() || !may_have_one {
        return Ok(None);
    }
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let lines: Vec<&str> = source.lines().collect();
    let mut found: Option<Block<'_>> = None;
    for block in blocks(&lines, line_comment) {
        if block.name != name {
            continue;
        }
        if !block.closed {
            return Err(block.fault("this block has no closing line"));
        }
        if found.is_some() {
            return Err(block.fault("this block is there twice"));
        }
        found = Some(block);
    }
    found.map(|block| block.parse(line_comment)).transpose()
}

/// A block in the file; `start` is the index of its opening line.
struct Block<'a> {
    name: &'a str,
    start: usize,
    closed: bool,
    content: &'a [&'a str],
}

/// All blocks of a file, in order.
fn blocks<'a>(lines: &'a [&'a str], mark: &str) -> Vec<Block<'a>> {
    let mut blocks = Vec::new();
    let mut start = 0;
    for run in lines.split(|line| content(line, mark).is_none()) {
        blocks_of_run(run, start, mark, &mut blocks);
        start += run.len() + 1;
    }
    blocks
}

/// The blocks of an unbroken comment that begins at line `first`. A block runs to the last
/// closing line there, whatever comes between; one with nothing inside is none.
fn blocks_of_run<'a>(run: &'a [&'a str], first: usize, mark: &str, blocks: &mut Vec<Block<'a>>) {
    let closing = run
        .iter()
        .rposition(|line| content(line, mark) == Some("///"));
    let mut next = 0;
    for (index, line) in run.iter().enumerate() {
        let Some(name) = opened(line, mark).filter(|_| index >= next) else {
            continue;
        };
        let closing = closing.filter(|closing| *closing > index);
        if closing == Some(index + 1) {
            continue;
        }
        let content = closing.and_then(|closing| run.get(index + 1..closing));
        next = closing.map_or(index, |closing| closing) + 1;
        blocks.push(Block {
            name,
            start: first + index,
            closed: closing.is_some(),
            content: content.unwrap_or_default(),
        });
    }
}

impl Block<'_> {
    fn parse(&self, mark: &str) -> Result<Located<Value>, SyntaxFault> {
        let toml: Vec<&str> = self
            .content
            .iter()
            .map(|line| content(line, mark).unwrap_or_default())
            .collect();
        let entries =
            data::entries(&toml.join("\n"), Format::Toml).map_err(|fault| SyntaxFault {
                at: Position {
                    line: line_number(self.start).saturating_add(fault.at.line),
                    column: fault.at.column.saturating_add(column_after(mark)),
                },
                message: fault.message,
            })?;
        let object = entries.into_iter().map(|(key, value)| (key, value.value));
        Ok(Located {
            value: Value::Object(object.collect()),
            at: self.at(),
        })
    }

    fn at(&self) -> Position {
        Position {
            line: line_number(self.start),
            column: 1,
        }
    }

    fn fault(&self, message: &str) -> SyntaxFault {
        SyntaxFault {
            at: self.at(),
            message: format!("`{}`: {message}", self.name),
        }
    }
}

/// The name in an opening line.
fn opened<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let name = content(line, mark)?.strip_prefix("/// ")?;
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_name.then_some(name)
}

/// What a comment line says: nothing, or what follows the mark and one space.
fn content<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(mark)?;
    if rest.is_empty() {
        return Some(rest);
    }
    rest.strip_prefix(' ')
}

fn line_number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1)
}

#[cfg(test)]
mod tests;
