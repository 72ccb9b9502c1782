//! Leaves out of a module what nothing is read from: the bodies of its functions, and all but
//! the names of functions that nobody asks for.
//!
//! Two thirds of reading a file is building the tree of its function bodies, only to learn that
//! they are well formed. A body that plainly is can be left out before. What is plain is decided
//! by a recogniser that knows the usual part of Python and gives up at all else, so it never
//! takes what the parser would refuse; where it gives up, the parser sees the body.
//!
//! Every offset and every line outside of bodies stays what it was. Knows nothing of what a
//! module's names mean.

mod brackets;
mod expression;
mod statement;
mod string;
mod text;

#[cfg(test)]
mod tests;

use std::ops::Range;

use self::text::Text;

/// What stands for a body, so that nothing else has to move.
const STAND_IN: &str = "pass#";
/// What stands for a body and the parameters before it.
const STAND_IN_WITH_PARAMETERS: &str = "):pass#";
/// Leaving out less than this is not worth a copy.
const MIN_BODY: usize = 24;

/// A part of the text, and what stands for it.
struct LeftOut {
    part: Range<usize>,
    stand_in: &'static str,
}

/// The text with a comment in place of each body that is well formed beyond doubt, if there is
/// one. Bodies keep their docstrings, and functions of the module their parameters, only if
/// their names are wanted.
///
/// Holds only for a text the parser finds no fault with: what is a body was told without it.
pub(super) fn of(source: &str, is_wanted: impl Fn(&[u8]) -> bool) -> Option<String> {
    let mut left_out = Vec::new();
    // Where the track is lost, the bodies up to there are bodies all the same.
    let _ = find(&mut Text::new(source.as_bytes()), &is_wanted, &mut left_out);
    if left_out.is_empty() {
        return None;
    }
    let mut outline = String::with_capacity(source.len());
    let mut kept = 0;
    for LeftOut { part, stand_in } in left_out {
        outline.push_str(source.get(kept..part.start)?);
        outline.push_str(stand_in);
        comment(&mut outline, part.len() - stand_in.len());
        kept = part.end;
    }
    outline.push_str(source.get(kept..)?);
    Some(outline)
}

fn comment(outline: &mut String, mut length: usize) {
    const DASHES: &str = "----------------------------------------------------------------";
    while length > DASHES.len() {
        outline.push_str(DASHES);
        length -= DASHES.len();
    }
    outline.push_str(&DASHES[..length]);
}

/// Finds what to leave out: bodies from the first character of the first statement to the line
/// end behind the last. `None` where the track is lost.
fn find(
    text: &mut Text<'_>,
    is_wanted: &impl Fn(&[u8]) -> bool,
    left_out: &mut Vec<LeftOut>,
) -> Option<()> {
    text.next_line()?;
    while !text.is_at_end() {
        let indent = text.indent;
        let is_function = text.eat_word(b"def") || text.eat_word(b"async") && text.eat_word(b"def");
        // Within classes, every function may tell something.
        let is_unwanted = is_function && indent == 0 && !is_wanted(text.word());
        let parameters = is_unwanted.then(|| text.parameters()).flatten();
        if parameters.is_none() {
            text.skip_line()?;
        }
        if !is_function || text.indent <= indent {
            continue;
        }
        let begin = *text;
        let Some(body) = text.body(indent) else {
            // Not plain, but functions within it may be.
            *text = begin;
            continue;
        };
        let (part, stand_in) = match parameters {
            Some(parameters) => (parameters..text.line_end, STAND_IN_WITH_PARAMETERS),
            None => (body, STAND_IN),
        };
        if part.len() >= MIN_BODY {
            left_out.push(LeftOut { part, stand_in });
        }
    }
    Some(())
}
