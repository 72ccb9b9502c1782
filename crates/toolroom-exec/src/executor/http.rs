//! Turns a chain's config into the finished request of the `http_client` primitive.
//!
//! Every text is filled in here, defaults of the runtime are laid below, and the proxies
//! and authorities are taken from the resolved environment: the primitive sees no other.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};
use toolroom_kernel::template::Unset;

use super::config;
use super::error::ExecError;
use super::http_body;
use super::prepare::Build;
use super::settings;
use super::url::{self, UrlFault};
use crate::http::{Auth, Backoff, Body, HttpError, Network, Pointer, Request, Retry};

/// The resource of `env_config` that holds a runtime's defaults.
const DEFAULTS: &str = "http_client";

/// What a key's value is made of, or what is wrong with it.
type Read<T> = Result<T, String>;

impl Build<'_> {
    /// The request, with everything filled in.
    pub(super) fn http(&self) -> Result<Request, ExecError> {
        let defaults = self
            .resolution
            .resources
            .get(DEFAULTS)
            .and_then(Value::as_object);
        let mut lower = defaults.cloned().unwrap_or_default();
        let default_headers = lower
            .remove("headers")
            .map(|headers| Map::from_iter([("headers".to_owned(), headers)]));
        let config = config::merged_above(self.request.chain, &lower);
        if config.contains_key("call") {
            return Err(self.bad(
                "call",
                "is for processes; a request is sent as its config says".into(),
            ));
        }
        let filled = self.all_filled(&config)?;
        let mut request = Request::get(self.url(&config)?);
        if let Some(method) = self.key(&filled, "method", text)? {
            request.method = method;
        }
        request.body = http_body::read(&filled, self.request.world.root())
            .map_err(|(key, reason)| self.bad(key, reason))?;
        let below = default_headers.unwrap_or_default();
        let below = self.filled(&below, "headers", Unset::Error)?;
        request.headers = self.headers(&below, &filled, &request.body)?;
        request.query = self
            .key(&filled, "params", http_body::pairs)?
            .unwrap_or_default();
        request.auth = self.key(&filled, "auth", auth)?;
        request.timeout = self.seconds(&filled, "timeout")?;
        request.retry = self.retry(&filled, &request.headers)?;
        request.redirects = self
            .key(&filled, "redirects", count)?
            .unwrap_or(request.redirects);
        request.max_response = self
            .key(&filled, "max_response", settings::bytes)?
            .unwrap_or(request.max_response);
        request.stream = self.key(&filled, "stream", truth)?.unwrap_or_default();
        request.result = self
            .key(&filled, "result", text)?
            .map(|text| Pointer::parse(&text));
        request.network = self.network(&filled)?;
        Ok(request)
    }

    /// Every key but the address, which is filled in by place. A variable that is not set
    /// is an error; only in a lone text of headers it means that there are none.
    fn all_filled(&self, config: &Map<String, Value>) -> Result<Map<String, Value>, ExecError> {
        const KEYS: [&str; 18] = [
            "method",
            "headers",
            "params",
            "body",
            "form",
            "text",
            "multipart",
            "auth",
            "timeout",
            "connect_timeout",
            "retries",
            "retry",
            "redirects",
            "max_response",
            "stream",
            "result",
            "proxy",
            "ca",
        ];
        let mut filled = Map::new();
        for key in KEYS {
            let is_lone = key == "headers" && config.get(key).is_some_and(Value::is_string);
            let unset = if is_lone { Unset::Empty } else { Unset::Error };
            filled.extend(self.filled(config, key, unset)?);
        }
        // What opens a guarded door is the author's word alone, never a parameter's.
        filled.extend(
            config
                .get("allow_link_local")
                .map(|allow| ("allow_link_local".to_owned(), allow.clone())),
        );
        filled.retain(|_, value| !value.is_null());
        Ok(filled)
    }

    fn url(&self, config: &Map<String, Value>) -> Result<String, ExecError> {
        let Some(text) = config.get("url").and_then(Value::as_str) else {
            return Err(self.bad("url", "is missing, or not a text".into()));
        };
        url::fill(text, &self.scope()).map_err(|fault| match fault {
            UrlFault::Template(source) => self.unfilled("url", source),
            UrlFault::Place(reason) => ExecError::Http(HttpError::bad_url(text, reason)),
        })
    }

    /// The runtime's headers, and above them those of the config. Names ignore case.
    fn headers(
        &self,
        below: &Map<String, Value>,
        above: &Map<String, Value>,
        body: &Body,
    ) -> Result<Vec<(String, String)>, ExecError> {
        let mut headers = self
            .key(below, "headers", header_pairs)?
            .unwrap_or_default();
        if matches!(body, Body::Form(_) | Body::Multipart(_)) {
            // A general default does not know what this body is.
            headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        }
        let own = self
            .key(above, "headers", header_pairs)?
            .unwrap_or_default();
        headers.retain(|(name, _)| {
            !own.iter()
                .any(|(other, _)| other.eq_ignore_ascii_case(name))
        });
        headers.extend(own);
        Ok(headers)
    }

    fn retry(
        &self,
        config: &Map<String, Value>,
        headers: &[(String, String)],
    ) -> Result<Retry, ExecError> {
        let mut retry = Retry {
            // A key by which the server itself tells a repetition is as good as a promise.
            repeatable: headers
                .iter()
                .any(|(name, _)| name.eq_ignore_ascii_case("idempotency-key")),
            ..Retry::default()
        };
        if let Some(retries) = self.key(config, "retries", count)? {
            retry.attempts = retries.saturating_add(1);
        }
        match config.get("retry") {
            None => {}
            Some(Value::Object(written)) => {
                refine(&mut retry, written).map_err(|reason| self.bad("retry", reason))?;
            }
            Some(_) => return Err(self.bad("retry", "is not a mapping".into())),
        }
        Ok(retry)
    }

    fn network(&self, config: &Map<String, Value>) -> Result<Network, ExecError> {
        let root = self.request.world.root();
        let mut network = Network::default();
        match config.get("proxy") {
            None => network.proxied_by(|name| self.resolution.env.get(name).map(str::to_owned)),
            Some(Value::Bool(false)) => {}
            Some(Value::String(proxy)) => {
                network.http_proxy = Some(proxy.clone());
                network.https_proxy = Some(proxy.clone());
            }
            Some(_) => return Err(self.bad("proxy", "is neither an address nor false".into())),
        }
        network.authorities = self
            .variable(&["SSL_CERT_FILE"])
            .map(|path| root.join(path));
        let more = self.key(config, "ca", texts)?.unwrap_or_default();
        network.more_authorities = more
            .into_iter()
            .map(|path| root.join(path))
            .collect::<Vec<PathBuf>>();
        network.connect_timeout = self
            .seconds(config, "connect_timeout")?
            .unwrap_or(network.connect_timeout);
        network.allow_link_local = self
            .key(config, "allow_link_local", truth)?
            .unwrap_or_default();
        Ok(network)
    }

    fn variable(&self, names: &[&str]) -> Option<String> {
        let found = names.iter().find_map(|name| self.resolution.env.get(name));
        found.filter(|value| !value.is_empty()).map(str::to_owned)
    }

    fn seconds(
        &self,
        config: &Map<String, Value>,
        key: &str,
    ) -> Result<Option<Duration>, ExecError> {
        settings::seconds(config, key).map_err(|reason| self.bad(key, reason))
    }

    /// Reads one key, and names it in what is wrong with it.
    fn key<T>(
        &self,
        config: &Map<String, Value>,
        key: &str,
        read: impl Fn(&Value) -> Read<T>,
    ) -> Result<Option<T>, ExecError> {
        let value = config.get(key).filter(|value| !value.is_null());
        value
            .map(read)
            .transpose()
            .map_err(|reason| self.bad(key, reason))
    }
}

