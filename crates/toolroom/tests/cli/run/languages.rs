//! Every calling convention, with the real interpreters.

use serde_json::json;

use super::{machine, result};

#[test]
fn a_script_in_the_way_of_kiwi_gets_key_and_value() {
    let context = machine();
    context.tool(
        "k.py",
        "import argparse, json\n__executor_id__ = 'python_runtime'\nCONFIG_SCHEMA = {'type': 'object', 'properties': {'path': {'type': 'string'}, 'all': {'type': 'boolean'}, 'items': {'type': 'array'}}}\ndef main():\n    parser = argparse.ArgumentParser()\n    parser.add_argument('--path'); parser.add_argument('--all', action='store_true'); parser.add_argument('--items', type=json.loads)\n    options = parser.parse_args()\n    print(json.dumps([options.path, options.all, options.items]))\nif __name__ == '__main__':\n    main()\n",
    );
    assert_eq!(
        result(&context, &["k", "--path", "a b", "--all", "--items", "[1]"]),
        json!(["a b", true, [1]])
    );
}

#[test]
fn a_script_in_the_way_of_rye_gets_params_and_project() {
    let context = machine();
    context.tool(
        "r.py",
        "import argparse, json\n__executor_id__ = 'rye/core/runtimes/python_script_runtime'\nparser = argparse.ArgumentParser()\nparser.add_argument('--params'); parser.add_argument('--project-path')\noptions = parser.parse_args()\nprint(json.dumps([json.loads(options.params), options.project_path]))\n",
    );
    assert_eq!(
        result(&context, &["r", "--params", "{\"a\": [1]}"]),
        json!([{"a": [1]}, "[PROJECT]"])
    );
}

#[test]
fn a_function_in_the_way_of_rye_gets_params_and_project() {
    let context = machine();
    context.tool(
        "r.py",
        "# rye:signed:2026:abc:def:0\n__executor_id__ = 'rye/core/runtimes/python_function_runtime'\nasync def execute(params, project_path):\n    return [params, project_path]\n",
    );
    assert_eq!(
        result(&context, &["r", "--a", "1"]),
        json!([{"a": "1"}, "[PROJECT]"])
    );
}

#[test]
fn a_file_without_a_function_is_a_script_in_every_language() {
    let context = machine();
    let scripts = [
        ("a.rb", "# A script.\nputs ARGV.to_s\n"),
        ("b.rb", "def main\n  puts ARGV.to_s\nend\nmain\n"),
        (
            "c.pl",
            "# A script.\nprint '[\"', join('\", \"', @ARGV), '\"]';\n",
        ),
        (
            "d.pl",
            "sub main { print '[\"', join('\", \"', @_), '\"]'; }\nmain(@ARGV);\n",
        ),
        (
            "e.php",
            "<?php\n// A script.\necho json_encode(array_slice($argv, 1));\n",
        ),
    ];
    for (name, text) in scripts {
        context.tool(name, text);
        let found = result(&context, &[&name[..1], "--name", "Q"]);
        assert_eq!(found, json!(["--name", "Q"]), "{name}");
    }
}

#[test]
fn a_function_that_a_file_calls_only_as_a_program_is_called_once() {
    let context = machine();
    let functions = [
        (
            "a.rb",
            "def main(name:)\n  { hi: name }\nend\nmain(name: 'me') if __FILE__ == $0\n",
        ),
        (
            "b.pl",
            "sub main { my %p = @_; return { hi => $p{name} } }\nmain(name => 'me') unless caller;\n1;\n",
        ),
        (
            "c.php",
            "<?php\nfunction main($name) { return ['hi' => $name]; }\n",
        ),
    ];
    for (name, text) in functions {
        context.tool(name, text);
        let found = result(&context, &[&name[..1], "--name", "Q"]);
        assert_eq!(found, json!({"hi": "Q"}), "{name}");
    }
}

