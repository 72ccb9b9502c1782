"""`scripts/bench mcp`: serving a hundred tools, against FastMCP and the official SDKs' servers.

Every server is spoken to by the same few lines of JSON over its standard input. Peers come from
`scripts/bench`; one that is missing is named.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TOOLS = 100
ROUNDS = 15
CALLS = 40
CONCURRENT = 200

TOOL = '''"""Tool number {n}: adds two numbers."""


def main(a: int, b: int = 2, label: str = "sum") -> dict:
    """Adds.

    Args:
        a: The first.
        b: The second.
        label: What to call it.
    """
    return {{label: a + b}}
'''
SCRIPT = "print(1)\n"
SHORT = ["/bin/sh", "-c", "echo 1"]

PYTHON_SERVER = '''
import subprocess, sys
{head}
def make(n):
    def tool(a: int, b: int = 2, label: str = "sum") -> dict:
        """Adds two numbers."""
        return {{label: a + b}}
    tool.__name__ = f"tool{{n}}"
    return tool
for n in range({tools}):
    server.{add}(make(n))
def spawn() -> str:
    """Runs a script."""
    return subprocess.run([{python!r}, {script!r}], stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
server.{add}(spawn)
server.run({run})
'''

NODE_SERVER = '''
import {{ spawn }} from "node:child_process";
import {{ z }} from {zod};
import {{ McpServer }} from {server};
import {{ StdioServerTransport }} from {stdio};
const server = new McpServer({{ name: "peer", version: "1" }});
for (let n = 0; n < {tools}; n++)
  server.registerTool(`tool${{n}}`, {{ description: "Adds two numbers.", inputSchema: {shape} }},
    async ({{ a, b, label }}) => ({{ content: [{{ type: "text", text: JSON.stringify({{ [label ?? "sum"]: a + (b ?? 2) }}) }}] }}));
server.registerTool("spawn", {{ description: "Runs a script.", inputSchema: {empty} }}, () => new Promise((done) => {{
  const child = spawn({python}, [{script}], {{ stdio: ["ignore", "pipe", "pipe"] }});
  let text = "";
  child.stdout.on("data", (data) => (text += data));
  child.on("close", () => done({{ content: [{{ type: "text", text }}] }}));
}}));
await server.connect(new StdioServerTransport());
'''


class Session:
    """A client of the handshake era, which every server here knows."""

    def __init__(self, argv, cwd, env):
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(argv, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.last = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", hello)
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def write(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def send(self, method, params):
        self.last += 1
        self.write({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        return self.last

    def answer(self):
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("a server ended too early")
            message = json.loads(line)
            if "method" not in message:
                return message

    def ask(self, method, params):
        self.send(method, params)
        return self.answer()

    def call(self, name, **arguments):
        answer = self.ask("tools/call", {"name": name, "arguments": arguments})
        if answer.get("result", {}).get("isError", "error" in answer):
            sys.exit(f"{name} failed: {answer}")
        return answer

    def cpu(self):
        """Processor time of all threads so far, in milliseconds."""
        folder = f"/proc/{self.process.pid}/task"
        return sum(int(open(f"{folder}/{task}/schedstat").read().split()[0]) for task in os.listdir(folder)) / 1e6

    def memory(self):
        lines = open(f"/proc/{self.process.pid}/status").read().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    def end(self):
        begun = time.perf_counter()
        self.process.stdin.close()
        self.process.wait()
        return (time.perf_counter() - begun) * 1000


def start(server):
    session = Session(*server)
    count = len(session.ask("tools/list", {})["result"]["tools"])
    wall = (time.perf_counter() - session.begun) * 1000
    if count < TOOLS:
        sys.exit(f"only {count} tools")
    return session, wall, session.cpu()


def timed(action, count=CALLS):
    costs = []
    for _ in range(count):
        begun = time.perf_counter()
        action()
        costs.append((time.perf_counter() - begun) * 1000)
    return costs


def servers(toolroom, root, script):
    here = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "target", "tools")
    env = {"HOME": os.path.join(root, "home"), "PATH": os.environ["PATH"]}
    project = os.path.join(root, "project")
    yield "toolroom", ([toolroom, "mcp", "serve"], project, env)

    def python(name, folder, head, add, run):
        interpreter = os.path.join(here, folder, "bin", "python")
        if not os.path.exists(interpreter):
            print(f"{name}: not installed")
            return None
        path = os.path.join(root, f"peer_{name.split()[0]}.py")
        with open(path, "w") as file:
            file.write(PYTHON_SERVER.format(head=head, tools=TOOLS, add=add, run=run, python=sys.executable, script=script))
        return [interpreter, path], root, env

    def node(name, module, server, stdio, shape, empty):
        modules = os.path.join(here, "mcp-node", "node_modules")
        newer = os.path.join(here, "conformance", "node_modules", ".bin", "node")
        interpreter = newer if os.path.exists(newer) else shutil.which("node")
        if not interpreter or not os.path.isdir(os.path.join(modules, module)):
            print(f"{name}: not installed")
            return None
        path = os.path.join(root, f"{name.split()[-1]}.mjs")
        places = {key: json.dumps(os.path.join(modules, value)) for key, value in {"zod": "zod/index.js", "server": server, "stdio": stdio}.items()}
        with open(path, "w") as file:
            file.write(NODE_SERVER.format(tools=TOOLS, shape=shape, empty=empty, python=json.dumps(sys.executable), script=json.dumps(script), **places))
        return [interpreter, path], root, env

    fields = "{ a: z.number().int(), b: z.number().int().optional(), label: z.string().optional() }"
    peers = {
        "FastMCP": python("FastMCP", "fastmcp", 'from fastmcp import FastMCP\nserver = FastMCP("peer")', "tool", "show_banner=False"),
        "mcp (Python)": python("mcp", "mcp-python/current", 'from mcp.server import MCPServer\nserver = MCPServer("peer")', "add_tool", ""),
        "server (TypeScript)": node("ts server", "@modelcontextprotocol/server", "@modelcontextprotocol/server/dist/index.mjs", "@modelcontextprotocol/server/dist/stdio.mjs", f"z.object({fields})", "z.object({})"),
        "sdk 1.x (TypeScript)": node("ts sdk1", "@modelcontextprotocol/sdk", "@modelcontextprotocol/sdk/dist/esm/server/mcp.js", "@modelcontextprotocol/sdk/dist/esm/server/stdio.js", fields, "{}"),
    }
    for name, server in peers.items():
        if server:
            yield name, server


def bare(argv, env):
    subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, env=env, check=True)


def main():
    toolroom = os.path.abspath(sys.argv[1])
    root = tempfile.mkdtemp(prefix="toolroom-bench-")
    try:
        folder = os.path.join(root, "project", ".ai", "tools")
        os.makedirs(folder)
        os.makedirs(os.path.join(root, "home"))
        for n in range(TOOLS):
            with open(os.path.join(folder, f"tool{n}.py"), "w") as file:
                file.write(TOOL.format(n=n))
        with open(os.path.join(folder, "spawn.yaml"), "w") as file:
            command = json.dumps({"command": sys.executable, "args": [os.path.join(root, "script.py")], "call": {"style": "command"}})
            file.write(f"tool_type: command\nexecutor_id: subprocess\ndescription: Runs a script.\nconfig: {command}\n")
        with open(os.path.join(folder, "short.yaml"), "w") as file:
            command = json.dumps({"command": SHORT[0], "args": SHORT[1:], "call": {"style": "command"}})
            file.write(f"tool_type: command\nexecutor_id: subprocess\ndescription: Runs a short script.\nconfig: {command}\n")
        script = os.path.join(root, "script.py")
        with open(script, "w") as file:
            file.write(SCRIPT)
        time.sleep(0.3)
        measure(toolroom, root, script)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def measure(toolroom, root, script):
    all_servers = dict(servers(toolroom, root, script))
    env = all_servers["toolroom"][2]
    print(f"mcp: {TOOLS} tools, {os.cpu_count()} cores; medians, [best]")
    print(f"{'':<22}{'start to tools/list':>26}{'call of a script':>24}{'over bare':>11}{'memory':>10}{'end':>9}")
    baseline = timed(lambda: bare([sys.executable, script], env))
    ours = None
    for name, server in all_servers.items():
        start(server)[0].end()
        starts = []
        ends = []
        for _ in range(ROUNDS if name == "toolroom" else 5):
            session, wall, cpu = start(server)
            starts.append((cpu, wall))
            ends.append(session.end())
        session, _, _ = start(server)
        session.call("spawn")
        calls, bares = [], []
        for _ in range(CALLS):
            calls += timed(lambda: session.call("spawn"), 1)
            bares += timed(lambda: bare([sys.executable, script], env), 1)
        time.sleep(0.5)
        memory = session.memory()
        session.end()
        cpu, wall = (statistics.median(column) for column in zip(*starts))
        call, over = statistics.median(calls), statistics.median(calls) - statistics.median(bares)
        note = ""
        if name == "toolroom":
            ours = cpu
        else:
            note = f"  {cpu / ours:.0f}x our start"
        print(f"{name:<22}{cpu:9.1f} ms CPU {wall:8.1f} ms{call:13.1f} [{min(calls):5.1f}] ms{over:8.1f} ms{memory:7.1f} MB{statistics.median(ends):6.1f} ms{note}")
    print(f"{'bare spawn':<22}{'':26}{statistics.median(baseline):13.1f} [{min(baseline):5.1f}] ms")
    print("wanted: start at most 10 ms CPU and at least 50x FastMCP's; at most 1 ms over bare; at most 20 MB; end within 50 ms")
    short_calls(all_servers["toolroom"], env)
    function_calls(all_servers["toolroom"], env, script)
    concurrent(all_servers["toolroom"])


def short_calls(server, env):
    """What we add to a script, seen better where the script itself takes hardly any time."""
    session, _, _ = start(server)
    calls, bares = [], []
    for _ in range(300):
        calls += timed(lambda: session.call("short"), 1)
        bares += timed(lambda: bare(SHORT, env), 1)
    session.end()
    over, least = statistics.median(calls) - statistics.median(bares), min(calls) - min(bares)
    print(f"{'a shell script':<22}{'':26}{statistics.median(calls):13.1f} [{min(calls):5.1f}] ms{over:8.2f} [{least:.2f}] ms over bare (at most 1 ms)")


def function_calls(server, env, script):
    session, _, _ = start(server)
    session.call("tool1", a=1)
    calls, bares = [], []
    for n in range(CALLS):
        calls += timed(lambda: session.call("tool1", a=n), 1)
        bares += timed(lambda: bare([sys.executable, script], env), 1)
    session.end()
    call, spawn = statistics.median(calls), statistics.median(bares)
    print(f"{'a Python function':<22}{'':26}{call:13.1f} [{min(calls):5.1f}] ms  {call / spawn:.2f}x a bare spawn")


def concurrent(server):
    session, _, _ = start(server)
    begun = time.perf_counter()
    wanted = {session.send("tools/call", {"name": "tool1", "arguments": {"a": n}}): n + 2 for n in range(CONCURRENT)}
    for _ in range(CONCURRENT):
        answer = session.answer()
        expected = wanted.pop(answer["id"])
        if answer["result"]["structuredContent"] != {"sum": expected}:
            sys.exit(f"wrong answer: {answer}")
    took = time.perf_counter() - begun
    ended = session.end()
    print(f"{CONCURRENT} calls at once: none lost, {took:.2f} s, {CONCURRENT / took:.0f} a second; ended within {ended:.1f} ms")


main()
