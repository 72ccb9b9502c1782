//! Leaves out of a module what nothing is read from: the bodies of its functions.
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
/// Leaving out less than this is not worth a copy.
const MIN_BODY: usize = 24;

/// The text with a comment in place of each body that is well formed beyond doubt, if there is
/// one. Bodies keep their docstrings.
///
/// Holds only for a text the parser finds no fault with: what is a body was told without it.
pub(super) fn of(source: &str) -> Option<String> {
    let mut bodies = Vec::new();
    // Where the track is lost, the bodies up to there are bodies all the same.
    let _ = find(&mut Text::new(source.as_bytes()), &mut bodies);
    if bodies.is_empty() {
        return None;
    }
    let mut outline = String::with_capacity(source.len());
    let mut kept = 0;
    for body in bodies {
        outline.push_str(source.get(kept..body.start)?);
        outline.push_str(STAND_IN);
        comment(&mut outline, body.len() - STAND_IN.len());
        kept = body.end;
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

/// Finds the bodies to leave out, from the first character of the first statement to the line
/// end behind the last. `None` where the track is lost.
fn find(text: &mut Text<'_>, bodies: &mut Vec<Range<usize>>) -> Option<()> {
    text.next_line()?;
    while !text.is_at_end() {
        let indent = text.indent;
        let is_function = text.eat_word(b"def") || text.eat_word(b"async") && text.eat_word(b"def");
        text.skip_line()?;
        if !is_function || text.indent <= indent {
            continue;
        }
        let begin = *text;
        match text.body(indent) {
            Some(body) if body.len() >= MIN_BODY => bodies.push(body),
            Some(_) => {}
            // Not plain, but functions within it may be.
            None => *text = begin,
        }
    }
    Some(())
}
