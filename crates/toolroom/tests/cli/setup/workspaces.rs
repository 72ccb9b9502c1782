//! Setup in a project that is a package of a workspace: all of the workspace is installed,
//! and is what it was where that fails or is killed.

use std::path::PathBuf;

use serde_json::json;
use toolroom_test::TestContext;

use super::crash::nothing_is_pending;
use super::members::{
    MANAGERS, Manager, OURS, THEIRS, a_failure_changes_nothing, by_hand, is_made_whole, killed,
    manifests, member, rooms, start, state, version, with_manager, workspace,
};
use super::node::{IMPORTS, MODERN_YARN, REQUIRES, with_modern_yarn, with_node};
use super::plan;

/// Makes the packages projects of their own, and goes into one.
fn enter(context: &mut TestContext, package: &str) {
    for package in ["a", "b"] {
        let tool = format!("packages/{package}/.ai/tools/pads.mjs");
        context.file(tool, IMPORTS);
    }
    context.enter(format!("packages/{package}"));
}

/// A workspace in which a user has installed packages, seen from its package `a`.
fn in_a_package(manager: Manager) -> Option<TestContext> {
    let mut context = workspace(manager)?;
    enter(&mut context, "a");
    Some(context)
}

#[test]
fn setup_in_a_package_installs_its_workspace_and_says_so() {
    for manager in MANAGERS {
        let Some(mut context) = in_a_package(manager) else {
            continue;
        };
        let name = manager.0;
        manifests(&context, manager, &OURS, "true");
        let planned = plan(&context, &["--plan"]);
        assert_eq!(planned["workspace"], "[PROJECT]", "{name}: {planned:#}");
        assert_eq!(
            planned["environment"], "[PROJECT]/node_modules",
            "{name}: {planned:#}"
        );
        let claim = match name {
            "pnpm" => "(`packages` of its pnpm-workspace.yaml)",
            _ => "(`workspaces` of its package.json)",
        };
        let reason = format!(
            "it is a member of the workspace [PROJECT] {claim}, which is installed as a whole, from its root"
        );
        let reasons = planned["reasons"].as_array().unwrap();
        assert!(reasons.contains(&json!(reason)), "{name}: {planned:#}");
        let told = context.run(&["setup", "--plan"]).stdout.replace('│', "");
        let told: Vec<&str> = told.split_whitespace().collect();
        assert!(told.join(" ").contains(&reason), "{name}: {told:?}");
        is_made_whole(&context, name);
        assert_eq!(context.data(&["run", "pads"])["data"], "  x", "{name}");
        enter(&mut context, "b");
        let other = plan(&context, &[]);
        assert_eq!(other["action"], "reuse", "{name}: {other:#}");
        assert_eq!(context.data(&["run", "pads"])["data"], "  x", "{name}");
        nothing_is_pending(&context, name);
    }
}

#[test]
fn an_install_that_fails_in_a_package_leaves_its_workspace_as_it_was() {
    for manager in MANAGERS {
        let Some(context) = in_a_package(manager) else {
            continue;
        };
        a_failure_changes_nothing(&context, manager);
    }
}

#[test]
fn an_install_that_is_killed_in_a_package_leaves_its_workspace_as_it_was() {
    for manager in MANAGERS {
        let Some(mut context) = in_a_package(manager) else {
            continue;
        };
        let (name, before) = (manager.0, state(&context));
        killed(&context, manager);
        for package in ["b", "a"] {
            enter(&mut context, package);
            let error = context.error(&["run", "pads"]);
            assert_eq!(error["code"], "provision::unfinished", "{name}: {error:#}");
        }
        context.data(&["setup", "--undo"]);
        assert_eq!(state(&context), before, "{name}");
        nothing_is_pending(&context, name);
        killed(&context, manager);
        let planned = plan(&context, &["--plan"]);
        assert_eq!(planned["action"], "install-missing", "{name}: {planned:#}");
        is_made_whole(&context, name);
        nothing_is_pending(&context, name);
    }
}

#[test]
fn what_is_killed_in_one_package_is_put_back_by_setup_in_another_and_in_the_workspace() {
    for place in ["packages/b", ""] {
        for manager in MANAGERS {
            let Some(mut context) = in_a_package(manager) else {
                continue;
            };
            let (name, before) = (manager.0, state(&context));
            killed(&context, manager);
            // What they ask for is what was there, so nothing else is done.
            manifests(&context, manager, &THEIRS, "true");
            context.enter(place);
            let done = context.data(&["setup"]);
            assert_eq!(done["plans"][0]["applied"], false, "{name}: {done:#}");
            assert_eq!(state(&context), before, "{name}, {place}");
        }
    }
}

