//! Which variables change what a process loads or runs. The list is data of the caller.

use crate::world::Os;

/// Whether a name matches one of the patterns: whole names, or prefixes that end in `*`.
/// On Windows case does not count, as it does not for variables there.
#[must_use]
pub fn is_loader_variable(name: &str, patterns: &[impl AsRef<str>], os: Os) -> bool {
    patterns.iter().any(|pattern| {
        let pattern = pattern.as_ref();
        match pattern.strip_suffix('*') {
            Some(prefix) => name
                .get(..prefix.len())
                .is_some_and(|start| same(start, prefix, os)),
            None => same(name, pattern, os),
        }
    })
}

fn same(left: &str, right: &str, os: Os) -> bool {
    match os {
        Os::Windows => left.eq_ignore_ascii_case(right),
        Os::Linux | Os::MacOs => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_name_or_a_prefix_with_a_star() {
        let patterns = ["PATH", "LD_*"];
        let table = [
            ("PATH", true),
            ("PATHS", false),
            ("MY_PATH", false),
            ("LD_PRELOAD", true),
            ("LD_", true),
            ("LD", false),
            ("path", false),
            ("", false),
            ("é", false),
        ];
        for (name, expected) in table {
            assert_eq!(
                is_loader_variable(name, &patterns, Os::Linux),
                expected,
                "{name}"
            );
        }
        assert!(!is_loader_variable("PATH", &[] as &[String], Os::Linux));
        assert!(is_loader_variable("ANY", &["*"], Os::Linux));
    }

    #[test]
    fn case_hides_nothing_where_variables_ignore_it() {
        let patterns = ["PATH".to_owned(), "LD_*".to_owned()];
        assert!(is_loader_variable("Path", &patterns, Os::Windows));
        assert!(is_loader_variable("ld_preload", &patterns, Os::Windows));
    }
}
