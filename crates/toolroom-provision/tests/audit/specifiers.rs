//! PEP 440 in full: every specifier against every version, as `packaging` judges them.

use crate::support::Venv;

const VERSIONS: [&str; 24] = [
    "0",
    "0.9",
    "1.0",
    "1",
    "1.0.0",
    "1.0.1",
    "1.1",
    "1.10",
    "2.0",
    "10.0",
    "1.0a1",
    "1.0b2",
    "1.0rc1",
    "1.0.dev1",
    "1.0.post1",
    "1.0.post1.dev2",
    "1.1rc1",
    "2.0rc1",
    "1!0.5",
    "1.0+local",
    "1.0+local.2",
    "2.0.dev3",
    "2024.1",
    "1.0a1.dev2",
];

const NUMBERS: [&str; 11] = [
    "1",
    "1.0",
    "1.0.0",
    "1.1",
    "2",
    "1.0rc1",
    "1.0.post1",
    "1.0.dev1",
    "1!0.5",
    "1.10",
    "10",
];

#[test]
fn every_specifier_is_judged_as_packaging_judges_it() {
    let Some(venv) = Venv::new(&[]) else {
        return;
    };
    let environment = venv.environment();
    let site = &environment.site_directories()[0];
    for (index, version) in VERSIONS.iter().enumerate() {
        let folder = site.join(format!("p{index}-{version}.dist-info"));
        let head = format!("Metadata-Version: 2.1\nName: p{index}\nVersion: {version}\n\n");
        fs_err::create_dir(&folder).unwrap();
        fs_err::write(folder.join("METADATA"), head).unwrap();
    }
    let mut specifiers: Vec<String> = Vec::new();
    for number in NUMBERS {
        for op in ["<", "<=", "==", "!=", ">=", ">", "==="] {
            specifiers.push(format!("{op}{number}"));
        }
        if number.contains('.') {
            specifiers.push(format!("~={number}"));
        }
    }
    for more in [
        "==1.*",
        "==1.0.*",
        "!=1.*",
        "!=1.0.*",
        "==1!0.*",
        "==1.0+local",
        "!=1.0+local",
        "==1.0+LOCAL-2",
        ">=1,<2",
        ">1,<=1.1,!=1.0.1",
        "~=1.0.0",
        "~=1.0rc1",
    ] {
        specifiers.push(more.to_owned());
    }
    let lines = |specifier: &String| -> String {
        (0..VERSIONS.len())
            .map(|index| format!("p{index}{specifier}\n"))
            .collect()
    };
    venv.agree(&specifiers.iter().map(lines).collect::<Vec<_>>());
}
