use proptest::prelude::*;
use toolroom_kernel::model::Environ;

use super::super::model::Selection;
use super::*;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, content) in files {
            let path = folder.path(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, content).unwrap();
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> Requirements {
        let mut env = Environ::new();
        env.set("TOKEN", "hunter2");
        let context = Context {
            working_directory: self.0.path(),
            env: &env,
            selection: Selection::default(),
        };
        read(&self.path(name), &context)
    }
}

fn names(found: &Requirements) -> Vec<&str> {
    found.items.iter().map(|item| item.name.as_str()).collect()
}

#[test]
fn every_kind_of_line_is_read_with_its_place() {
    let folder = Folder::new(&[
        (
            "requirements.txt",
            "\u{feff}# tools\n\
             Flask[async]>=2 ; python_version >= '3.8'  # web\n\
             six==1.16.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n\
             --extra-index-url https://user:pw@index/simple\n\
             -e ./lib\n\
             tool @ https://${TOKEN}@host/tool-1.0-py3-none-any.whl\n\
             git+https://host/x.git@main#egg=from_git[fast]\n\
             ./wheels/local_one-2.0-py3-none-any.whl\n\
             -c limits.txt\n",
        ),
        ("limits.txt", "urllib3<2\n"),
        ("lib/pyproject.toml", "[project]\nname = 'My.Lib'\n"),
    ]);
    let found = folder.read("requirements.txt");
    assert_eq!(found.problems, []);
    assert_eq!(
        names(&found),
        [
            "flask",
            "six",
            "my-lib",
            "tool",
            "from-git",
            "local-one",
            "urllib3"
        ]
    );
    let lines: Vec<_> = found
        .items
        .iter()
        .map(|item| item.origin.line.unwrap())
        .collect();
    assert_eq!(lines, [2, 3, 7, 8, 9, 10, 1]);
    assert_eq!(found.items[0].spec, ">=2");
    assert_eq!(found.items[2].text, "-e ./lib");
    assert_eq!(found.items[6].role, Role::Constraint);
    assert_eq!(found.options.len(), 3);
    assert_eq!(found.files.len(), 2);
}

#[test]
fn a_secret_in_a_url_is_in_no_output() {
    let folder = Folder::new(&[(
        "requirements.txt",
        "tool @ https://me:${TOKEN}@host/tool-1.0-py3-none-any.whl\nbad_ @ https://a:pw@h/x\n",
    )]);
    let found = folder.read("requirements.txt");
    let shown = serde_json::to_string(&found.items).unwrap() + &found.problems[0].to_string();
    assert!(
        !shown.contains("hunter2") && !shown.contains("pw@"),
        "{shown}"
    );
}

#[test]
fn a_cycle_is_named_and_the_rest_is_read() {
    let folder = Folder::new(&[
        ("a.txt", "-r b.txt\none\n"),
        ("b.txt", "two\n-r sub/../a.txt\n"),
        ("self.txt", "-r self.txt\nthree\n"),
    ]);
    let found = folder.read("a.txt");
    assert_eq!(names(&found), ["two", "one"]);
    let message = found.problems[0].to_string();
    assert!(
        message.contains("b.txt:2: ") && message.contains("includes itself"),
        "{message}"
    );
    assert_eq!(folder.read("self.txt").problems.len(), 1);
}

#[test]
fn a_file_included_twice_is_no_cycle() {
    let folder = Folder::new(&[("a.txt", "-r b.txt\n-r b.txt\n"), ("b.txt", "one\n")]);
    let found = folder.read("a.txt");
    assert_eq!(found.problems, []);
    assert_eq!(names(&found), ["one", "one"]);
}

#[test]
fn bad_lines_cost_only_themselves() {
    let cases = [
        ("foo_>=1", "the name ends in `_`"),
        ("foo===1.0-custom", "cannot judge"),
        ("--wat x", "unknown option `--wat`"),
        ("-r", "option `-r` has no value"),
        (
            "-r missing.txt",
            "missing.txt is included, but it cannot be read: there is no such file",
        ),
        ("-r https://host/r.txt", "remote files are not read"),
        ("???", "cannot judge"),
    ];
    for (line, message) in cases {
        let folder = Folder::new(&[("r.txt", &format!("six\n{line}\nattrs\n"))]);
        let found = folder.read("r.txt");
        assert_eq!(names(&found), ["six", "attrs"], "{line}");
        let problem = found.problems[0].to_string();
        assert!(
            problem.contains("r.txt:2: ") && problem.contains(message),
            "{problem}"
        );
    }
}

#[test]
fn a_missing_file_is_a_problem() {
    let found = Folder::new(&[]).read("none.txt");
    assert!(
        found.problems[0]
            .to_string()
            .contains("there is no such file")
    );
}

#[test]
fn includes_are_bounded_in_depth() {
    let files: Vec<(String, String)> = (0..40)
        .map(|n| (format!("{n}.txt"), format!("p{n}\n-r {}.txt\n", n + 1)))
        .collect();
    let borrowed: Vec<_> = files
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let found = Folder::new(&borrowed).read("0.txt");
    assert_eq!(found.items.len(), MAX_DEPTH);
    assert!(found.problems[0].to_string().contains("more than 16 deep"));
}

#[test]
fn options_are_split_as_pip_splits_them() {
    let cases = [
        ("-r a.txt", ("-r", "a.txt")),
        ("-ra.txt", ("-r", "a.txt")),
        ("--requirement=a b.txt", ("--requirement", "a b.txt")),
        ("--pre", ("--pre", "")),
        ("-", ("-", "")),
    ];
    for (text, expected) in cases {
        assert_eq!(option_parts(text), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_file_panics(content in "([-a-z@/;#\\[\\]=. \\\\\n\\PC]{0,20}\n){0,6}") {
        let env = Environ::new();
        let context = Context {
            working_directory: Path::new("/nonexistent"),
            env: &env,
            selection: Selection::default(),
        };
        let mut reader = Reader { context: &context, found: Requirements::default(), stack: Vec::new() };
        reader.file(Path::new("/nonexistent/r.txt"), &content, Role::Required);
    }
}
