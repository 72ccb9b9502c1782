//! What the primitive is told to send: finished values, in which nothing is left to fill
//! in, look up or default from the machine.

use std::path::PathBuf;
use std::time::Duration;

use super::auth::Auth;
use super::body::Body;
use super::pointer::Pointer;
use super::retry::Retry;

/// How much of an answer is kept, unless something else is said.
pub const MAX_RESPONSE: u64 = 16 << 20;

/// How many redirects are followed, unless something else is said.
pub const REDIRECTS: u32 = 10;

/// One request, with how it is sent and what becomes of its answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Request {
    pub method: String,
    pub url: String,
    /// Added to the query of `url`, and encoded.
    pub query: Vec<(String, String)>,
    pub headers: Vec<(String, String)>,
    pub auth: Option<Auth>,
    pub body: Body,
    /// For the whole call, with all attempts and the waits between them.
    pub timeout: Option<Duration>,
    pub retry: Retry,
    /// How many redirects are followed; with none a redirect is the answer.
    pub redirects: u32,
    pub max_response: u64,
    /// Whether server-sent events are passed on while they come.
    pub stream: bool,
    /// The part of a good answer that is the result.
    pub result: Option<Pointer>,
    pub network: Network,
}

impl Request {
    /// A plain GET without a time limit.
    ///
    /// ```
    /// use toolroom_exec::http::Request;
    ///
    /// let mut request = Request::get("http://127.0.0.1:8080/status");
    /// request.headers.push(("Accept".into(), "application/json".into()));
    /// ```
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            method: "GET".to_owned(),
            url: url.into(),
            query: Vec::new(),
            headers: Vec::new(),
            auth: None,
            body: Body::None,
            timeout: None,
            retry: Retry::default(),
            redirects: REDIRECTS,
            max_response: MAX_RESPONSE,
            stream: false,
            result: None,
            network: Network::default(),
        }
    }
}

/// How servers are reached. Requests with equal networks share their connections.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Network {
    pub http_proxy: Option<String>,
    pub https_proxy: Option<String>,
    /// Hosts that are reached without a proxy, as `NO_PROXY` lists them.
    pub no_proxy: Option<String>,
    /// The file of authorities that are trusted in place of the system's.
    pub authorities: Option<PathBuf>,
    /// Files of authorities that are trusted as well.
    pub more_authorities: Vec<PathBuf>,
    pub connect_timeout: Duration,
    pub allow_link_local: bool,
}

impl Default for Network {
    fn default() -> Self {
        Self {
            http_proxy: None,
            https_proxy: None,
            no_proxy: None,
            authorities: None,
            more_authorities: Vec::new(),
            connect_timeout: Duration::from_secs(10),
            allow_link_local: false,
        }
    }
}

impl Network {
    /// Takes the proxies from where an environment names them.
    pub fn proxied_by(&mut self, variable: impl Fn(&str) -> Option<String>) {
        // One that is set to nothing says that there is none.
        let first = |names: [&str; 2]| {
            let found = names.into_iter().find_map(&variable);
            found.filter(|value| !value.is_empty())
        };
        let all = first(["all_proxy", "ALL_PROXY"]);
        self.http_proxy = first(["http_proxy", "HTTP_PROXY"]).or_else(|| all.clone());
        self.https_proxy = first(["https_proxy", "HTTPS_PROXY"]).or(all);
        self.no_proxy = first(["no_proxy", "NO_PROXY"]);
    }
}
