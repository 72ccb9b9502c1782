//! Paths as people read them: relative to where they are, `~` for home.

use std::path::Path;

use toolroom_kernel::World;

#[must_use]
pub fn shown(world: &World, path: &Path) -> String {
    let is_at_root = world.cwd.parent().is_none();
    if !is_at_root
        && let Ok(relative) = path.strip_prefix(&world.cwd)
        && !relative.as_os_str().is_empty()
    {
        return printable(relative);
    }
    if let Some(home) = &world.home
        && let Ok(relative) = path.strip_prefix(home)
        && !relative.as_os_str().is_empty()
    {
        return printable(&Path::new("~").join(relative));
    }
    printable(path)
}

/// A path on one line, without anything a terminal would act on: what could not be seen is
/// written as an escape.
#[must_use]
pub fn printable(path: &Path) -> String {
    let text = path.to_string_lossy();
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// A sentence with the paths in it as [`shown`] has them.
#[must_use]
pub fn shown_in(world: &World, text: &str) -> String {
    let text = match world.cwd.parent() {
        Some(_) => shortened(text, &world.cwd, ""),
        None => text.to_owned(),
    };
    match &world.home {
        Some(home) if home.parent().is_some() => shortened(&text, home, "~/"),
        _ => text,
    }
}

/// Puts something shorter in place of a folder wherever a path begins with it.
fn shortened(text: &str, folder: &Path, instead: &str) -> String {
    let prefix = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
    let mut out = String::with_capacity(text.len());
    let mut rest = 0;
    for (at, _) in text.match_indices(&prefix) {
        let before = text[..at].chars().next_back();
        let begins =
            before.is_none_or(|before| before.is_whitespace() || "\"'`(=:".contains(before));
        let ends = text[at + prefix.len()..].chars().next();
        if begins && ends.is_some_and(|next| !next.is_whitespace()) {
            out.push_str(&text[rest..at]);
            out.push_str(instead);
            rest = at + prefix.len();
        }
    }
    out.push_str(&text[rest..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_begins_with_a_folder_is_shortened() {
        let home = Path::new("/root");
        let short = |text: &str| shortened(text, home, "~/");
        assert_eq!(short("/root/.x asks for 3"), "~/.x asks for 3");
        assert_eq!(short("a (/root/x), \"/root/y\""), "a (~/x), \"~/y\"");
        for text in [
            "/backup/root/x",
            "/root is here",
            "/root/ is here",
            "/rooted/x",
        ] {
            assert_eq!(short(text), text);
        }
    }
}
