//! Files that say more than a version: go.mod, Gemfile, package.json, and workspaces.

use serde_json::json;

use crate::support::{Context, chosen, verdict};

fn go(
    context: &Context,
) -> Result<toolroom_kernel::resolve::Resolution, toolroom_kernel::resolve::ResolveError> {
    context.find(json!({"type": "go", "var": "GO"}))
}

#[test]
fn the_toolchain_of_a_go_module_is_a_pin_and_its_go_line_a_floor() {
    let context = Context::new();
    let old = context.executable("home/.goenv/versions/1.20.1/bin/go");
    let pinned = context.executable("home/.goenv/versions/1.22.3/bin/go");
    let newest = context.executable("home/.goenv/versions/1.23.0/bin/go");
    let on_path = context.executable("bin/go");
    context.file(
        "project/go.mod",
        "module x\n\ngo 1.22 // floor\n\ntoolchain go1.22.3\n",
    );
    assert_eq!(chosen(go(&context)), pinned);
    context.file("project/go.mod", "module x\ngo 1.22\n");
    assert_eq!(chosen(go(&context)), newest);
    context.file("project/.go-version", "1.20\n");
    assert_eq!(chosen(go(&context)), old);
    fs_err::remove_file(context.path("project/.go-version")).unwrap();
    // A newer one than any here is the go command's own business, which says it best.
    context.file("project/go.mod", "module x\ngo 1.30\n");
    let resolution = go(&context).unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, on_path);
    assert!(
        resolution.notes[0]
            .text
            .ends_with("go.mod asks for >=1.30, which was not found"),
        "{:?}",
        resolution.notes
    );
}

#[test]
fn the_version_of_an_unpacked_go_is_in_a_file_beside_it() {
    let context = Context::new();
    let system = context.executable("machine/usr/local/go/bin/go");
    context.file(
        "machine/usr/local/go/VERSION",
        "go1.22.1\ntime 2024-02-29T18:18:48Z\n",
    );
    context.file("project/.go-version", "1.22\n");
    let resolution = go(&context).unwrap();
    let interpreter = resolution.interpreter().unwrap();
    assert_eq!(interpreter.path, system);
    assert_eq!(interpreter.version.as_deref(), Some("1.22.1"));
}

#[test]
fn the_ruby_line_of_a_gemfile_is_a_bound() {
    let context = Context::new();
    for version in ["3.1.4", "3.2.2", "3.3.0"] {
        context.executable(&format!("home/.rbenv/versions/{version}/bin/ruby"));
    }
    let on_path = context.executable("bin/ruby");
    let find = |text: &str| {
        context.file(
            "project/Gemfile",
            format!("source 'x'\n{text}\ngem 'a', '1.0'\n"),
        );
        context
            .find(json!({"type": "ruby", "var": "RUBY"}))
            .unwrap()
    };
    let versions = [
        ("ruby '3.2.2'", "3.2.2"),
        ("ruby \"~> 3.2.0\"", "3.2.2"),
        ("ruby(\"3.1.4\")", "3.1.4"),
        ("ruby '>= 3.1', '< 3.3' # why", "3.2.2"),
        (
            "ruby '3.1.4', engine: 'jruby', engine_version: '9.4'",
            "3.1.4",
        ),
    ];
    for (line, version) in versions {
        let found = find(line);
        let found = found.interpreter().unwrap().version.clone();
        assert_eq!(found.as_deref(), Some(version), "{line}");
    }
    for line in [
        "ruby file: '.ruby-version'",
        "ruby ENV['RUBY']",
        "rubygems '9'",
        "ruby '",
        "ruby '../../evil'",
    ] {
        assert_eq!(find(line).interpreter().unwrap().path, on_path, "{line}");
    }
    let resolution = find("ruby '2.7.8'");
    assert_eq!(resolution.interpreter().unwrap().path, on_path);
    assert!(
        resolution.notes[0]
            .text
            .ends_with("Gemfile asks for 2.7.8, which was not found"),
        "{:?}",
        resolution.notes
    );
    context.file("project/.ruby-version", "3.1.4\n");
    assert_eq!(
        find("ruby '3.3.0'")
            .interpreter()
            .unwrap()
            .version
            .as_deref(),
        Some("3.1.4")
    );
}

