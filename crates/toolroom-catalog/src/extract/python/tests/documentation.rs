use serde_json::{Value, json};
use toolroom_kernel::Position;

use super::{document, main_of, parameter};

fn docstring(source: &str) -> Option<String> {
    document(source).docstring.map(|found| found.value)
}

#[test]
fn the_module_docstring_is_cleaned() {
    let cases = [
        ("'''One.'''", Some("One.")),
        (
            "'''  One.\n\n    Two.\n      Three.\n    '''",
            Some("One.\n\nTwo.\n  Three."),
        ),
        ("'''\n    One.\n\n\n'''", Some("One.")),
        ("'''\n\tOne.\n\t    Two.\n'''", Some("One.\n    Two.")),
        ("'One. ' 'Two.'", Some("One. Two.")),
        ("# comment\n\n'''One.'''", Some("One.")),
        ("r'''a\\b'''", Some("a\\b")),
        ("'''   '''", None),
        ("b'One.'", None),
        ("f'One.'", None),
        ("x = 1\n'''One.'''", None),
        ("", None),
    ];
    for (source, expected) in cases {
        assert_eq!(docstring(source).as_deref(), expected, "{source:?}");
    }
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_change_nothing() {
    let found = document("\u{feff}'''One.\r\n  Two.'''\r\nX = '''a\r\nb'''\r\nY = load()\r\n");
    assert_eq!(found.faults, []);
    let text = found.docstring.expect("has a docstring");
    assert_eq!(
        (text.value.as_str(), text.at),
        ("One.\nTwo.", Position::START)
    );
    assert_eq!(super::x("X = '''a\r\nb'''\r"), Ok(json!("a\nb")));
}

#[test]
fn the_first_prose_comment_is_found() {
    let cases = [
        (
            "# Fetches a page.\nimport os\n",
            Some(("Fetches a page.", 1)),
        ),
        (
            "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n# Fetches a page.\n",
            Some(("Fetches a page.", 3)),
        ),
        (
            "# rye:signed:2024:abc\n# kiwi-mcp:validated:abc\n# Fetches\n# a page.\n\n# More.\n",
            Some(("Fetches a page.", 3)),
        ),
        (
            "# /// script\n# dependencies = ['a']\n# ///\n# Fetches a page.\n",
            Some(("Fetches a page.", 4)),
        ),
        (
            "# SPDX-License-Identifier: MIT\n# ruff: noqa\n# type: ignore\n# fmt: off\n# Fetches.\n",
            Some(("Fetches.", 5)),
        ),
        ("# .ai/tools/x.py\n# Fetches.\n", Some(("Fetches.", 2))),
        (
            "# x.py\nimport os\n__version__ = '1'\n# Fetches.\nCONFIG = {}\n",
            Some(("Fetches.", 4)),
        ),
        ("import os\nCONFIG = {}\n# A detail.\n", None),
        ("'''\n# Not a comment.\n'''\nx = 1\n", None),
        ("import os  # for paths\nx = 1\n", None),
        ("#\n# ------\n", None),
        ("x = 1\n", None),
    ];
    for (source, expected) in cases {
        let found = document(source).comment;
        let found = found
            .as_ref()
            .map(|found| (found.value.as_str(), found.at.line));
        assert_eq!(found, expected, "{source:?}");
    }
}

#[test]
fn a_main_guard_makes_a_script() {
    let cases = [
        ("if __name__ == '__main__':\n    main()\n", true),
        ("if '__main__' == __name__: main()\n", true),
        ("if __name__ != '__main__': main()\n", false),
        ("if __name__ == 'main': main()\n", false),
        ("def f():\n    if __name__ == '__main__': pass\n", false),
    ];
    for (source, expected) in cases {
        assert_eq!(document(source).is_script, expected, "{source}");
    }
}

const GOOGLE: &str = "
    Args:
        x (int, optional): The first
            line goes on
            here.
        *args: The rest.

    Returns:
        x: not a parameter.
";
const NUMPY: &str = "
    Parameters
    ----------
    x : int, optional
        The first
        line goes on

        here.
    y, z
        Others.

    Returns
    -------
    x
        Not a parameter.
";
const REST: &str = "
    :param int x: The first
        line goes on
        here.
    :param y: Another.
    :returns: x: not a parameter.
";
const REST_TYPE: &str = "
    :param x: The first line
      goes on here.
    :type x: int
    :raises ValueError: never.
";

#[test]
fn each_docstring_style_describes_parameters() {
    for section in [GOOGLE, NUMPY, REST, REST_TYPE] {
        let source =
            format!("def main(x=None):\n    '''Do it.\n\n    At once.\n{section}\n    '''\n");
        let found = main_of(&source);
        assert_eq!(
            found.summary.as_deref(),
            Some("Do it.\n\nAt once."),
            "{section}"
        );
        let x = &found.parameters[0];
        assert_eq!(
            x.description.as_deref(),
            Some("The first line goes on here."),
            "{section}"
        );
        assert_eq!(
            Value::Object(x.schema.clone()),
            json!({"type": "integer"}),
            "{section}"
        );
    }
}

#[test]
fn an_annotation_counts_more_than_the_docstrings_type() {
    let found = parameter("def main(x: str):\n    '''Args:\n        x (int): An x.\n    '''\n");
    assert_eq!(Value::Object(found.schema), json!({"type": "string"}));
    assert_eq!(found.description.as_deref(), Some("An x."));
}

#[test]
fn types_may_be_worded_freely() {
    let cases = [
        ("int", json!({"type": "integer"})),
        ("string", json!({"type": "string"})),
        ("str or None", json!({"type": ["string", "null"]})),
        ("str | None, optional", json!({"type": ["string", "null"]})),
        (
            "list of str",
            json!({"type": "array", "items": {"type": "string"}}),
        ),
        (
            "list[dict[str, int]]",
            json!({"type": "array", "items": {"type": "object", "additionalProperties": {"type": "integer"}}}),
        ),
        ("{'a', 'b'}", json!({"type": "string", "enum": ["a", "b"]})),
        ("int, default: 3", json!({"type": "integer"})),
        ("optional", json!({})),
        ("whatever fits here", json!({})),
        ("Foo", json!({})),
    ];
    for (worded, expected) in cases {
        let google = format!(
            "def main(x=1):\n    '''Do.\n\n    Args:\n        x ({worded}): An x.\n    '''\n"
        );
        let numpy = format!(
            "def main(x=1):\n    '''Do.\n\n    Parameters\n    ----------\n    x : {worded}\n    '''\n"
        );
        for source in [
            google.replace("'''", "\"\"\""),
            numpy.replace("'''", "\"\"\""),
        ] {
            assert_eq!(
                Value::Object(parameter(&source).schema),
                expected,
                "{worded}"
            );
        }
    }
}

#[test]
fn entries_of_a_section_are_told_apart() {
    let source = r#"
def main(url, returns, opts, plain, kw):
    """Do it.

    Note:
        Kept in the summary.

    Args:
        url: Where: a colon, e.g. http://host.
        returns: A parameter with a heading's name.
        `opts` (dict[str, int]): A list:
            - one
            - two
        plain:
            On its own line.

    Keyword Args:
        kw: Named.

    Example:
        kw: not this.
    """
"#;
    let found = main_of(source);
    let texts: Vec<_> = found
        .parameters
        .iter()
        .map(|p| p.description.as_deref())
        .collect();
    assert_eq!(
        texts,
        [
            Some("Where: a colon, e.g. http://host."),
            Some("A parameter with a heading's name."),
            Some("A list: - one - two"),
            Some("On its own line."),
            Some("Named."),
        ]
    );
    assert_eq!(
        found.summary.as_deref(),
        Some("Do it.\n\nNote:\n    Kept in the summary.")
    );
}

#[test]
fn a_function_without_a_docstring_has_no_summary() {
    assert_eq!(main_of("def main(): pass").summary, None);
    assert_eq!(
        main_of("def main():\n    'Do it.'").summary.as_deref(),
        Some("Do it.")
    );
    assert_eq!(
        main_of("def main(x):\n    ''':param x: An x.'''").summary,
        None
    );
}
