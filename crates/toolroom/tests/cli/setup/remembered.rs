//! What setup remembers: never taken for nothing because it cannot be read, never written
//! over because it is not understood.

use std::path::PathBuf;

use toolroom_test::TestContext;

use super::managers::with_squirrel;

const STATE: &str = ".local/state/toolroom";

/// A project that was set up, and the file with what was decided for it.
fn set_up() -> (TestContext, PathBuf) {
    let context = with_squirrel();
    context.tool("hi.sh", "# Greets.\necho hi\n");
    context.data(&["setup"]);
    let records = context.home().join(STATE).join("environments");
    let mut files = fs_err::read_dir(records).unwrap();
    let record = files.next().unwrap().unwrap().path();
    (context, record)
}

#[test]
fn a_decision_that_cannot_be_read_is_told_and_not_written_over() {
    let (context, record) = set_up();
    let text = fs_err::read_to_string(&record).unwrap();
    let newer = text.replace("\"version\": 1", "\"version\": 2, \"more\": []");
    assert_ne!(newer, text);
    let table = [
        ("{", "is damaged: "),
        ("{}", "is damaged: missing field `version`"),
        (
            &*newer,
            "has the form 2 of a newer Toolroom; this one knows 1",
        ),
    ];
    for (bytes, fault) in table {
        fs_err::write(&record, bytes).unwrap();
        for args in [
            &["setup"][..],
            &["setup", "--plan"],
            &["setup", "--undo"],
            &["run", "hi"],
            &["env", "hi"],
        ] {
            let error = context.error(args);
            assert_eq!(error["code"], "provision::bad_state", "{args:?}: {error:#}");
            assert!(
                error["message"].as_str().unwrap().contains(fault),
                "{error:#}"
            );
            assert!(error["help"].as_str().unwrap().contains("toolroom setup"));
            let path = std::path::Path::new(error["path"].as_str().unwrap());
            assert_eq!(path.file_name(), record.file_name());
            assert_eq!(fs_err::read_to_string(&record).unwrap(), bytes, "{args:?}");
        }
    }
    fs_err::remove_file(&record).unwrap();
    context.data(&["setup"]);
    assert_eq!(context.run(&["run", "hi"]).status, 0);
}

#[test]
fn a_journal_that_cannot_be_read_is_not_taken_for_an_empty_one() {
    let (context, _) = set_up();
    let journal = context.home().join(STATE).join("journal.jsonl");
    fs_err::remove_file(&journal).unwrap();
    fs_err::create_dir(&journal).unwrap();
    let error = context.error(&["setup", "--undo"]);
    assert_eq!(error["code"], "provision::bad_state", "{error:#}");
    assert!(context.project().join("hollow").is_dir());
}
