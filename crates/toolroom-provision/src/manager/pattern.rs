//! Patterns of folders: `*`, `?`, `[ab]`, `{a,b}` and `**` for any number of folders.
//!
//! What a pattern says beyond that is not guessed at: it matches whatever could be meant, as
//! a folder that is looked at in vain does no harm and one that is overlooked does. Knows
//! nothing of files.

/// More ways than any pattern in use has, and few enough to be tried.
const MAX_WAYS: usize = 1024;

/// One way to read a pattern, as the names from folder to folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    names: Vec<Name>,
    /// Whether it takes out what others before it name.
    pub takes_out: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    /// Any folders, or none.
    Any,
    Like(Vec<Piece>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Letter(char),
    AnyLetter,
    AnyLetters,
    OneOf {
        ranges: Vec<(char, char)>,
        is_not: bool,
    },
}

/// How far into a pattern a path has come: the names that may be next.
pub type Reached = Vec<usize>;

impl Pattern {
    /// Reads a pattern into the ways it can be read; none if it leads out of where it starts.
    #[must_use]
    pub fn read(text: &str) -> Vec<Self> {
        let text = text.trim();
        let (takes_out, text) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let ways = alternatives(text).filter(|_| is_understood(text));
        let is_plain = ways.is_some();
        if takes_out && !is_plain {
            return Vec::new();
        }
        let ways = ways.unwrap_or_else(|| vec![text.to_owned()]);
        ways.iter()
            .filter_map(|way| names(way, is_plain))
            .map(|names| Self { names, takes_out })
            .collect()
    }

    /// Before the first folder.
    #[must_use]
    pub fn start(&self) -> Reached {
        self.with_none(vec![0])
    }

    /// After one more folder; empty where nothing below it can match. A link is never one of
    /// any number of folders, so that no circle is walked.
    #[must_use]
    pub fn step(&self, reached: &Reached, name: &str, is_link: bool) -> Reached {
        let mut next = Reached::new();
        for &at in reached {
            match self.names.get(at) {
                Some(Name::Any) if !is_link && !name.starts_with('.') => next.push(at),
                Some(Name::Like(pieces)) if is_like(pieces, name) => next.push(at + 1),
                _ => {}
            }
        }
        self.with_none(next)
    }

    #[must_use]
    pub fn is_met(&self, reached: &Reached) -> bool {
        reached.contains(&self.names.len())
    }

    /// Adds what may be next where any number of folders is none.
    fn with_none(&self, mut reached: Reached) -> Reached {
        let mut index = 0;
        while let Some(&at) = reached.get(index) {
            if self.names.get(at) == Some(&Name::Any) && !reached.contains(&(at + 1)) {
                reached.push(at + 1);
            }
            index += 1;
        }
        reached.sort_unstable();
        reached.dedup();
        reached
    }
}

/// Escapes and `@(a|b)` are not.
fn is_understood(text: &str) -> bool {
    let opens = |kind: char| text.contains(&format!("{kind}("));
    !text.contains('\\') && !['@', '+', '?', '*', '!'].into_iter().any(opens)
}

/// The names of a pattern without alternatives; none if it leads elsewhere. From the first
/// name that is not understood on, anything may be meant.
fn names(text: &str, is_plain: bool) -> Option<Vec<Name>> {
    let mut names = Vec::new();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." => return None,
            part if !is_plain && (part.contains('{') || !is_understood(part)) => {
                names.push(Name::Any);
                break;
            }
            "**" => names.push(Name::Any),
            part => names.push(Name::Like(pieces(part))),
        }
    }
    Some(names)
}

fn pieces(text: &str) -> Vec<Piece> {
    let letters: Vec<char> = text.chars().collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        at += 1;
        pieces.push(match letter {
            '*' if pieces.last() == Some(&Piece::AnyLetters) => continue,
            '*' => Piece::AnyLetters,
            '?' => Piece::AnyLetter,
            '[' => match one_of(&letters[at..]) {
                Some((piece, length)) => {
                    at += length;
                    piece
                }
                None => Piece::Letter('['),
            },
            letter => Piece::Letter(letter),
        });
    }
    pieces
}

/// `a-z]` or `!a-z]`, and how long it is; none if it has no end.
fn one_of(letters: &[char]) -> Option<(Piece, usize)> {
    let is_not = matches!(letters.first(), Some('!' | '^'));
    let start = usize::from(is_not);
    // A bracket that comes first is one of the letters.
    let end = start + 1 + letters.get(start + 1..)?.iter().position(|&c| c == ']')?;
    let mut ranges = Vec::new();
    let mut left = &letters[start..end];
    while let [first, rest @ ..] = left {
        (ranges, left) = match rest {
            ['-', last, rest @ ..] => (with(ranges, (*first, *last)), rest),
            rest => (with(ranges, (*first, *first)), rest),
        };
    }
    Some((Piece::OneOf { ranges, is_not }, end + 1))
}

fn with(mut ranges: Vec<(char, char)>, range: (char, char)) -> Vec<(char, char)> {
    ranges.push(range);
    ranges
}

/// A hidden name is meant only where the pattern says so with its first letter.
fn is_like(pieces: &[Piece], name: &str) -> bool {
    if name.starts_with('.') && pieces.first() != Some(&Piece::Letter('.')) {
        return false;
    }
    let letters: Vec<char> = name.chars().collect();
    let (mut piece, mut letter) = (0, 0);
    // Where to go on if what was tried last fails: after a piece that takes one more letter.
    let mut again: Option<(usize, usize)> = None;
    while letter < letters.len() {
        match pieces.get(piece) {
            Some(Piece::AnyLetters) => {
                again = Some((piece, letter));
                piece += 1;
            }
            Some(one) if takes(one, letters[letter]) => {
                piece += 1;
                letter += 1;
            }
            _ => match again {
                Some((star, tried)) => {
                    again = Some((star, tried + 1));
                    (piece, letter) = (star + 1, tried + 1);
                }
                None => return false,
            },
        }
    }
    pieces[piece..]
        .iter()
        .all(|rest| *rest == Piece::AnyLetters)
}

