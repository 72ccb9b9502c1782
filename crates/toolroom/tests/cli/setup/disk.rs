//! A disk that is full: a small file system of its own, in a namespace of its own, so that no
//! root is needed.

use std::process::Command;

use toolroom_test::{TestContext, skip_unpermitted};

use super::crash::tree;
use super::{bytes_of, with_uv};

/// Runs a shell script with a small file system mounted on a folder. Nothing where the
/// machine does not let us.
fn on_a_small_disk(
    context: &TestContext,
    folder: &str,
    size: &str,
    script: &str,
) -> Option<String> {
    let setup = context.command(&["setup"]);
    let mut command = Command::new("unshare");
    command
        .args(["--map-root-user", "--mount", "sh", "-euc"])
        .arg(format!(
            "mount -t tmpfs -o size={size} none \"$1\"\ncd \"$2\"\nmkdir -p .ai/tools\n{script}"
        ))
        .args(["sh", folder])
        .arg(context.project())
        .arg(setup.get_program())
        .env_clear()
        .envs(
            setup
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
    let probe = Command::new("unshare")
        .args(["--map-root-user", "--mount", "true"])
        .status();
    if !probe.is_ok_and(|status| status.success()) {
        skip_unpermitted("a namespace of one's own");
        return None;
    }
    let output = command.output().unwrap();
    let text = context.normalise(&[output.stdout, output.stderr].concat());
    assert!(output.status.success(), "{text}");
    Some(text)
}

/// Everything of a folder, as one number.
const SUM: &str = "sum() { (cd \"$1\" && find . -print0 | sort -z | tar --no-recursion --null -T - --mtime=@0 -cf - | sha256sum); }";

#[test]
fn a_disk_that_fills_up_leaves_a_users_environment_byte_for_byte() {
    let Some(context) = with_uv() else { return };
    let project = context.project();
    let script = format!(
        r#"{SUM}
uv venv -q --python "$(command -v python3)" .venv
uv pip install -q --python .venv/bin/python six==1.16.0
printf 'six\npygments\n' > requirements.txt
before=$(sum .venv)
status=0; "$3" setup --json > answer.json || status=$?
cat answer.json
[ "$status" = 125 ]
[ "$before" = "$(sum .venv)" ] || {{ echo changed; find .venv -newer requirements.txt; exit 1; }}
"#
    );
    let Some(text) = on_a_small_disk(&context, project.to_str().unwrap(), "2m", &script) else {
        return;
    };
    assert!(text.contains("provision::failed"), "{text}");
    assert!(
        text.contains("No space left") || text.contains("os error 28"),
        "{text}"
    );
}

#[test]
fn a_disk_that_fills_up_leaves_nothing_of_a_new_environment() {
    let Some(context) = with_uv() else { return };
    let project = context.project();
    let script = r#"
echo pygments > requirements.txt
status=0; "$3" setup || status=$?
[ "$status" = 125 ]
[ ! -e .venv ] || { echo left; find .venv; exit 1; }
"#;
    on_a_small_disk(&context, project.to_str().unwrap(), "1m", script);
}

#[test]
fn without_room_for_the_journal_nothing_is_begun() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "six\n");
    let state = context.home().join(".local/state");
    fs_err::create_dir_all(&state).unwrap();
    let script = r#"
cat /dev/zero > "$1/full" 2>/dev/null || true
status=0; "$3" setup || status=$?
[ "$status" = 125 ]
[ ! -e .venv ]
"#;
    let Some(text) = on_a_small_disk(&context, state.to_str().unwrap(), "16k", script) else {
        return;
    };
    assert!(text.contains("error[provision::io]"), "{text}");
}

#[test]
fn an_environment_that_cannot_be_written_to_stays_as_it_is() {
    let Some(context) = with_uv() else { return };
    let project = context.project();
    let script = format!(
        r#"{SUM}
uv venv -q --python "$(command -v python3)" .venv
uv pip install -q --python .venv/bin/python six==1.16.0
printf 'six\nidna\n' > requirements.txt
before=$(sum .venv)
cd / && mount -o remount,bind,ro "$1" && cd "$1"
status=0; "$3" setup --json || status=$?
[ "$status" = 125 ]
[ "$before" = "$(sum .venv)" ]
"#
    );
    let Some(text) = on_a_small_disk(&context, project.to_str().unwrap(), "4m", &script) else {
        return;
    };
    assert!(text.contains(".venv cannot be kept as it is"), "{text}");
    let script = "echo six > requirements.txt\ncd / && mount -o remount,bind,ro \"$1\" && cd \"$1\"\nstatus=0; \"$3\" setup || status=$?\n[ \"$status\" = 125 ]\n[ ! -e .venv ]\n";
    let text = on_a_small_disk(&context, project.to_str().unwrap(), "1m", script).unwrap();
    assert!(text.contains("Read-only file system"), "{text}");
}

#[test]
fn a_workspace_that_cannot_be_written_to_is_named_and_stays_as_it_is() {
    let context = tree(true);
    let before = bytes_of(&context.project());
    let spare = context.root().join("spare");
    fs_err::create_dir(&spare).unwrap();
    let script = r#"
mount --bind "$2" "$2"
cd / && mount -o remount,bind,ro "$2" && cd "$2/trees/a"
status=0; "$3" setup || status=$?
[ "$status" = 125 ]
"#;
    let Some(text) = on_a_small_disk(&context, spare.to_str().unwrap(), "1m", script) else {
        return;
    };
    assert_eq!(bytes_of(&context.project()), before);
    let text: Vec<&str> = text.split_whitespace().collect();
    let text = text.join(" ");
    for said in [
        "error[provision::refused]",
        "[PROJECT]/hollow cannot be kept as it is, and it is installed there as a member of the workspace [PROJECT]: ",
        "Read-only file system",
        "see to it that [PROJECT] can be written to",
    ] {
        assert!(text.contains(said), "{text}");
    }
}
