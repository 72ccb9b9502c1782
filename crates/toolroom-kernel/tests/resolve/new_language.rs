//! A language the product does not ship, from data alone.

use serde_json::{Value, json};
use toolroom_kernel::model::Role;

use crate::support::{Context, chosen, code};

fn with_lua() -> Context {
    let mut context = Context::new();
    let resolver: Value = serde_saphyr::from_str(
        r#"
tool_type: resolver
description: Lua from luaenv, then the project, then the system.
options: {binary: lua}
root: "${LUAENV_ROOT:-{home}/.luaenv}"
evidence: [{link: "lua{version}"}]
wanted:
  - {option: version}
  - {variable: LUAENV_VERSION}
  - {file: .lua-version, walk: up}
  - {alias: default}
strip: [lua-]
alias: {file: "{root}/alias/{name}", system: [system], newest: [default]}
installed: "{root}/versions/{version}"
executable: {unix: "bin/{binary}", windows: "bin/{binary}.exe"}
environment:
  marker: rocks.cfg
  executable: {unix: bin/lua, windows: bin/lua.exe}
  base: {file: rocks.cfg, key: base}
places:
  project: [{environment: "{project}/.lua"}]
  user: [{installed: asked}]
  system: [{which: ["lua{wanted}", lua]}]
shims: [{directory: "{root}/shims"}]
activate:
  set: {LUA_ENV: "{environment}"}
  prepend: {PATH: "{executable_dir}", LUA_PATH_DIRS: "{root}/share"}
  unset: [LUA_INIT]
"#,
    )
    .unwrap();
    context.library.0.insert("luaenv".to_owned(), resolver);
    context
}

fn lua() -> Value {
    json!({
        "env_config": {
            "interpreter": {"type": "luaenv", "var": "LUA", "fallback": "lua"},
            "env": {"LUA_EXE": "${LUA}"},
        },
    })
}

#[test]
fn its_version_manager_is_searched_by_the_same_moves() {
    let mut context = with_lua();
    context.set("LUA_INIT", "@evil.lua");
    let old = context.executable("home/.luaenv/versions/5.1.5/bin/lua");
    let new = context.executable("home/.luaenv/versions/5.4.6/bin/lua");
    let run = |context: &Context| context.chain(&[("lua", Role::Runtime, &lua())], &[]);
    assert_eq!(chosen(run(&context)), new);
    context.file("project/.lua-version", "lua-5.1\n");
    let resolution = run(&context).unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, old);
    assert_eq!(resolution.env.get("LUA_EXE"), old.to_str());
    assert_eq!(resolution.env.get("LUA_INIT"), None);
    assert_eq!(
        resolution.env.get("LUA_PATH_DIRS").unwrap(),
        context.text("home/.luaenv/share")
    );
    context.file("project/.lua-version", "5.2\n");
    assert_eq!(code(run(&context)), "resolve::version_not_installed");
}

#[test]
fn its_environments_shims_and_fallback_work_too() {
    let mut context = with_lua();
    let run = |context: &Context| context.chain(&[("lua", Role::Runtime, &lua())], &[]);
    context.executable("home/.luaenv/shims/lua");
    context.prepend_path("home/.luaenv/shims");
    let on_path = context.executable("bin/lua");
    assert_eq!(chosen(run(&context)), on_path);
    context.file(
        "project/.lua/rocks.cfg",
        format!("base = {}\n", context.text("bin")),
    );
    let own = context.executable("project/.lua/bin/lua");
    let resolution = run(&context).unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, own);
    assert_eq!(
        resolution.env.get("LUA_ENV").unwrap(),
        context.text("project/.lua")
    );
    context.file("project/.lua/rocks.cfg", "base = /nowhere\n");
    assert_eq!(code(run(&context)), "resolve::broken_environment");
}

#[test]
fn a_path_in_data_that_is_not_absolute_is_the_projects() {
    let mut context = Context::new();
    let data = json!({"places": {
        "project": [{"executable": "tools/*/bin/x"}, {"executable": "tools/x"}],
        "user": [{"variable": "MY_X"}],
    }});
    context.library.0.insert("relative".to_owned(), data);
    let find = |context: &Context| context.find(json!({"type": "relative"}));
    context.set("MY_X", "/nowhere/x");
    assert_eq!(code(find(&context)), "resolve::interpreter_not_found");
    let named = context.executable("named/x");
    context.set("MY_X", &named);
    assert_eq!(chosen(find(&context)), named);
    let plain = context.executable("project/tools/x");
    assert_eq!(chosen(find(&context)), plain);
    let newest = context.executable("project/tools/2.0/bin/x");
    context.executable("project/tools/1.0/bin/x");
    assert_eq!(chosen(find(&context)), newest);
}
