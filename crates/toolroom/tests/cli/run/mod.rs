//! `run`: parameters in, a result out, whatever the tool does in between.

mod conventions;
mod ends;
mod languages;
mod options;
mod parameters;
mod python_end;
mod results;
mod servers;
mod surroundings;
mod types;

use serde_json::Value;
use toolroom_test::TestContext;

use crate::context;

/// A context with the machine's own interpreters.
fn machine() -> TestContext {
    let mut context = context();
    context.set_env("PATH", toolroom_test::path());
    context
}

fn result(context: &TestContext, args: &[&str]) -> Value {
    let data = context.data(&[&["run"], args].concat());
    assert_eq!(data["status"], "success", "{data}");
    data["data"].clone()
}

/// Where the launchers of the one language that was called are.
fn launchers(context: &TestContext) -> std::path::PathBuf {
    let below = context.home().join(".cache/toolroom/launchers");
    let mut folders = fs_err::read_dir(below).unwrap();
    folders.next().unwrap().unwrap().path()
}