#[test]
fn runtimes_that_only_name_their_interpreter_call_functions() {
    let context = machine();
    let runtimes = [
        (
            "node_modules",
            "node",
            "node",
            "c.mjs",
            "export const executor_id = 'own/node';\nexport function main({name}) { return {hi: name}; }\n",
        ),
        (
            "system_binary",
            "deno",
            "deno",
            "d.ts",
            "export const executor_id = 'own/deno';\nexport function main({name}: {name: string}) { return {hi: name}; }\n",
        ),
        (
            "version_manager",
            "ruby",
            "rbenv",
            "e.rb",
            "# ---\n# executor_id: own/ruby\n# ---\ndef main(name:)\n  { hi: name }\nend\n",
        ),
    ];
    for (kind, program, manager, name, text) in runtimes {
        context.tool(
            &format!("own/{program}.py"),
            format!("ENV_CONFIG = {{'interpreter': {{'type': '{kind}', 'binary': '{program}', 'manager': '{manager}', 'var': 'OWN', 'fallback': '{program}'}}}}\nCONFIG = {{'command': '${{OWN}}', 'args': {}}}\n", if program == "deno" { "['run', '--allow-all']" } else { "[]" }),
        );
        context.tool(name, text);
        let found = result(&context, &[&name[..1], "--name", "Q"]);
        assert_eq!(found, json!({"hi": "Q"}), "{kind}");
    }
}

#[test]
fn the_seeds_git_tool_runs_as_written() {
    let context = machine();
    context.tool(
        "rye/capabilities/git.py",
        include_str!("../../../../../fixtures/seeds/git.py"),
    );
    let found = result(&context, &["git", "--command=--version"]);
    assert!(
        found["stdout"].as_str().unwrap().starts_with("git version"),
        "{found}"
    );
}

#[test]
fn node_tools_run_as_modules_and_as_scripts() {
    let context = machine();
    context.tool("esm.mjs", "export async function main({ name = 'x' }, { log }) { log('info', 'hi'); return { name }; }\n");
    context.tool("cjs.cjs", "exports.main = ({ n }) => [n];\n");
    context.tool(
        "plain.js",
        "console.log(JSON.stringify(process.argv.slice(2)));\n",
    );
    assert_eq!(
        result(&context, &["esm", "--name", "Ada"]),
        json!({"name": "Ada"})
    );
    assert_eq!(result(&context, &["cjs", "--n", "1"]), json!(["1"]));
    assert_eq!(
        result(&context, &["plain", "--a", "b"]),
        json!(["--a", "b"])
    );
}

/// The schema that is shown and the call that is made come from one reading of the file.
#[test]
fn a_node_function_gets_its_parameters_as_it_declares_them() {
    let context = machine();
    let body = "{ return [city, days]; }";
    let cases = [
        ("typed.mjs", format!("/**\n * @param {{string}} city\n * @param {{number}} [days=3]\n */\nexport function main(city, days = 3) {body}")),
        ("plain.mjs", format!("export const main = (city, days = 3) => {body}")),
        ("common.cjs", format!("exports.main = function (city, days = 3) {body}")),
        ("members.mjs", format!("export const main = ({{ city, days = 3 }}) => {body}")),
        ("default.mjs", "export default (city, days = 3, { log }) => { log('info', city); return [city, days]; }".to_owned()),
        ("context.mjs", "export const main = (city, ctx, days = 3) => [city, ctx.projectPath ? days : 0]".to_owned()),
        ("declared.mjs", format!("export const inputSchema = {{ type: 'object', properties: {{ city: {{ type: 'string' }}, days: {{ type: 'integer', default: 3 }} }} }};\nexport function main(city, days) {body}")),
        ("whole.mjs", "export const inputSchema = { type: 'object', properties: { city: {}, days: { type: 'integer', default: 3 } } };\nexport const main = (query) => [query.city, query.days]".to_owned()),
        ("params.mjs", "export const main = (params, context) => [params.city, Number(params.days ?? 3)]".to_owned()),
    ];
    for (name, source) in cases {
        let path = context.tool(name, source);
        let id = name.split('.').next().unwrap();
        assert_eq!(
            result(&context, &[id, "--city", "Oslo"]),
            json!(["Oslo", 3]),
            "{name}"
        );
        let found = result(
            &context,
            &[id, "--params", "{\"days\": 5, \"city\": \"Rome\"}"],
        );
        assert_eq!(found, json!(["Rome", 5]), "{name}");
        fs_err::remove_file(path).unwrap();
    }
}

/// Deno and Bun run the same launcher as Node, and TypeScript besides.
#[test]
fn a_python_that_cannot_call_functions_is_no_failure_of_the_tool() {
    let context = machine();
    let Some(python) = toolroom_test::program("python3") else {
        return;
    };
    // One that believes itself older than it is.
    let pretending = "import runpy, sys; sys.argv = [a for a in sys.argv if a.endswith('call.py')]; sys.version_info = (3, 5, 2); runpy.run_path(sys.argv[0], run_name='__main__')";
    context.executable(
        ".venv/bin/python",
        format!(
            "#!/bin/sh\nexec '{}' -c \"{pretending}\" \"$@\"\n",
            python.display()
        ),
    );
    let home = python.parent().unwrap().display();
    context.file(
        ".venv/pyvenv.cfg",
        format!("home = {home}\nversion = 3.5.2\n"),
    );
    context.tool("f.py", "def main(): return 1\n");
    let output = context.run(&["run", "f", "--json"]);
    assert_eq!(output.status, 125, "{output}");
    let error = &output.data()["error"];
    assert_eq!(error["code"], "exec::unfit_interpreter");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("takes Python 3.6 or newer"), "{message}");
}

