//! Windows layouts. The rules are data and the machine is an argument, so that they can be
//! proved on any machine.

use serde_json::json;
use toolroom_kernel::Os;
use toolroom_kernel::resolve::Verdict;

use crate::support::{Context, chosen, code, verdict};

fn windows() -> Context {
    let mut context = Context::new();
    context.world.os = Os::Windows;
    context
}

fn environment(context: &Context, executable: &str) -> std::path::PathBuf {
    let base = context.executable("base/python.exe");
    let home = base.parent().unwrap().display().to_string();
    context.file(
        "project/.venv/pyvenv.cfg",
        format!("home = {home}\nversion = 3.11.4\n"),
    );
    context.executable(&format!("project/.venv/{executable}"))
}

#[test]
fn an_environment_keeps_its_interpreter_where_windows_and_msys_put_it() {
    for executable in ["Scripts/python.exe", "bin/python.exe", "python.exe"] {
        let context = windows();
        let python = environment(&context, executable);
        assert_eq!(chosen(context.python()), python, "{executable}");
    }
    // What Unix would take is none here.
    let context = windows();
    context.venv("project/.venv", "3.11.4");
    assert_eq!(code(context.python()), "resolve::broken_environment");
}

#[test]
fn a_launcher_is_a_copy_so_the_base_is_asked_whether_it_is_still_there() {
    let context = windows();
    environment(&context, "Scripts/python.exe");
    context.executable("bin/python3.exe");
    fs_err::remove_dir_all(context.path("base")).unwrap();
    assert_eq!(code(context.python()), "resolve::broken_environment");
}

#[test]
fn a_conda_environment_keeps_its_interpreter_at_its_root() {
    let context = windows();
    context.folder("home/miniconda3/envs/web/conda-meta");
    let python = context.executable("home/miniconda3/envs/web/python.exe");
    let found = context
        .find(json!({"type": "conda_env", "env_name": "web"}))
        .unwrap();
    assert_eq!(found.interpreter().unwrap().path, python);
    let root = context.text("home/miniconda3/envs/web");
    let path = found.env.get("PATH").unwrap();
    assert!(
        path.starts_with(&format!("{root}:{root}/Library/bin:{root}/Scripts:")),
        "{path}"
    );
}

#[test]
fn the_stand_in_of_the_store_is_passed_over() {
    let mut context = windows();
    let local = context.text("local");
    context.set("LOCALAPPDATA", &local);
    context.executable("local/Microsoft/WindowsApps/python3.exe");
    context.prepend_path("local/Microsoft/WindowsApps");
    let real = context.executable("bin/python3.exe");
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, real);
    let (found, reason) = verdict(&resolution.tried, "WindowsApps/python3.exe").unwrap();
    assert_eq!(
        (found, reason),
        (Verdict::Rejected, "it only stands in for an interpreter")
    );
}

#[test]
fn a_command_is_found_by_the_extensions_the_machine_knows() {
    let mut context = windows();
    context.executable("bin/tool");
    let find = |context: &Context| context.find(json!({"type": "system_binary", "binary": "tool"}));
    assert_eq!(code(find(&context)), "resolve::interpreter_not_found");
    let script = context.executable("bin/tool.cmd");
    assert_eq!(chosen(find(&context)), script);
    let program = context.executable("bin/tool.exe");
    assert_eq!(chosen(find(&context)), program);
    context.set("PATHEXT", ".CMD;.EXE");
    assert_eq!(chosen(find(&context)), script);
    let named = context.find(json!({"type": "system_binary", "binary": "tool.exe"}));
    assert_eq!(chosen(named), program);
}

#[test]
fn node_versions_of_nvm_and_fnm_have_no_bin_folder() {
    let mut context = windows();
    let nvm = context.text("nvm");
    context.set("NVM_HOME", &nvm);
    let node = context.executable("nvm/v20.1.0/node.exe");
    context.file("project/.nvmrc", "20");
    assert_eq!(chosen(context.node()), node);
    let mut context = windows();
    let fnm = context.text("fnm");
    context.set("FNM_DIR", &fnm);
    let node = context.executable("fnm/node-versions/v20.1.0/installation/node.exe");
    context.file("project/.nvmrc", "20");
    assert_eq!(chosen(context.node()), node);
}

#[test]
fn names_of_variables_that_load_code_are_refused_in_any_case() {
    let context = windows();
    context.file("project/.env", "Path=C:/evil\nPythonPath=C:/evil\n");
    let refused = context.resolve(&json!({})).unwrap().refused;
    let names: Vec<_> = refused.iter().map(|refusal| &refusal.name).collect();
    assert_eq!(names, ["Path", "PythonPath"]);
}