/// Headers as a mapping, or as a text that holds one, as a variable may.
fn header_pairs(value: &Value) -> Read<Vec<(String, String)>> {
    let Value::String(written) = value else {
        return http_body::pairs(value).map(|pairs| one_of_each(pairs, value));
    };
    if written.trim().is_empty() {
        return Ok(Vec::new());
    }
    match serde_json::from_str::<Value>(written) {
        Ok(value @ Value::Object(_)) => header_pairs(&value),
        // The text may hold secrets: it is not repeated.
        _ => Err("is a text that is not a JSON object of names and values".to_owned()),
    }
}

/// Names that differ in case alone are one name, and the later one is meant; a list under
/// one name stays a list.
fn one_of_each(mut pairs: Vec<(String, String)>, value: &Value) -> Vec<(String, String)> {
    let names: Vec<&String> = value.as_object().into_iter().flat_map(Map::keys).collect();
    pairs.retain(|(name, _)| {
        let same = |other: &&&String| other.eq_ignore_ascii_case(name);
        names.iter().rfind(same).is_none_or(|last| *last == name)
    });
    pairs
}

fn auth(value: &Value) -> Read<Auth> {
    let field = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let needed = |name: &str| {
        let found = field(name).filter(|text| !text.is_empty());
        found.ok_or_else(|| format!("has no {name}, or an empty one"))
    };
    match value.get("type").and_then(Value::as_str) {
        Some("bearer") => Ok(Auth::Bearer(needed("token")?)),
        Some("basic") => Ok(Auth::Basic {
            username: needed("username")?,
            password: field("password").unwrap_or_default(),
        }),
        Some("api_key") => {
            let key = needed("key")
                .or_else(|_| needed("token"))
                .map_err(|_| "has no key, or an empty one".to_owned())?;
            Ok(match field("query") {
                Some(name) => Auth::Query { name, value: key },
                None => Auth::Header {
                    name: field("header").unwrap_or_else(|| "X-API-Key".to_owned()),
                    value: key,
                },
            })
        }
        Some("header") => Ok(Auth::Header {
            name: needed("header")?,
            value: needed("value")?,
        }),
        _ => Err("has no type; there are bearer, basic, api_key and header".to_owned()),
    }
}

