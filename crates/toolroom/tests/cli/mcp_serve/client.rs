//! A client that knows only lines.

#![allow(
    clippy::needless_pass_by_value,
    reason = "tests read better without ampersands"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolroom_test::TestContext;

const PATIENCE: Duration = Duration::from_secs(30);

pub struct Client {
    pub child: Child,
    pub stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    stderr: Option<std::thread::JoinHandle<String>>,
    /// Notifications that came while an answer was waited for.
    pub heard: Vec<Value>,
    capabilities: Value,
    next: i64,
}

impl Client {
    pub fn start(context: &TestContext, args: &[&str]) -> Self {
        Self::spawn(context.command(&[&["mcp", "serve"], args].concat()))
    }

    /// A server from another file than the one under test.
    #[cfg(target_os = "linux")]
    pub fn of(context: &TestContext, program: &std::path::Path, args: &[&str]) -> Self {
        let usual = context.command(&[&["mcp", "serve"], args].concat());
        let mut command = Command::new(program);
        command
            .args(usual.get_args())
            .env_clear()
            .current_dir(context.project());
        for (name, value) in usual.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        Self::spawn(command)
    }

    pub fn spawn(mut command: Command) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let mut talk = child.stderr.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let message =
                    serde_json::from_str(&line).unwrap_or_else(|_| json!({"not a message": line}));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let stderr = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = talk.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        Self {
            stdin: child.stdin.take(),
            child,
            lines,
            stderr: Some(stderr),
            heard: Vec::new(),
            capabilities: json!({}),
            next: 0,
        }
    }

    /// What later requests of the modern kind say the client can do.
    pub fn able(&mut self, capabilities: Value) {
        self.capabilities = capabilities;
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    pub fn send_request(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    pub fn send_modern(&mut self, method: &str, params: Value) -> i64 {
        self.send_with(method, params, json!({}))
    }

    /// With more in `_meta` than has to be there.
    pub fn send_with(&mut self, method: &str, mut params: Value, meta: Value) -> i64 {
        let mut all = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": self.capabilities,
        });
        for (key, value) in meta.as_object().unwrap() {
            all[key] = value.clone();
        }
        params["_meta"] = all;
        self.send_request(method, params)
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    pub fn try_next(&mut self, patience: Duration) -> Option<Value> {
        self.lines.recv_timeout(patience).ok()
    }

    /// The next message of any kind.
    pub fn next(&mut self) -> Value {
        self.try_next(PATIENCE).expect("a message")
    }

    /// The next answer; what else comes is kept in `heard`.
    pub fn next_response(&mut self) -> Value {
        loop {
            let message = self.next();
            if message.get("method").is_none() {
                return message;
            }
            self.heard.push(message);
        }
    }

    pub fn response(&mut self, id: i64) -> Value {
        let response = self.next_response();
        assert_eq!(response["id"], id, "{response}");
        response
    }

    fn result(&mut self, id: i64) -> Value {
        let response = self.response(id);
        assert!(response.get("error").is_none(), "{response}");
        response["result"].clone()
    }

    pub fn modern(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_modern(method, params);
        self.result(id)
    }

    pub fn modern_error(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_modern(method, params);
        self.response(id)["error"].clone()
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        self.result(id)
    }

    pub fn error(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        self.response(id)["error"].clone()
    }

    pub fn initialize(&mut self, version: &str, capabilities: Value) -> Value {
        let params = json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": {"name": "test", "version": "1"}});
        let answer = self.request("initialize", params);
        self.notify("notifications/initialized", json!({}));
        answer
    }

    /// Waits for a notification of this kind.
    pub fn hear(&mut self, method: &str) -> Value {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Some(at) = self
                .heard
                .iter()
                .position(|message| message["method"] == method)
            {
                return self.heard.remove(at);
            }
            let message = self.next();
            self.heard.push(message);
        }
        panic!("no {method}");
    }

    /// Ends the input; what was still said, and what was said on standard error.
    pub fn finish(mut self) -> (Vec<Value>, String) {
        drop(self.stdin.take());
        self.child.wait().unwrap();
        let stderr = self
            .stderr
            .take()
            .map(|thread| thread.join().unwrap())
            .unwrap_or_default();
        (self.lines.iter().collect(), stderr)
    }

    /// Ends the input and says how long the process then took.
    pub fn end(&mut self) -> Duration {
        let begun = Instant::now();
        drop(self.stdin.take());
        self.child.wait().unwrap();
        begun.elapsed()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