#[test]
fn every_level_of_a_workspace_has_its_commands_on_path_the_nearest_first() {
    let mut context = Context::new();
    let node = context.executable("bin/node");
    let root = context.text("project/node_modules");
    let own = context.text("project/packages/web/node_modules");
    context.folder("project/node_modules/.bin");
    context.folder("project/packages/web/node_modules/.bin");
    context.folder("node_modules/.bin");
    context.world.cwd = context.folder("project/packages/web/src");
    let resolution = context.node().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, node);
    assert_eq!(
        resolution.env.get("PATH").unwrap(),
        format!("{own}/.bin:{root}/.bin:{}", context.text("bin"))
    );
    assert_eq!(
        resolution.env.get("NODE_PATH").unwrap(),
        format!("{own}:{root}")
    );
    assert_eq!(
        resolution.env.get("PROJECT_NODE_MODULES"),
        Some(own.as_str())
    );
}

#[test]
fn a_node_that_a_package_brings_is_what_the_project_runs() {
    let mut context = Context::new();
    context.executable("bin/node");
    let real = context.executable("project/node_modules/node/bin/node");
    let link = context.link(real, "project/node_modules/.bin/node");
    assert_eq!(chosen(context.node()), link);
    // Without that package there is nothing there to find, however many packages there are.
    fs_err::remove_file(&link).unwrap();
    context.executable("project/node_modules/.bin/eslint");
    let resolution = context.node().unwrap();
    assert_eq!(
        resolution.interpreter().unwrap().path,
        context.path("bin/node")
    );
    assert!(verdict(&resolution.tried, ".bin/node").is_some());
    context.world.cwd = context.path("project");
}

#[test]
fn a_variable_may_rename_the_file_of_tool_versions() {
    let mut context = Context::new();
    context.set("ASDF_TOOL_VERSIONS_FILENAME", ".versions");
    context.file(
        "project/.versions",
        "nodejs 18.1.0\npython 3.10.1\nruby 3.1.4\ngolang 1.20.1\n",
    );
    context.file(
        "project/.tool-versions",
        "nodejs 20.1.0\npython 3.12.0\nruby 3.3.0\ngolang 1.23.0\n",
    );
    for (kind, plugin, asked, other, binary) in [
        ("venv_node", "nodejs", "18.1.0", "20.1.0", "bin/node"),
        ("venv_python", "python", "3.10.1", "3.12.0", "bin/python3"),
        ("ruby", "ruby", "3.1.4", "3.3.0", "bin/ruby"),
        ("go", "golang", "1.20.1", "1.23.0", "go/bin/go"),
    ] {
        let at = |version: &str| format!("home/.asdf/installs/{plugin}/{version}/{binary}");
        let expected = context.executable(&at(asked));
        context.executable(&at(other));
        assert_eq!(
            chosen(context.find(json!({"type": kind}))),
            expected,
            "{kind}"
        );
    }
}

#[test]
fn a_version_file_with_several_versions_says_which_one_counts() {
    let context = Context::new();
    let node = context.executable("home/.nvm/versions/node/v20.1.0/bin/node");
    context.executable("home/.nvm/versions/node/v22.1.0/bin/node");
    context.file("project/.nvmrc", "# comment\n20\n\n22\n");
    let resolution = context.node().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, node);
    assert!(
        resolution.notes[0]
            .text
            .ends_with(".nvmrc names more than one version, of which the first counts"),
        "{:?}",
        resolution.notes
    );
    context.file("project/.nvmrc", "registry=x\n20\n");
    assert!(context.node().unwrap().notes.is_empty());
}

#[test]
fn a_name_no_manager_knows_is_never_another_version() {
    let context = Context::new();
    context.executable("home/.nvm/versions/node/v20.1.0/bin/node");
    context.executable("bin/node");
    for text in ["iojs", "iojs-v3.3.1", "lts/unheard-of", "lts/-99", "mine"] {
        context.file("project/.nvmrc", text);
        assert_eq!(
            crate::support::code(context.node()),
            "resolve::version_not_installed",
            "{text}"
        );
    }
}

#[test]
fn what_a_shim_left_behind_does_not_move_the_search() {
    let mut context = Context::new();
    let wanted = context.executable("home/.pyenv/versions/3.10.1/bin/python3");
    context.executable("home/.pyenv/versions/3.12.0/bin/python3");
    context.file("project/.python-version", "3.10\n");
    context.file("elsewhere/.python-version", "3.12\n");
    for name in ["PYENV_DIR", "RBENV_DIR", "PWD"] {
        let elsewhere = context.text("elsewhere");
        context.set(name, elsewhere);
    }
    assert_eq!(chosen(context.python()), wanted);
}