/// Reads `retry`; `max_attempts` and a backoff by name are how Kiwi and RYE write it.
fn refine(retry: &mut Retry, written: &Map<String, Value>) -> Read<()> {
    if let Some(attempts) = written
        .get("attempts")
        .or_else(|| written.get("max_attempts"))
    {
        let attempts = count(attempts).ok().filter(|attempts| *attempts > 0);
        retry.attempts = attempts.ok_or("has attempts that are not a number of at least 1")?;
    }
    retry.backoff = match written.get("backoff") {
        None | Some(Value::Null) => retry.backoff,
        Some(Value::String(name)) if name == "exponential" => {
            Backoff::Exponential(Duration::from_secs(1))
        }
        Some(Value::String(name)) if matches!(name.as_str(), "fixed" | "constant" | "linear") => {
            Backoff::Fixed(Duration::from_secs(1))
        }
        Some(first) => {
            let first = first
                .as_f64()
                .and_then(|first| Duration::try_from_secs_f64(first).ok());
            Backoff::Exponential(
                first.ok_or("has a backoff that is neither seconds, exponential nor fixed")?,
            )
        }
    };
    if let Some(statuses) = written
        .get("statuses")
        .filter(|statuses| !statuses.is_null())
    {
        let status = |status: &Value| {
            count(status)
                .ok()
                .and_then(|status| u16::try_from(status).ok())
        };
        let list = statuses
            .as_array()
            .and_then(|list| list.iter().map(status).collect());
        retry.statuses = Some(list.ok_or("has statuses that are not a list of numbers")?);
    }
    if let Some(repeatable) = written.get("idempotent") {
        retry.repeatable = truth(repeatable)?;
    }
    Ok(())
}

fn text(value: &Value) -> Read<String> {
    value
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| "is not a text".to_owned())
}

fn texts(value: &Value) -> Read<Vec<String>> {
    match value {
        Value::Array(items) => items.iter().map(text).collect(),
        one => Ok(vec![text(one)?]),
    }
}

fn truth(value: &Value) -> Read<bool> {
    value
        .as_bool()
        .ok_or_else(|| "is neither true nor false".to_owned())
}

/// A number; true and false say whether at all.
fn count(value: &Value) -> Read<u32> {
    let number = match value {
        Value::Bool(false) => Some(0),
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number
        .and_then(|number| u32::try_from(number).ok())
        .ok_or_else(|| "is not a whole number".to_owned())
}
