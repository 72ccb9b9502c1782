//! Finds every descendant of a process by the parents that `/proc` names.

use std::collections::HashMap;

use rustix::process::Pid;

/// The descendants at about this moment; what was forked meanwhile may be missing.
pub(super) fn of(ancestor: Pid) -> Vec<Pid> {
    below(&[ancestor], children())
}

/// Every process with its children.
fn children() -> HashMap<i32, Vec<i32>> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    let Ok(entries) = fs_err::read_dir("/proc") else {
        return children;
    };
    for entry in entries.flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        if let Ok(stat) = fs_err::read(entry.path().join("stat"))
            && let Some(parent) = parent(&stat)
        {
            children.entry(parent).or_default().push(pid);
        }
    }
    children
}

fn below(ancestors: &[Pid], mut children: HashMap<i32, Vec<i32>>) -> Vec<Pid> {
    let mut found = Vec::new();
    let mut ahead: Vec<i32> = ancestors
        .iter()
        .map(|pid| pid.as_raw_nonzero().get())
        .collect();
    while let Some(pid) = ahead.pop() {
        let of_this = children.remove(&pid).unwrap_or_default();
        found.extend(of_this.iter().copied().filter_map(Pid::from_raw));
        ahead.extend(of_this);
    }
    found
}

/// The fourth field. The second is the name in parentheses, which may hold anything.
fn parent(stat: &[u8]) -> Option<i32> {
    let after_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let rest = std::str::from_utf8(&stat[after_name..]).ok()?;
    rest.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_found_whatever_the_name() {
        let cases: [(&[u8], Option<i32>); 4] = [
            (b"12 (sh) S 7 12 12 0", Some(7)),
            (b"12 (a) S 1 (b\xff) R 8 1", Some(8)),
            (b"12 (sh", None),
            (b"", None),
        ];
        for (stat, expected) in cases {
            assert_eq!(parent(stat), expected);
        }
    }
}