#[test]
fn two_packages_that_are_set_up_at_the_same_time_are_both_whole() {
    for manager in MANAGERS {
        let Some(mut context) = in_a_package(manager) else {
            continue;
        };
        let name = manager.0;
        manifests(&context, manager, &OURS, "true");
        let racers = ["a", "b", "a", "b"].map(|package| {
            enter(&mut context, package);
            start(&context)
        });
        for mut racer in racers {
            assert!(racer.wait().unwrap().success(), "{name}");
        }
        for (package, wanted) in [("a", "1.1.3"), ("b", "1.1.1")] {
            let found = version(&context, &format!("packages/{package}"));
            assert_eq!(found.as_deref(), Some(wanted), "{name}: {package}");
            enter(&mut context, package);
            assert_eq!(plan(&context, &[])["action"], "reuse", "{name}: {package}");
        }
        assert_eq!(rooms(&context), [] as [PathBuf; 0], "{name}");
        nothing_is_pending(&context, name);
    }
}

/// A workspace whose packages depend on one version, which goes to the workspace's folder.
/// Nothing but the lockfile says who installed it.
fn with_lockfile(manager: Manager) -> Option<TestContext> {
    let mut context = with_manager(manager)?;
    let same = super::members::Wanted {
        project: "",
        a: "\"left-pad\": \"^1.1.0\"",
        b: "\"left-pad\": \"^1.1.0\"",
    };
    manifests(&context, manager, &same, "true");
    let manifest = context.project().join("package.json");
    let text = fs_err::read_to_string(&manifest).unwrap();
    let field = format!("\"packageManager\": \"{}@{}\", ", manager.0, manager.1);
    assert!(text.contains(&field), "{text}");
    context.file("package.json", text.replace(&field, ""));
    by_hand(&context, manager, &["install"], "");
    enter(&mut context, "a");
    Some(context)
}

#[test]
fn what_a_workspace_has_for_all_is_found_and_its_lockfile_decides_what_is_installed() {
    let frozen = [
        "ci",
        "--frozen-lockfile",
        "--frozen-lockfile",
        "--frozen-lockfile",
        "--immutable",
    ];
    for (manager, word) in MANAGERS.into_iter().zip(frozen) {
        let Some(context) = with_lockfile(manager) else {
            continue;
        };
        let (name, before) = (manager.0, state(&context));
        let found = plan(&context, &[]);
        assert_eq!(found["action"], "reuse", "{name}: {found:#}");
        assert_eq!(found["commands"], json!([]), "{name}");
        assert_eq!(state(&context), before, "{name}");
        assert_eq!(context.data(&["run", "pads"])["data"], "  x", "{name}");
        let lockfile = context.project().join(manager.3);
        let locked = fs_err::read(&lockfile).unwrap();
        for folder in [
            "node_modules",
            "packages/a/node_modules",
            "packages/b/node_modules",
        ] {
            let _ = fs_err::remove_dir_all(context.project().join(folder));
        }
        let done = plan(&context, &[]);
        assert_eq!(
            (done["action"].as_str(), done["applied"].as_bool()),
            (Some("create"), Some(true)),
            "{name}: {done:#}"
        );
        let command = done["commands"][0].as_array().unwrap();
        assert!(
            command[0].as_str().unwrap().ends_with(name) && command.contains(&json!(word)),
            "{name}: {done:#}"
        );
        assert_eq!(fs_err::read(&lockfile).unwrap(), locked, "{name}");
        assert!(
            !context
                .project()
                .join("packages/a")
                .join(manager.3)
                .exists()
        );
        assert_eq!(context.data(&["run", "pads"])["data"], "  x", "{name}");
    }
}

#[test]
fn undo_in_a_package_removes_what_was_made_for_it_in_its_workspace_and_no_more() {
    for manager in MANAGERS {
        let Some(mut context) = in_a_package(manager) else {
            continue;
        };
        let name = manager.0;
        for folder in ["node_modules", "packages/a/node_modules"] {
            fs_err::remove_dir_all(context.project().join(folder)).unwrap();
        }
        manifests(&context, manager, &OURS, "true");
        is_made_whole(&context, name);
        enter(&mut context, "b");
        context.data(&["setup", "--undo"]);
        assert!(
            context.project().join("node_modules").exists(),
            "{name}: b made nothing"
        );
        enter(&mut context, "a");
        context.data(&["setup", "--undo"]);
        for path in [
            "node_modules",
            "packages/a/node_modules",
            "packages/b/node_modules",
            manager.3,
        ] {
            assert!(!context.project().join(path).exists(), "{name}: {path}");
        }
        is_made_whole(&context, name);
        let lockfile = context.project().join(manager.3);
        let text = fs_err::read_to_string(&lockfile).unwrap();
        fs_err::write(&lockfile, text + "\n").unwrap();
        context.data(&["setup", "--undo"]);
        assert!(lockfile.exists(), "{name}: it was changed since");
    }
}

