use std::str::FromStr;

use proptest::prelude::*;

use super::*;

fn parse(text: &str) -> Result<PythonRequirement, String> {
    PythonRequirement::parse(text, Path::new("/work"))
}

#[test]
fn what_makes_the_parser_panic_is_refused_by_name() {
    let cases = [
        ("foo_>=1", "the name ends in `_`"),
        ("foo->=1", "the name ends in `-`"),
        ("foo.>=1", "the name ends in `.`"),
        ("foo_ [x]", "the name ends in `_`"),
        ("foo[a-]", "an extra ends in `-`"),
        ("foo[a, b.]>=1", "an extra ends in `.`"),
        (
            "foo>=18446744073709551615",
            "a number of more than 18 digits",
        ),
    ];
    for (text, reason) in cases {
        let refusal = parse(text).unwrap_err();
        assert!(refusal.contains(reason), "{text}: {refusal}");
    }
}

#[test]
fn what_the_parser_would_ignore_is_refused() {
    let cases = [
        "x; python_version in '3.8, 3.9'",
        "x; python_version >= '3.8.*'",
        "x; 'a' == 'b'",
        "x; os_name ~= 'posix'",
        "x===1.0-custom",
        "x>=1.0.*",
        "./path",
    ];
    for text in cases {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn versions_are_compared_as_pep_440_says() {
    // The probes that a comparison of strings gets wrong come first.
    let cases = [
        ("psutil>=6.1.1", "10.0.0", true),
        ("pytest>=8.4.0", "8.10.0", true),
        ("pytest>=8.4.0", "10.0", true),
        ("pytest>=8.4.0", "8.4", true),
        ("psutil>=6.1.1", "6.1.1rc1", false),
        ("pytest>=8.4.0", "8.4.0rc1", false),
        ("pytest>=8.4.0", "8.4.0.dev1", false),
        ("psutil==6.1.1", "7.2.2", false),
        ("psutil<6", "7.2.2", false),
        ("psutil~=5.9", "7.2.2", false),
        ("psutil!=7.2.2", "7.2.2", false),
        ("x~=3.10", "3.11.2", true),
        ("x==3.11.*", "3.11.2", true),
        ("x!=3.9.*", "3.9.1", false),
        ("x>=3", "3.11.2", true),
        ("x==1.0", "1.0+local", true),
        ("x==1.0+other", "1.0+local", false),
        ("x>1.0", "1.0.post1", false),
        ("x<2.0", "2.0rc1", false),
        ("x>=1", "2.0rc1", true),
        ("x<1.0rc1", "1.0a1", true),
        ("x==1.1.*", "1", false),
        ("x==1.0.*", "1", true),
        ("x>=1!0", "9.0", false),
        ("x (>=1,<2)", "1.5", true),
        ("x", "0", true),
    ];
    for (text, version, expected) in cases {
        let version = Version::from_str(version).unwrap();
        assert_eq!(
            parse(text).unwrap().allows(&version),
            expected,
            "{text} {version}"
        );
    }
}

#[test]
fn names_follow_pep_503() {
    let cases = [
        ("Foo.Bar__baz", "foo-bar-baz"),
        ("PyYAML", "pyyaml"),
        ("a---b", "a-b"),
        ("scikit_learn", "scikit-learn"),
    ];
    for (name, expected) in cases {
        assert_eq!(normalize(name), expected);
        assert_eq!(parse(name).unwrap().name(), expected);
    }
}

#[test]
fn a_place_is_told_from_a_name() {
    let places = [
        "./a",
        "../a",
        "/a/b",
        ".",
        "a/b",
        r"C:\a",
        "https://h/x.whl",
        "git+https://h/x",
        "a-1.0.tar.gz",
        "a-1.0-py3-none-any.whl",
        "file:///x",
        r".\a",
    ];
    for text in places {
        assert!(is_location(text), "{text}");
    }
    for text in [
        "a",
        "a>=1",
        "a[x]>=1",
        "a @ https://h/x.whl",
        "a@https://h/x",
        "a[b] ; os_name == 'nt'",
    ] {
        assert!(!is_location(text), "{text}");
    }
}

#[test]
fn a_gate_is_seen_only_where_it_is_certain() {
    let cases = [
        ("x; extra == 'dev'", Some("dev")),
        (
            "x>=1; (python_version < \"3\") and extra == \"a.b\"",
            Some("a.b"),
        ),
        ("x; extra == 'a' or extra == 'b'", None),
        ("x; extra != 'a'", None),
        ("x; 'a' == extra", None),
        ("x; python_version < '3'", None),
        ("x; extra == 'color'", Some("color")),
        ("extra", None),
    ];
    for (text, expected) in cases {
        assert_eq!(gate(text), expected, "{text}");
    }
}

#[test]
fn archives_carry_their_names() {
    let cases = [
        ("/w/my_pkg-1.0-py3-none-any.whl", Some("my_pkg")),
        ("my-pkg-1.0.tar.gz", Some("my-pkg")),
        ("https://h/x/pkg-2.0.zip", Some("pkg")),
        ("https://h/archive/main.zip", None),
        ("dir", None),
    ];
    for (path, expected) in cases {
        assert_eq!(archive_name(path).as_deref(), expected, "{path}");
    }
}

#[test]
fn urls_are_kept_and_read_without_the_process() {
    let requirement = parse("x[a] @ file:///srv/${HOME}/x ; python_version >= '3'").unwrap();
    assert_eq!(
        requirement.source(),
        Some(&SourceUrl::Local {
            path: "/srv/${HOME}/x".into()
        })
    );
    assert_eq!(requirement.extras().collect::<Vec<_>>(), ["a"]);
}

#[test]
fn markers_that_would_run_away_are_refused_and_the_rest_is_quick() {
    let pairs = |count: usize| -> String {
        let pair = |n: usize| format!("(extra == 'a{n}' and extra == 'z{n}')");
        (0..count).map(pair).collect::<Vec<_>>().join(" or ")
    };
    assert!(parse(&format!("x; {}", pairs(40))).is_err());
    let ranges = |count: usize| -> String {
        let names = [
            "os_name",
            "sys_platform",
            "platform_machine",
            "platform_system",
        ];
        let term = |n: usize| {
            let parts = names.iter().enumerate();
            let parts = parts.map(|(i, name)| format!("{name} < '{:03}'", (n * (7 + 4 * i)) % 97));
            format!("({})", parts.collect::<Vec<_>>().join(" and "))
        };
        (0..count).map(term).collect::<Vec<_>>().join(" or ")
    };
    assert!(parse(&format!("x; {}", ranges(40))).is_err());
    let chain = |word: &str| {
        let names: Vec<String> = (0..300).map(|n| format!("extra == 'e{n}'")).collect();
        names.join(word)
    };
    let started = std::time::Instant::now();
    for marker in [pairs(8), ranges(11), chain(" or "), chain(" and ")] {
        assert!(parse(&format!("x; {marker}")).is_ok(), "{marker}");
    }
    assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,80}") {
        let _ = parse(&text);
        let _ = gate(&text);
        let _ = is_location(&text);
        let _ = archive_name(&text);
    }

    #[test]
    fn no_near_miss_panics(
        name in "[A-Za-z0-9._-]{0,6}",
        extras in "(\\[[a-z0-9,._ -]{0,8}\\]?)?",
        spec in "([<>=!~]{1,3} ?[0-9a-z.*!+-]{0,24},?){0,3}",
        marker in "(; ?(python_version|extra|os_name|platform_release|'[0-9.a ]{0,5}') ?(in|not in|==|~=|<|>=|===) ?('[0-9.*a-z_-]{0,20}'|extra)( (and|or) extra == 'x')?)?",
    ) {
        let _ = parse(&format!("{name}{extras}{spec}{marker}"));
    }
}
