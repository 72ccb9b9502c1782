//! Every version manager by its own layout and its own rules.

use serde_json::{Map, Value, json};

use crate::support::{Context, chosen, code, core};

fn with(manager: &str, more: &Value) -> Value {
    let mut options = json!({"type": "version_manager", "manager": manager, "var": "X"});
    let fields: &mut Map<String, Value> = options.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    options
}

#[test]
fn every_manager_finds_what_its_version_file_asks_for() {
    let table = [
        (
            "pyenv",
            json!({}),
            "home/.pyenv/versions/3.11.2/bin/python3",
            ("project/.python-version", "3.11"),
        ),
        (
            "pyenv",
            json!({}),
            "home/.pyenv/versions/3.11.2/bin/python3",
            ("home/.pyenv/version", "3.11.2\n3.9\n"),
        ),
        (
            "rbenv",
            json!({}),
            "home/.rbenv/versions/3.2.1/bin/ruby",
            ("project/.ruby-version", "ruby-3.2.1\r\n"),
        ),
        (
            "rbenv",
            json!({}),
            "home/.rbenv/versions/3.2.1/bin/ruby",
            ("home/.rbenv/version", "3.2.1\n"),
        ),
        (
            "rvm",
            json!({}),
            "home/.rvm/rubies/ruby-3.2.1/bin/ruby",
            ("project/.ruby-version", "ruby-3.2.1@gems\n"),
        ),
        (
            "rvm",
            json!({}),
            "home/.rvm/rubies/ruby-3.2.1/bin/ruby",
            ("home/.rvm/config/alias", "default=ruby-3.2.1\n"),
        ),
        (
            "chruby",
            json!({}),
            "home/.rubies/ruby-3.2.1/bin/ruby",
            ("project/.ruby-version", "3.2\n"),
        ),
        (
            "nvm",
            json!({}),
            "home/.nvm/versions/node/v20.1.0/bin/node",
            ("project/.nvmrc", "20.1.0"),
        ),
        (
            "nvm",
            json!({}),
            "home/.config/nvm/versions/node/v20.1.0/bin/node",
            ("project/.nvmrc", "v20"),
        ),
        (
            "nvm",
            json!({}),
            "home/.nvm/v0.10.48/bin/node",
            ("project/.nvmrc", "0.10"),
        ),
        (
            "fnm",
            json!({}),
            "home/.local/share/fnm/node-versions/v20.1.0/installation/bin/node",
            ("project/.node-version", "20"),
        ),
        (
            "volta",
            json!({}),
            "home/.volta/tools/image/node/20.1.0/bin/node",
            ("project/package.json", r#"{"volta":{"node":"20.1.0"}}"#),
        ),
        (
            "volta",
            json!({}),
            "home/.volta/tools/image/node/20.1.0/bin/node",
            (
                "home/.volta/tools/user/platform.json",
                r#"{"node":{"runtime":"20.1.0"}}"#,
            ),
        ),
        (
            "nodenv",
            json!({}),
            "home/.nodenv/versions/20.1.0/bin/node",
            ("project/.node-version", "20.1.0"),
        ),
        (
            "goenv",
            json!({}),
            "home/.goenv/versions/1.22.1/bin/go",
            ("project/.go-version", "1.22.1"),
        ),
        (
            "asdf",
            json!({"plugin": "nodejs", "binary": "node"}),
            "home/.asdf/installs/nodejs/20.1.0/bin/node",
            ("project/.tool-versions", "nodejs 20.1.0"),
        ),
        (
            "asdf",
            json!({"plugin": "golang", "binary": "go"}),
            "home/.asdf/installs/golang/1.22.1/go/bin/go",
            ("home/.tool-versions", "golang 1.22.1"),
        ),
        (
            "asdf",
            json!({"plugin": "ruby"}),
            "home/.asdf/installs/ruby/3.2.1/bin/ruby",
            ("project/.tool-versions", "ruby 3.2.1"),
        ),
        (
            "mise",
            json!({"plugin": "node"}),
            "home/.local/share/mise/installs/node/20.1.0/bin/node",
            ("project/mise.toml", "[tools]\nnode = \"20\"\n"),
        ),
        (
            "mise",
            json!({"plugin": "node"}),
            "home/.local/share/mise/installs/node/20.1.0/bin/node",
            ("project/.tool-versions", "nodejs 20.1.0"),
        ),
        (
            "mise",
            json!({"plugin": "node"}),
            "home/.local/share/mise/installs/node/20.1.0/bin/node",
            (
                "home/.config/mise/config.toml",
                "[tools]\nnode = \"latest\"\n",
            ),
        ),
    ];
    for (manager, more, executable, (file, text)) in table {
        let context = Context::new();
        let expected = context.executable(executable);
        context.file(file, text);
        assert_eq!(
            chosen(context.find(with(manager, &more))),
            expected,
            "{manager} {file}"
        );
        let version = context
            .find(with(manager, &more))
            .unwrap()
            .interpreter()
            .unwrap()
            .version
            .clone();
        assert!(executable.contains(&version.unwrap()), "{manager}");
    }
}

#[test]
fn variables_choose_the_root_and_the_version() {
    let mut context = Context::new();
    for (name, value) in [
        ("PYENV_ROOT", "p"),
        ("RBENV_ROOT", "r"),
        ("NVM_DIR", "n"),
        ("ASDF_DATA_DIR", "a"),
    ] {
        let root = context.text(value);
        context.set(name, root);
    }
    let python = context.executable("p/versions/3.10.1/bin/python3");
    context.executable("p/versions/3.12.0/bin/python3");
    context.set("PYENV_VERSION", "3.99:3.10");
    assert_eq!(chosen(context.find(with("pyenv", &json!({})))), python);
    assert_eq!(chosen(context.python()), python);
    let ruby = context.executable("r/versions/3.1.0/bin/ruby");
    context.set("RBENV_VERSION", "3.1");
    assert_eq!(chosen(context.find(with("rbenv", &json!({})))), ruby);
    let node = context.executable("n/versions/node/v18.0.0/bin/node");
    assert_eq!(
        chosen(context.find(with("nvm", &json!({"version": "18"})))),
        node
    );
    let tool = context.executable("a/installs/my-tool/1.0/bin/my-tool");
    context.set("ASDF_MY_TOOL_VERSION", "1.0");
    assert_eq!(
        chosen(context.find(with("asdf", &json!({"plugin": "my-tool"})))),
        tool
    );
}

#[test]
fn a_version_that_is_not_installed_never_falls_back_in_silence() {
    let context = Context::new();
    context.executable("home/.rbenv/versions/3.2.1/bin/ruby");
    context.executable("bin/ruby");
    context.file("project/.ruby-version", "2.7.8\n");
    let options = with("rbenv", &json!({"fallback": "ruby"}));
    assert_eq!(
        code(context.find(options)),
        "resolve::version_not_installed"
    );
    let options = with("rbenv", &json!({"fallback": "ruby", "version": "system"}));
    assert_eq!(chosen(context.find(options)), context.path("bin/ruby"));
}

#[test]
fn fnm_aliases_are_links() {
    let context = Context::new();
    let node =
        context.executable("home/.local/share/fnm/node-versions/v20.1.0/installation/bin/node");
    context.executable("home/.local/share/fnm/node-versions/v22.1.0/installation/bin/node");
    context.link(
        context.path("home/.local/share/fnm/node-versions/v20.1.0/installation"),
        "home/.local/share/fnm/aliases/default",
    );
    assert_eq!(chosen(context.find(with("fnm", &json!({})))), node);
    assert_eq!(chosen(context.node()), node);
}

#[test]
fn a_node_version_is_looked_for_in_every_manager() {
    let context = Context::new();
    context.executable("home/.nvm/versions/node/v18.0.0/bin/node");
    let fnm =
        context.executable("home/.local/share/fnm/node-versions/v20.1.0/installation/bin/node");
    let mise = context.executable("home/.local/share/mise/installs/node/22.1.0/bin/node");
    context.file("project/.nvmrc", "20\n");
    assert_eq!(chosen(context.node()), fnm);
    context.file("project/.nvmrc", "22\n");
    assert_eq!(chosen(context.node()), mise);
    context.file("project/.nvmrc", "lts/jod\n");
    assert_eq!(chosen(context.node()), mise);
}

#[test]
fn a_manager_without_a_request_takes_path_and_then_the_newest() {
    let context = Context::new();
    let newest = context.executable("home/.rbenv/versions/3.2.1/bin/ruby");
    assert_eq!(chosen(context.find(with("rbenv", &json!({})))), newest);
    let on_path = context.executable("bin/ruby");
    assert_eq!(chosen(context.find(with("rbenv", &json!({})))), on_path);
}

#[test]
fn a_manager_activates_what_is_its_own() {
    let context = Context::new();
    context.executable("home/.rvm/rubies/ruby-3.2.1/bin/ruby");
    context.file("project/.ruby-version", "3.2.1\n");
    let env = context
        .find(json!({"type": "ruby", "var": "RUBY"}))
        .unwrap()
        .env;
    assert_eq!(
        env.get("GEM_HOME").unwrap(),
        context.text("home/.rvm/gems/ruby-3.2.1")
    );
    assert!(
        env.get("PATH")
            .unwrap()
            .starts_with(&context.text("home/.rvm/rubies/ruby-3.2.1/bin"))
    );
}

#[test]
fn the_directory_of_the_interpreter_comes_first_so_that_its_scripts_work() {
    let mut context = Context::new();
    let node = context.executable("home/.nvm/versions/node/v20.1.0/bin/node");
    let modules = context.folder("project/node_modules");
    let env = context.node().unwrap().env;
    let path = env.get("PATH").unwrap();
    assert!(
        path.starts_with(&format!(
            "{}:{}/.bin:",
            node.parent().unwrap().display(),
            modules.display()
        )),
        "{path}"
    );
    assert_eq!(env.get("NODE_PATH"), modules.to_str());
    // What PATH finds anyway keeps its place: the order is the user's.
    fs_err::remove_dir_all(context.path("home/.nvm")).unwrap();
    fs_err::remove_dir_all(&modules).unwrap();
    context.executable("bin/node");
    context.prepend_path("mine");
    let before = context.world.env.get("PATH").unwrap().to_owned();
    assert_eq!(
        context.node().unwrap().env.get("PATH"),
        Some(before.as_str())
    );
}

#[test]
fn an_unknown_manager_is_an_error_with_a_hint() {
    let context = Context::new();
    let error = context.find(with("rbnv", &json!({}))).unwrap_err();
    assert!(
        error.to_string().contains("did you mean \"rbenv\""),
        "{error}"
    );
    let error = context
        .find(json!({"type": "version_manager"}))
        .unwrap_err();
    assert!(
        error.to_string().contains("the option manager is missing"),
        "{error}"
    );
}

#[test]
fn every_manager_the_documents_name_is_there() {
    let data = core("resolvers").remove("version_manager").unwrap();
    let managers = data["managers"].as_object().unwrap();
    for name in [
        "rbenv", "nvm", "asdf", "rvm", "pyenv", "nodenv", "fnm", "volta", "mise", "goenv", "chruby",
    ] {
        assert!(managers.contains_key(name), "{name}");
    }
}

#[test]
fn every_manager_heeds_its_own_variables() {
    let table = [
        (
            "FNM_DIR",
            "fnm",
            "",
            "node-versions/v{}/installation/bin/node",
        ),
        ("VOLTA_HOME", "volta", "", "tools/image/node/{}/bin/node"),
        (
            "NODENV_ROOT",
            "nodenv",
            "NODENV_VERSION",
            "versions/{}/bin/node",
        ),
        ("GOENV_ROOT", "goenv", "GOENV_VERSION", "versions/{}/bin/go"),
        (
            "RBENV_ROOT",
            "rbenv",
            "RBENV_VERSION",
            "versions/{}/bin/ruby",
        ),
        (
            "PYENV_ROOT",
            "pyenv",
            "PYENV_VERSION",
            "versions/{}/bin/python3",
        ),
        ("rvm_path", "rvm", "", "rubies/ruby-{}/bin/ruby"),
        ("NVM_DIR", "nvm", "", "versions/node/v{}/bin/node"),
        (
            "ASDF_DATA_DIR",
            "asdf",
            "ASDF_TOOL_VERSION",
            "installs/tool/{}/bin/tool",
        ),
        (
            "MISE_DATA_DIR",
            "mise",
            "MISE_TOOL_VERSION",
            "installs/tool/{}/bin/tool",
        ),
    ];
    for (root, manager, variable, layout) in table {
        let mut context = Context::new();
        let folder = context.text("root");
        context.set(root, folder);
        let at = |version: &str| format!("root/{}", layout.replace("{}", version));
        let asked = context.executable(&at("1.10.1"));
        context.executable(&at("1.20.0"));
        let options = if variable.is_empty() {
            json!({"plugin": "tool", "version": "1.10"})
        } else {
            context.set(variable, "1.10");
            json!({"plugin": "tool"})
        };
        assert_eq!(
            chosen(context.find(with(manager, &options))),
            asked,
            "{manager}"
        );
    }
}

#[test]
fn an_activation_sets_what_its_manager_would() {
    let mut context = Context::new();
    context.set("GEM_HOME", "/stale");
    context.set("GEM_PATH", "/stale");
    context.set("RUBYOPT", "-W0");
    context.executable("home/.rbenv/versions/3.2.1/bin/ruby");
    let asked = json!({"version": "3.2.1"});
    let env = context.find(with("rbenv", &asked)).unwrap().env;
    for name in ["GEM_HOME", "GEM_PATH", "RUBYOPT"] {
        assert_eq!(env.get(name), None, "{name}");
    }
    context.executable("home/.rubies/ruby-3.2.1/bin/ruby");
    let env = context.find(with("chruby", &asked)).unwrap().env;
    assert_eq!(
        env.get("GEM_HOME").unwrap(),
        context.text("home/.gem/ruby/3.2.1")
    );
    context.executable("home/.goenv/versions/1.22.1/bin/go");
    let env = context
        .find(with("goenv", &json!({"version": "1.22"})))
        .unwrap()
        .env;
    assert_eq!(
        env.get("GOROOT").unwrap(),
        context.text("home/.goenv/versions/1.22.1")
    );
    context.file("project/.go-version", "1.22\n");
    let env = context
        .find(json!({"type": "go", "var": "GO"}))
        .unwrap()
        .env;
    assert_eq!(env.get("GOPATH").unwrap(), context.text("home/go"));
    let path = env.get("PATH").unwrap();
    let first = context.text("home/.goenv/versions/1.22.1/bin");
    let second = context.text("home/go/bin");
    assert!(path.starts_with(&format!("{first}:{second}:")), "{path}");
}
