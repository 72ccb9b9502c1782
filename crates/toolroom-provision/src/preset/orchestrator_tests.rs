//! Order, shared context, and what happens after a failure.

use std::sync::Mutex;

use serde_json::json;

use super::*;

/// A preset's name, how it ended, and how it stands.
type Ended = (String, Status, Option<Health>);

/// A provider that does what its config says and remembers in which order.
#[derive(Default)]
struct Scripted {
    log: Mutex<Vec<String>>,
    mended: Mutex<Vec<String>>,
}

impl PresetProvider for Scripted {
    fn id(&self) -> &'static str {
        "scripted"
    }

    fn check(&self, context: &Context) -> Check {
        let name = context.config["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let mended = self.mended.lock().unwrap().contains(&name);
        let health = match context.config.get("health").and_then(Value::as_str) {
            _ if mended => Health::Healthy,
            Some("missing") => Health::Missing,
            Some("drifted") => Health::Drifted,
            Some("broken") => Health::Broken,
            _ => Health::Healthy,
        };
        let mut check = Check::new(health, "checked");
        check
            .values
            .insert("environment_path".into(), json!(format!("/{name}")));
        check
    }

    fn apply(&self, context: &Context) -> Apply {
        let name = context.config["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let known: Vec<String> = context
            .values
            .iter()
            .map(|(name, told)| format!("{name}={}", told["environment_path"]))
            .collect();
        self.log
            .lock()
            .unwrap()
            .push(format!("{name}({})", known.join(",")));
        match context.config.get("applies").and_then(Value::as_str) {
            Some("fails") => Apply::new(Applied::Failed, "no luck"),
            Some("detects") => Apply::new(Applied::DetectionOnly, "cannot"),
            Some("lies") => Apply::new(Applied::Success, "done"),
            _ => {
                self.mended.lock().unwrap().push(name);
                Apply::new(Applied::Success, "done")
            }
        }
    }
}

fn preset(name: &str, requires: &[&str], mut config: Value) -> Definition {
    config["name"] = json!(name);
    Definition {
        name: name.to_owned(),
        provider: "scripted".to_owned(),
        requires: requires.iter().map(|&name| name.to_owned()).collect(),
        config: config.as_object().cloned().unwrap_or_default(),
        ..Definition::default()
    }
}

fn run(definitions: &[Definition], applies: bool) -> (Vec<Ended>, Vec<String>) {
    let provider = Scripted::default();
    let settings = BTreeMap::new();
    let orchestrator = PresetOrchestrator {
        definitions,
        registry: Registry::of([&provider as &dyn PresetProvider]),
        root: Path::new("/p"),
        settings: &settings,
    };
    let names: Vec<String> = definitions
        .iter()
        .map(|preset| preset.name.clone())
        .collect();
    let outcomes = if applies {
        orchestrator.apply(&names)
    } else {
        orchestrator.check(&names)
    }
    .unwrap();
    let outcomes = outcomes
        .into_iter()
        .map(|outcome| (outcome.name, outcome.status, outcome.health))
        .collect();
    let log = provider.log.into_inner().unwrap();
    (outcomes, log)
}

#[test]
fn a_check_applies_nothing_and_tells_every_kind_of_health() {
    let all = [
        preset("a", &[], json!({})),
        preset("b", &[], json!({"health": "missing"})),
        preset("c", &[], json!({"health": "drifted"})),
        preset("d", &["b"], json!({"health": "broken"})),
    ];
    let (outcomes, log) = run(&all, false);
    let health: Vec<_> = outcomes
        .iter()
        .filter_map(|(_, _, health)| *health)
        .collect();
    assert_eq!(
        health,
        [
            Health::Healthy,
            Health::Missing,
            Health::Drifted,
            Health::Broken
        ]
    );
    assert!(log.is_empty());
}

#[test]
fn what_is_healthy_is_left_alone_and_later_presets_know_what_earlier_ones_decided() {
    let all = [
        preset("environment", &[], json!({"health": "missing"})),
        preset("platform", &[], json!({})),
        preset(
            "brain",
            &["environment", "platform"],
            json!({"health": "missing"}),
        ),
    ];
    let (outcomes, log) = run(&all, true);
    assert_eq!(
        log,
        [
            "environment()",
            "brain(environment=\"/environment\",platform=\"/platform\")"
        ]
    );
    assert!(
        outcomes
            .iter()
            .all(|(_, _, health)| *health == Some(Health::Healthy))
    );
}

#[test]
fn dependants_of_a_failure_are_skipped_and_others_go_on() {
    let all = [
        preset("bad", &[], json!({"health": "missing", "applies": "fails"})),
        preset("child", &["bad"], json!({"health": "missing"})),
        preset("grandchild", &["child"], json!({"health": "missing"})),
        preset("other", &[], json!({"health": "missing"})),
    ];
    let (outcomes, _) = run(&all, true);
    let status = |name: &str| {
        outcomes
            .iter()
            .find(|(known, _, _)| known == name)
            .map(|(_, status, _)| *status)
    };
    assert_eq!(status("bad"), Some(Status::Applied(Applied::Failed)));
    assert_eq!(status("child"), Some(Status::Skipped));
    assert_eq!(status("grandchild"), Some(Status::Skipped));
    assert_eq!(status("other"), Some(Status::Applied(Applied::Success)));
}

#[test]
fn detection_only_stays_what_it_is_and_a_false_success_is_a_failure() {
    let (outcomes, _) = run(
        &[preset(
            "a",
            &[],
            json!({"health": "missing", "applies": "detects"}),
        )],
        true,
    );
    assert_eq!(outcomes[0].1, Status::Applied(Applied::DetectionOnly));
    let (outcomes, _) = run(
        &[preset(
            "a",
            &[],
            json!({"health": "missing", "applies": "lies"}),
        )],
        true,
    );
    assert_eq!(outcomes[0].1, Status::Applied(Applied::Failed));
}

#[test]
fn a_provider_nobody_knows_is_a_failure_of_its_preset_alone() {
    let mut odd = preset("odd", &[], json!({}));
    odd.provider = "nobody".into();
    let (outcomes, _) = run(&[odd, preset("fine", &[], json!({}))], true);
    assert_eq!(outcomes[0].1, Status::Checked);
    assert_eq!(outcomes[1].1, Status::Applied(Applied::Failed));
}
