//! What stands in brackets: sequences, sets and dictionaries, what is made of each of another,
//! what a function is called with, and parts.

use super::expression::Kind;
use super::text::{Text, is_word};

impl Text<'_> {
    /// What stands in round or square brackets: nothing, one or several, or what is made of
    /// each of another.
    pub(super) fn sequence(&mut self, bracket: u8) -> Option<()> {
        self.open();
        if self.close(bracket) {
            return Some(());
        }
        let is_spread = self.item()?;
        if !is_spread && self.comprehension()? {
            return self.close(bracket).then_some(());
        }
        let mut is_single = true;
        while self.eat(b',') {
            is_single = false;
            if self.peek() == bracket {
                break;
            }
            self.item()?;
        }
        // `(*a)` spreads into nothing.
        let is_nothing = is_single && is_spread && bracket == b')';
        (!is_nothing && self.close(bracket)).then_some(())
    }

    /// An expression, or `*` and what is spread; whether it is the latter.
    fn item(&mut self) -> Option<bool> {
        if self.peek() == b'*' && self.ahead(1) != b'*' {
            self.step(1);
            self.operand()?;
            return Some(true);
        }
        self.named_expression()?;
        Some(false)
    }

    /// A set or a dictionary.
    pub(super) fn braces(&mut self) -> Option<()> {
        self.open();
        if self.close(b'}') {
            return Some(());
        }
        let mut is_first = true;
        let mut is_set = false;
        loop {
            let is_spread = self.peek() == b'*' && self.ahead(1) == b'*';
            let mut is_pair = false;
            if is_spread {
                self.step(2);
                self.operand()?;
            } else {
                self.expression()?;
                is_pair = self.eat(b':');
                if is_pair {
                    self.expression()?;
                }
                if is_first && self.comprehension()? {
                    break;
                }
            }
            if is_first {
                is_set = !is_spread && !is_pair;
            } else if is_set == (is_spread || is_pair) {
                return None;
            }
            is_first = false;
            if !self.eat(b',') || self.peek() == b'}' {
                break;
            }
        }
        self.close(b'}').then_some(())
    }

    /// `for … in …`, as often as there are; whether there are.
    fn comprehension(&mut self) -> Option<bool> {
        let mut is_one = false;
        loop {
            if self.eat_word(b"async") {
                self.expect_word(b"for")?;
            } else if !self.eat_word(b"for") {
                return Some(is_one);
            }
            is_one = true;
            self.targets()?;
            self.expect_word(b"in")?;
            self.condition()?;
            while self.eat_word(b"if") {
                self.condition()?;
            }
        }
    }

    /// What a loop or a comprehension assigns to.
    pub(super) fn targets(&mut self) -> Option<()> {
        self.deeper(|text| {
            loop {
                if text.peek() == b'(' {
                    text.open();
                    text.targets()?;
                    text.close(b')').then_some(())?;
                } else if text.primary()? != Kind::Target {
                    return None;
                }
                if !text.eat(b',') || !is_word(text.peek()) && text.peek() != b'(' {
                    return Some(());
                }
            }
        })
    }

    /// What a function is called with: first by place, then by name.
    pub(super) fn arguments(&mut self) -> Option<()> {
        self.open();
        let mut is_named = false;
        let mut is_first = true;
        while !self.close(b')') {
            let is_spread = self.peek() == b'*';
            if is_spread && self.ahead(1) == b'*' {
                self.step(2);
                self.expression()?;
                is_named = true;
            } else if is_spread && !is_named {
                self.step(1);
                self.operand()?;
            } else if self.keyword()? {
                self.expression()?;
                is_named = true;
            } else {
                self.expression()?;
                if is_first && self.comprehension()? {
                    return self.close(b')').then_some(());
                }
                if is_named {
                    return None;
                }
            }
            is_first = false;
            if !self.eat(b',') {
                return self.close(b')').then_some(());
            }
        }
        Some(())
    }

    /// Over a name and its equals sign, if that is what is here.
    fn keyword(&mut self) -> Option<bool> {
        let sign = self.after_word();
        let is_keyword = self.ahead(sign) == b'=' && self.ahead(sign + 1) != b'=';
        if is_keyword {
            self.name()?;
            self.step(1);
        }
        Some(is_keyword)
    }

    /// How far ahead the first character is that is neither of the word here nor blank.
    pub(super) fn after_word(&self) -> usize {
        let mut distance = self.word().len();
        while self.ahead(distance) == b' ' {
            distance += 1;
        }
        distance
    }

    /// What stands in the brackets behind a value: indices and slices.
    pub(super) fn parts(&mut self) -> Option<()> {
        self.open();
        loop {
            let mut colons = 0;
            let mut is_empty = true;
            loop {
                if self.peek() == b':' && colons < 2 {
                    self.step(1);
                    colons += 1;
                    is_empty = true;
                } else if is_empty && !matches!(self.peek(), b',' | b']') {
                    self.expression()?;
                    is_empty = false;
                } else {
                    break;
                }
            }
            if colons == 0 && is_empty {
                return None;
            }
            if !self.eat(b',') || self.peek() == b']' {
                return self.close(b']').then_some(());
            }
        }
    }
}