#[test]
fn a_node_that_runs_no_typescript_is_no_failure_of_the_tool() {
    let mut context = machine();
    // What newer ones can do they can be told not to.
    context.set_env("NODE_OPTIONS", "--no-experimental-strip-types");
    context.tool("plain.js", "export const main = () => 1\n");
    if context.run(&["run", "plain"]).status != 0 {
        context.remove_env("NODE_OPTIONS");
    }
    context.tool("f.ts", "export const main = (): number => 1\n");
    let output = context.run(&["run", "f"]);
    assert_eq!(output.status, 125, "{output}");
    let said = "error[exec::unfit_interpreter]: Node ";
    assert!(output.stderr.starts_with(said), "{output}");
    assert!(output.stderr.contains("runs no TypeScript"), "{output}");
}

#[test]
fn typescript_tools_run_in_deno_and_bun() {
    let context = machine();
    for runtime in ["deno", "bun"] {
        if toolroom_test::program(runtime).is_none() {
            continue;
        }
        let head = format!("export const executor_id = \"{runtime}_runtime\";\n");
        context.tool(
            "f.ts",
            format!("{head}export function main(city: string, days: number = 3, ctx: any): unknown {{\n  ctx.log(\"warning\", city);\n  console.log(\"printed\");\n  return {{ city, days }};\n}}\n"),
        );
        let shown = context.run(&["run", "f", "--city", "Oslo"]);
        assert_eq!(
            shown.stdout, "{\"city\":\"Oslo\",\"days\":3}\n",
            "{runtime}: {shown}"
        );
        assert!(shown.stderr.contains("warning: Oslo"), "{runtime}: {shown}");
        assert!(shown.stderr.contains("printed"), "{runtime}: {shown}");
        let wrong = context.run(&["run", "f", "--city", "Oslo", "--days", "many"]);
        assert_eq!(wrong.status, 2, "{runtime}: {wrong}");
        context.tool(
            "bad.ts",
            format!("{head}type A = {{ x: number }};\nfunction inner(a: A): never {{\n  throw new RangeError(`bad ${{a.x}}`);\n}}\nexport async function main() {{\n  await null;\n  inner({{ x: 1 }});\n}}\n"),
        );
        let error = context.data(&["run", "bad"])["error"].clone();
        assert_eq!(error["type"], "RangeError", "{runtime}: {error}");
        let frames: Vec<_> = error["frames"].as_array().unwrap().iter().collect();
        let names: Vec<_> = frames
            .iter()
            .map(|frame| frame["function"].as_str())
            .collect();
        assert_eq!(names, [Some("main"), Some("inner")], "{runtime}: {error}");
        let lines: Vec<_> = frames.iter().map(|frame| frame["line"].as_u64()).collect();
        assert_eq!(lines, [Some(8), Some(4)], "{runtime}: {error}");
        context.tool(
            "script.ts",
            format!("{head}const args: string[] = process.argv.slice(2);\nconsole.log(JSON.stringify(args));\n"),
        );
        assert_eq!(
            result(&context, &["script", "--a", "b c"]),
            json!(["--a", "b c"]),
            "{runtime}"
        );
    }
}

#[test]
fn a_go_program_gets_flags_and_its_status_is_ours() {
    let context = machine();
    if toolroom_test::program("go").is_none() {
        return;
    }
    context.tool(
        "g.go",
        "// ---\n// parameters: {name: {type: string}, n: {type: integer, default: 2}}\n// ---\npackage main\n\nimport (\n\t\"flag\"\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\tname := flag.String(\"name\", \"\", \"\")\n\tn := flag.Int(\"n\", 0, \"\")\n\tflag.Parse()\n\tfmt.Printf(\"[%q, %d]\\n\", *name, *n)\n\tif *n > 2 {\n\t\tfmt.Fprintln(os.Stderr, \"too many\")\n\t\tos.Exit(1)\n\t}\n}\n",
    );
    assert_eq!(result(&context, &["g", "--name", "a b"]), json!(["a b", 2]));
    let failed = context.run(&["run", "g", "--name", "x", "--n", "3"]);
    assert_eq!((failed.status, failed.stdout.as_str()), (1, "[\"x\", 3]\n"));
    assert!(failed.stderr.contains("too many"), "{failed}");
}

