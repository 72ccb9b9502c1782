//! The other languages' package managers, real ones: installed, reused, frozen by their
//! lockfile, and found by a tool that runs.

use std::path::{Path, PathBuf};
use std::process::Command;

use toolroom_test::{TestContext, program};

use super::{bytes_of, plan, real};

/// A project of one kind.
struct Kind {
    program: &'static str,
    manager: &'static str,
    lockfile: &'static str,
    /// The manifest, and one that asks for what the lockfile does not know.
    manifest: (&'static str, String),
    stale: String,
}

/// A context in which a package manager is on PATH.
fn with(program_name: &str) -> Option<TestContext> {
    let found = program(program_name)?;
    Some(real(&[found.parent()?.to_path_buf()]))
}

/// Nothing is changed by a plan; an install is one, then none; a lockfile binds it.
fn lives(context: &TestContext, kind: &Kind) {
    let name = kind.program;
    let (manifest, text) = &kind.manifest;
    context.file(manifest, text);
    let before = bytes_of(&context.project());
    let planned = plan(context, &["--plan"]);
    assert_eq!(planned["manager"], kind.manager, "{name}: {planned:#}");
    assert_eq!(planned["applied"], false, "{name}: {planned:#}");
    assert_eq!(
        bytes_of(&context.project()),
        before,
        "{name}: a plan changes nothing"
    );
    let done = plan(context, &[]);
    assert_eq!(done["applied"], true, "{name}: {done:#}");
    let again = plan(context, &[]);
    assert_eq!(again["action"], "reuse", "{name}: {again:#}");
    let lockfile = context.project().join(kind.lockfile);
    let locked = fs_err::read(&lockfile).unwrap();
    context.file(manifest, &kind.stale);
    let error = context.error(&["setup"]);
    assert_eq!(error["code"], "provision::failed", "{name}: {error:#}");
    assert_eq!(
        fs_err::read(&lockfile).unwrap(),
        locked,
        "{name}: it is frozen"
    );
    context.file(manifest, text);
    let back = context.data(&["setup"]);
    assert_ne!(back["plans"][0]["action"], "refuse", "{name}: {back:#}");
}

fn command(context: &TestContext, folder: &Path, argv: &[&str]) {
    let output = Command::new(argv[0])
        .args(&argv[1..])
        .current_dir(folder)
        .env("PATH", toolroom_test::path())
        .env("HOME", context.home())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{argv:?}: {text}");
}

const GEMSPEC: &str = "Gem::Specification.new do |s|\n  s.name = 'greet'\n  s.version = '1.0.0'\n  s.summary = 'x'\n  s.authors = ['x']\n  s.files = ['lib/greet.rb']\nend\n";

/// A repository of gems, as the tools of Ruby make one.
fn gems(context: &TestContext) -> PathBuf {
    let folder = context.root().join("gems");
    context.file(folder.join("greet/greet.gemspec"), GEMSPEC);
    let code = "module Greet\n  def self.hi = 'hi'\nend\n";
    context.file(folder.join("greet/lib/greet.rb"), code);
    let repository = folder.join("repository");
    fs_err::create_dir_all(repository.join("gems")).unwrap();
    let gem = repository.join("gems/greet-1.0.0.gem");
    let build = [
        "gem",
        "build",
        "greet.gemspec",
        "--output",
        gem.to_str().unwrap(),
    ];
    command(context, &folder.join("greet"), &build);
    command(context, &repository, &["gem", "generate_index"]);
    repository
}

#[test]
fn bundler_installs_the_gems_of_a_gemfile() {
    let (Some(context), Some(_)) = (with("bundle"), program("gem")) else {
        return;
    };
    let source = format!("source 'file://{}'\n", gems(&context).display());
    let kind = Kind {
        program: "bundle",
        manager: "bundler",
        lockfile: "Gemfile.lock",
        manifest: ("Gemfile", format!("{source}gem 'greet', '~> 1.0'\n")),
        stale: format!("{source}gem 'greet', '~> 1.0'\ngem 'other'\n"),
    };
    lives(&context, &kind);
    assert!(context.project().join("vendor/bundle").is_dir());
    context.tool(
        "hi.rb",
        "# Greets.\nrequire 'bundler/setup'\nrequire 'greet'\n\ndef main = Greet.hi\n",
    );
    assert_eq!(context.data(&["run", "hi"])["data"], "hi");
}

#[test]
fn a_gem_in_a_folder_needs_no_source() {
    let Some(context) = with("bundle") else {
        return;
    };
    context.file("greet/greet.gemspec", GEMSPEC);
    context.file("greet/lib/greet.rb", "module Greet\nend\n");
    context.file("Gemfile", "gem 'greet', path: 'greet'\n");
    let before = bytes_of(&context.project());
    plan(&context, &["--plan"]);
    assert_eq!(bytes_of(&context.project()), before);
    plan(&context, &[]);
    assert_eq!(plan(&context, &[])["action"], "reuse");
}

#[test]
fn only_a_setup_runs_the_code_in_a_gemfile() {
    let Some(context) = with("bundle") else {
        return;
    };
    context.file("greet/greet.gemspec", GEMSPEC);
    context.file("greet/lib/greet.rb", "module Greet\nend\n");
    let ran = context.project().join("ran");
    let manifest = format!("File.write({ran:?}, '')\ngem 'greet', path: 'greet'\n");
    context.file("Gemfile", &manifest);
    context.tool("hi.rb", "# Greets.\ndef main = 'hi'\n");
    let before = bytes_of(&context.project());
    let planned = plan(&context, &["--plan"]);
    assert_eq!(planned["action"], "create", "{planned:#}");
    let reasons = planned["reasons"].to_string();
    assert!(reasons.contains("not checked: bundler's own"), "{reasons}");
    context.data(&["env", "hi"]);
    context.data(&["preset", "list"]);
    assert_eq!(context.data(&["run", "hi"])["data"], "hi");
    assert_eq!(bytes_of(&context.project()), before);
    plan(&context, &[]);
    assert!(ran.exists());
}

/// A proxy of modules, as a folder.
fn modules(context: &TestContext) -> PathBuf {
    let folder = context.root().join("proxy");
    let versions = folder.join("example.com/greet/@v");
    fs_err::create_dir_all(&versions).unwrap();
    let module = "module example.com/greet\n\ngo 1.18\n";
    context.file(versions.join("v1.0.0.mod"), module);
    context.file(versions.join("v1.0.0.info"), "{\"Version\": \"v1.0.0\"}");
    context.file(versions.join("list"), "v1.0.0\n");
    let inner = "example.com/greet@v1.0.0";
    let pack = format!(
        "import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], 'w') as z:\n  z.writestr('{inner}/go.mod', {module:?})\n  z.writestr('{inner}/greet.go', 'package greet\\n\\nfunc Hi() string {{ return \"hi\" }}\\n')\n"
    );
    let zip = versions.join("v1.0.0.zip");
    command(
        context,
        &folder,
        &["python3", "-c", &pack, zip.to_str().unwrap()],
    );
    folder
}

#[test]
fn go_downloads_the_modules_of_a_go_mod() {
    let Some(mut context) = with("go") else {
        return;
    };
    let proxy = format!("file://{}", modules(&context).display());
    context.set_env("GOPROXY", proxy);
    context.set_env("GOSUMDB", "off");
    context.set_env("GOFLAGS", "-modcacherw");
    context.file(
        "go.mod",
        "module example.com/app\n\ngo 1.18\n\nrequire example.com/greet v1.0.0\n",
    );
    let done = plan(&context, &[]);
    assert_eq!(done["applied"], true, "{done:#}");
    let cached = context
        .home()
        .join("go/pkg/mod/example.com/greet@v1.0.0/greet.go");
    assert!(cached.is_file());
    assert_eq!(plan(&context, &[])["action"], "reuse");
    context.file(
        "go.sum",
        "example.com/greet v1.0.0 h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n",
    );
    let error = context.error(&["setup"]);
    assert_eq!(error["code"], "provision::failed", "{error:#}");
}

#[test]
fn composer_installs_the_packages_of_a_composer_json() {
    let (Some(context), Some(_)) = (with("composer"), program("php")) else {
        return;
    };
    let package = "{\"name\": \"x/greet\", \"version\": \"1.0.0\", \"autoload\": {\"psr-4\": {\"Greet\\\\\": \"src/\"}}}";
    context.file("greet/composer.json", package);
    let code = "<?php\nnamespace Greet;\nclass Greet { static function hi() { return 'hi'; } }\n";
    context.file("greet/src/Greet.php", code);
    let head = "{\"repositories\": [{\"type\": \"path\", \"url\": \"greet\"}, {\"packagist.org\": false}], \"require\": ";
    let kind = Kind {
        program: "composer",
        manager: "composer",
        lockfile: "composer.lock",
        manifest: ("composer.json", format!("{head}{{\"x/greet\": \"*\"}}}}")),
        stale: format!("{head}{{\"x/greet\": \"*\", \"x/other\": \"*\"}}}}"),
    };
    lives(&context, &kind);
    let tool = "<?php\n// Greets.\nrequire __DIR__ . '/../../vendor/autoload.php';\nfunction main() { return \\Greet\\Greet::hi(); }\n";
    context.tool("hi.php", tool);
    assert_eq!(context.data(&["run", "hi"])["data"], "hi");
}

#[test]
fn deno_caches_what_a_deno_json_imports() {
    let Some(context) = with("deno") else {
        return;
    };
    let kind = Kind {
        program: "deno",
        manager: "deno",
        lockfile: "deno.lock",
        manifest: ("deno.json", "{\"imports\": {\"left-pad\": \"npm:left-pad@1.3.0\"}}".to_owned()),
        stale: "{\"imports\": {\"left-pad\": \"npm:left-pad@1.3.0\", \"is-odd\": \"npm:is-odd@3.0.1\"}}".to_owned(),
    };
    lives(&context, &kind);
}

#[test]
fn bun_installs_the_packages_of_a_package_json() {
    let Some(context) = with("bun") else {
        return;
    };
    let head = "{\"name\": \"x\", \"packageManager\": \"bun@1.2.0\", \"dependencies\": ";
    let kind = Kind {
        program: "bun",
        manager: "npm_dependencies",
        lockfile: "bun.lock",
        manifest: (
            "package.json",
            format!("{head}{{\"left-pad\": \"1.3.0\"}}}}"),
        ),
        stale: format!("{head}{{\"left-pad\": \"1.3.0\", \"is-odd\": \"3.0.1\"}}}}"),
    };
    lives(&context, &kind);
    assert!(
        context
            .project()
            .join("node_modules/left-pad/index.js")
            .is_file()
    );
}

#[test]
fn cargo_fetches_the_crates_of_a_cargo_toml() {
    // The cargo that runs the tests, outside of any shims.
    let Some(cargo) = std::env::var_os("CARGO").map(PathBuf::from) else {
        return toolroom_test::skip("cargo");
    };
    let context = real(&[cargo.parent().unwrap().to_path_buf()]);
    context.file("src/main.rs", "fn main() {}\n");
    let head = "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nitoa = \"1\"\n";
    let kind = Kind {
        program: "cargo",
        manager: "cargo",
        lockfile: "Cargo.lock",
        manifest: ("Cargo.toml", head.to_owned()),
        stale: format!("{head}ryu = \"1\"\n"),
    };
    lives(&context, &kind);
    let registry = context.home().join(".cargo/registry/cache");
    assert!(registry.is_dir(), "the crate is in the cache");
}
