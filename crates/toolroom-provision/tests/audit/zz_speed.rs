use crate::support::Venv;
use toolroom_provision::audit::python::{Environment, Platform, audit};
use toolroom_provision::audit::SeverityRules;
#[test]
#[ignore]
fn speed() {
    let Some(venv) = Venv::new("3.11", &["requests[socks]","flask[async]","httpx[http2,cli]","rich","pytest","PyYAML","python-dateutil","jaraco.text","typing_extensions","importlib-metadata","sphinx","aiohttp","fastapi","uvicorn[standard]","sqlalchemy","black","jsonschema","twine"]) else { return };
    let lines = "requests[socks]\nflask[async]\nhttpx[http2]\nrich\npytest\nPyYAML\npython-dateutil\njaraco.text\nsphinx\naiohttp\nfastapi\nuvicorn[standard]\nsqlalchemy\nblack\ntwine; python_version >= '3.8'\n";
    let n = std::process::Command::new("sh").arg("-c").arg(format!("ls -d {}/lib/python3.11/site-packages/*.dist-info | wc -l; du -sh {}", venv.root().display(), venv.root().display())).output().unwrap();
    eprintln!("{}", String::from_utf8_lossy(&n.stdout));
    if let Ok(copy) = std::env::var("COPY_TO") { std::process::Command::new("cp").arg("-a").arg(venv.root()).arg(copy).status().unwrap(); }
    for lines in [lines, "urllib3<1\n"] {
    for _ in 0..5 {
        let t = std::time::Instant::now();
        let env = Environment::read(&venv.root(), &Platform::current()).unwrap();
        let a = t.elapsed();
        let r = venv.requirements(lines);
        let b = t.elapsed();
        let x = audit(&env, &r, &SeverityRules::default()).unwrap();
        eprintln!("env {a:?} req {:?} audit {:?} examined {} ok {}", b - a, t.elapsed() - b, x.examined, x.is_satisfied());
    }}
}