#[test]
fn a_perl_tool_runs() {
    let context = machine();
    context.tool(
        "p.pl",
        "sub main { my (%params) = @_; return { got => $params{name} }; }\n1;\n",
    );
    assert_eq!(result(&context, &["p", "--name", "x"]), json!({"got": "x"}));
}

#[test]
fn a_command_tool_needs_no_runtime() {
    let context = machine();
    context.tool(
        "c.yaml",
        "tool_type: shell\nexecutor_id: subprocess\nparameters: {text: {type: string}, n: {type: integer}}\nconfig:\n  command: printf\n  args: [\"%s|%s|%s\", \"{params.text}\", \"{n}\", \"${GREETING:-hi}\"]\n  env: {GREETING: \"from the tool\"}\n",
    );
    assert_eq!(
        result(&context, &["c", "--text", "a; rm -rf $HOME", "--n", "3"]),
        json!("a; rm -rf $HOME|3|from the tool")
    );
}

#[test]
fn a_tool_of_any_language_with_a_template_runs_as_it_was_made() {
    let context = machine();
    for (runtime, program) in [
        ("python", "python3"),
        ("python_function", "python3"),
        ("python_script", "python3"),
        ("node", "node"),
        ("bash", "bash"),
        ("perl", "perl"),
        ("ruby", "ruby"),
        ("php", "php"),
        ("deno", "deno"),
        ("bun", "bun"),
        ("go", "go"),
    ] {
        if toolroom_test::program(program).is_none() {
            continue;
        }
        let id = format!("made_{runtime}");
        context.data(&["new", &id, "--runtime", runtime]);
        let output = context.run(&["run", &id, "--name", "Ada"]);
        assert_eq!(output.status, 0, "{runtime}: {output}");
        assert!(output.stdout.contains("Hello, Ada!"), "{runtime}: {output}");
    }
}

#[test]
fn a_shell_script_keeps_its_name_its_traps_and_its_strictness() {
    let context = machine();
    context.tool(
        "strict.sh",
        "#!/usr/bin/env bash\nset -euo pipefail\ntrap 'echo cleaned' EXIT\necho \"$(basename \"$0\") $*\"\nfalse\necho never\n",
    );
    let output = context.run(&["run", "strict", "--a", "b c"]);
    assert_eq!(output.stdout, "strict.sh --a b c\ncleaned\n");
    assert_eq!(output.status, 1);
    context.tool(
        "called.sh",
        "# ---\n# entry: main\n# ---\nmain() { echo \"got $2\"; toolroom_log info hi; }\n",
    );
    assert_eq!(
        context.run(&["run", "called", "--x", "y"]).stdout,
        "got y\n"
    );
}

#[test]
fn what_a_shell_tool_prints_beside_its_result_is_talk() {
    let context = machine();
    context.tool(
        "both.sh",
        "echo noise\n[ \"${2:-}\" = none ] || toolroom_result '{\"y\": 2}'\necho after\n",
    );
    let output = context.run(&["run", "both"]);
    assert_eq!(output.stdout, "{\"y\": 2}\n");
    assert_eq!(output.stderr, "noise\nafter\n");
    let data = context.data(&["run", "both"]);
    assert_eq!(data["data"], json!({"y": 2}));
    assert_eq!(data["stdout"], "noise\nafter\n");
    let without = context.run(&["run", "both", "--x", "none"]);
    assert_eq!(without.stdout, "noise\nafter\n");
}

#[test]
fn a_shell_tool_runs_once_and_its_own_result_is_shown() {
    let context = machine();
    context.tool("twice.sh", "main() { echo ran; }\ncd /tmp && main \"$@\"\n");
    assert_eq!(context.run(&["run", "twice"]).stdout, "ran\n");
    let source = "# ---\n# entry: main\n# ---\nmain() { toolroom_result '{\"a\":1}'; }\ncat >/dev/null <<'END'\nmain\nEND\n";
    context.tool("given.sh", source);
    assert_eq!(context.run(&["run", "given"]).stdout, "{\"a\":1}\n");
    assert_eq!(result(&context, &["given"]), json!({"a": 1}));
}