fn takes(piece: &Piece, letter: char) -> bool {
    match piece {
        Piece::Letter(wanted) => *wanted == letter,
        Piece::AnyLetter => true,
        Piece::AnyLetters => false,
        Piece::OneOf { ranges, is_not } => {
            let is_in = |&(first, last): &(char, char)| (first..=last).contains(&letter);
            ranges.iter().any(is_in) != *is_not
        }
    }
}

/// Every text that `{a,b}` stands for, none if there are too many.
fn alternatives(text: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut left = vec![text.to_owned()];
    while let Some(text) = left.pop() {
        if done.len() + left.len() > MAX_WAYS {
            return None;
        }
        match first_choice(&text) {
            None => done.push(text),
            Some((before, choices, after)) => {
                left.extend(
                    choices
                        .iter()
                        .map(|choice| format!("{before}{choice}{after}")),
                );
            }
        }
    }
    Some(done)
}

/// The first braces with a comma in them, and what is around them.
fn first_choice(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    text.match_indices('{').find_map(|(open, _)| {
        let inner = &text[open + 1..];
        let (mut depth, mut start, mut choices) = (0_usize, 0, Vec::new());
        for (at, byte) in inner.bytes().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' if depth > 0 => depth -= 1,
                b',' if depth == 0 => {
                    choices.push(&inner[start..at]);
                    start = at + 1;
                }
                b'}' if choices.is_empty() => return None,
                b'}' => {
                    choices.push(&inner[start..at]);
                    return Some((&text[..open], choices, &inner[at + 1..]));
                }
                _ => {}
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Pattern::read(pattern).iter().any(|pattern| {
            let names = path.split('/').filter(|name| !name.is_empty());
            let reached = names.fold(pattern.start(), |reached, name| {
                pattern.step(&reached, name, false)
            });
            pattern.is_met(&reached)
        })
    }

    #[test]
    fn a_pattern_names_the_folders_that_package_managers_take_it_to_name() {
        let table = [
            ("packages/*", "packages/a", true),
            ("packages/*", "packages/a/b", false),
            ("packages/*", "packages", false),
            ("./packages/*/", "packages/a", true),
            ("/packages/a", "packages/a", true),
            ("packages/*", "packages/.hidden", false),
            ("packages/.h*", "packages/.hidden", true),
            ("packages/**", "packages/a", true),
            ("packages/**", "packages/a/b/c", true),
            ("packages/**", "packages/a/.b/c", false),
            ("packages/**/test", "packages/test", true),
            ("packages/**/test", "packages/a/b/test", true),
            ("packages/**/test", "packages/a/b/tests", false),
            ("**", "a/b", true),
            ("**/plugin-*", "x/y/plugin-z", true),
            ("*-app", "an-app", true),
            ("*-app", "an-apple", false),
            ("a*b*c", "aXbYbc", true),
            ("a?", "ab", true),
            ("a?", "a", false),
            ("{apps,packages/{x,y}}/*", "apps/a", true),
            ("{apps,packages/{x,y}}/*", "packages/y/a", true),
            ("{apps,packages/{x,y}}/*", "packages/z/a", false),
            ("{one}", "{one}", true),
            ("v[0-9]", "v7", true),
            ("v[!0-9]", "v7", false),
            ("v[]]", "v]", true),
            ("v[", "v[", true),
            ("packages/@(a|b)", "packages/a", true),
            ("../other", "other", false),
            ("packages/../other", "other", false),
        ];
        for (pattern, path, wanted) in table {
            assert_eq!(matches(pattern, path), wanted, "{pattern} of {path}");
        }
    }

    #[test]
    fn what_takes_out_does_so_only_if_it_is_understood() {
        assert!(Pattern::read("!packages/a").iter().all(|p| p.takes_out));
        assert_eq!(Pattern::read("!packages/!(a)"), []);
    }

    #[test]
    fn a_link_is_not_one_of_any_number_of_folders() {
        let [pattern] = Pattern::read("**/a").try_into().unwrap();
        let link = pattern.step(&pattern.start(), "b", true);
        assert_eq!(link, Reached::new());
        assert!(pattern.is_met(&pattern.step(&pattern.start(), "a", true)));
    }

    #[test]
    fn a_pattern_of_too_many_ways_matches_whatever_could_be_meant() {
        let many = format!("packages/{}", "{a,b}".repeat(40));
        assert!(matches(&many, "packages/ab") && !matches(&many, "apps/ab"));
    }

    proptest! {
        #[test]
        fn any_text_can_be_read_and_tried(text in ".{0,40}", path in ".{0,40}") {
            matches(&text, &path);
        }

        #[test]
        fn a_path_matches_itself_and_what_is_cut_from_it(
            path in "[a-z]{1,6}(/[a-z]{1,6}){0,4}", cut in 0_usize..6,
        ) {
            prop_assert!(matches(&path, &path));
            prop_assert!(matches("**", &path));
            let (folders, last) = path.rsplit_once('/').unwrap_or(("", &path));
            let start: String = last.chars().take(cut).collect();
            let cut_off = format!("{folders}/{start}*");
            prop_assert!(matches(&cut_off, &path), "{}", cut_off);
        }
    }
}