#[test]
fn a_package_of_a_workspace_with_plug_and_play_runs_with_what_that_has() {
    let Some(mut context) = with_modern_yarn() else {
        return;
    };
    context.set_env("YARN_ENABLE_IMMUTABLE_INSTALLS", "false");
    let text = format!(
        "{{\"name\": \"x\", \"private\": true, \"packageManager\": \"yarn@{MODERN_YARN}\", \"workspaces\": [\"packages/*\"]}}"
    );
    context.file("package.json", text);
    member(&context, "a", "\"left-pad\": \"1.3.0\"", "true");
    member(&context, "b", "", "true");
    context.file("packages/a/.ai/tools/requires.cjs", REQUIRES);
    enter(&mut context, "a");
    let done = plan(&context, &[]);
    assert_eq!(done["applied"], true, "{done:#}");
    assert!(context.project().join(".pnp.cjs").is_file());
    assert_eq!(context.data(&["run", "pads"])["data"], "  x");
    assert_eq!(context.data(&["run", "requires"])["data"], "  x");
    let again = plan(&context, &[]);
    assert_eq!(again["action"], "reuse", "{again:#}");
}

#[test]
fn a_package_that_its_workspace_takes_out_is_a_project_of_its_own() {
    for manager in MANAGERS
        .into_iter()
        .filter(|manager| manager.1 != MODERN_YARN)
    {
        let Some(mut context) = workspace(manager) else {
            continue;
        };
        let name = manager.0;
        context.file(
            "package.json",
            "{\"name\": \"x\", \"private\": true, \"workspaces\": [\"packages/*\", \"!packages/b\"]}",
        );
        if name == "pnpm" {
            context.file(
                "pnpm-workspace.yaml",
                "packages: ['packages/*', '!packages/b']\n",
            );
        }
        let own = format!(
            "{{\"name\": \"b\", \"packageManager\": \"{name}@{}\", \"dependencies\": {{\"left-pad\": \"1.1.1\"}}}}",
            manager.1
        );
        context.file("packages/b/package.json", own);
        enter(&mut context, "b");
        let own = context.project().join("packages/b");
        let mut before = state(&context);
        let done = plan(&context, &[]);
        assert_eq!(done["applied"], true, "{name}: {done:#}");
        assert_eq!(
            done["environment"], "[PROJECT]/packages/b/node_modules",
            "{name}: {done:#}"
        );
        assert_eq!(done["workspace"], json!(null), "{name}");
        assert_eq!(
            version(&context, "packages/b").as_deref(),
            Some("1.1.1"),
            "{name}"
        );
        let mut after = state(&context);
        for state in [&mut before, &mut after] {
            state.retain(|path, _| !path.starts_with(&own));
        }
        assert_eq!(after, before, "{name}");
    }
}

#[test]
fn a_workspace_that_is_out_of_reach_is_told_and_not_changed() {
    let Some(mut context) = with_node("npm") else {
        return;
    };
    manifests(&context, MANAGERS[0], &OURS, "true");
    enter(&mut context, "a");
    let project = context.project();
    let refusal = |context: &TestContext| {
        let before = state(context);
        let planned = plan(context, &["--plan"]);
        assert_eq!(planned["action"], "refuse", "{planned:#}");
        let error = context.error(&["setup"]);
        assert_eq!(error["code"], "provision::refused", "{error:#}");
        assert_eq!(
            error["help"],
            "install in [PROJECT] by hand, or take the project out of `workspaces` of its package.json"
        );
        assert_eq!(state(context), before);
        error["message"].as_str().unwrap().to_owned()
    };
    fs_err::create_dir(project.join("packages/a/.git")).unwrap();
    let said = refusal(&context);
    assert!(
        said.contains("outside of the git repository [PROJECT]/packages/a"),
        "{said}"
    );
    fs_err::remove_dir(project.join("packages/a/.git")).unwrap();
    context.set_env("HOME", &project);
    for (name, folder) in [("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")] {
        context.set_env(name, context.root().join(folder));
    }
    let said = refusal(&context);
    assert!(said.contains("it is your home directory"), "{said}");
    // What was installed by hand is found all the same.
    by_hand(&context, MANAGERS[0], &["install"], "");
    assert_eq!(plan(&context, &[])["action"], "reuse");
}

#[test]
fn a_package_that_two_programs_would_install_is_refused() {
    let Some(mut context) = with_node("npm") else {
        return;
    };
    manifests(&context, ("pnpm", "9.0.0", &[], ""), &OURS, "true");
    fs_err::remove_file(context.project().join("pnpm-workspace.yaml")).unwrap();
    enter(&mut context, "a");
    let error = context.error(&["setup"]);
    assert_eq!(error["code"], "provision::refused", "{error:#}");
    let said = error["message"].as_str().unwrap();
    assert!(
        said.contains("npm would install there, but it is installed with pnpm"),
        "{said}"
    );
}
