//! Clients, and with them the connections that calls share.
//!
//! A client is built when it is first needed and kept for later calls with the same
//! network. Plain HTTP never pays for reading the system's authorities.

use std::path::Path;
use std::sync::{Mutex, Once, PoisonError};

use reqwest::{Certificate, Client, NoProxy, Proxy, Url};
use tokio::runtime::{Handle, Id};
use tokio::task::spawn_blocking;

use super::address::{self, CarefulResolver};
use super::encode::shown_text;
use super::error::HttpError;
use super::request::Network;
use crate::system::look_names_up_without_plugins;

/// How many clients are kept; the longest unused one goes first.
const KEPT: usize = 8;

/// How large a file of authorities may be.
const MAX_AUTHORITIES: u64 = 8 << 20;

/// What a kept client is good for. Its connections live in the runtime they were made in.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    runtime: Id,
    network: Network,
    secure: bool,
}

static CLIENTS: Mutex<Vec<(Key, Client)>> = Mutex::new(Vec::new());

/// The client by which somebody who speaks another protocol over HTTP reaches an address:
/// with the same proxies, authorities and refusals as a tool's own requests. It follows
/// no redirect.
///
/// # Errors
/// Fails for an address that may not be reached, or a network that cannot be used.
pub async fn reach(network: &Network, url: &str) -> Result<Client, HttpError> {
    let parsed = Url::parse(url).map_err(|error| HttpError::BadUrl {
        url: shown_text(url),
        reason: error.to_string(),
    })?;
    if !network.allow_link_local {
        address::check(&parsed).map_err(|refused| HttpError::RefusedAddress {
            url: shown_text(url),
            address: refused.0,
        })?;
    }
    client(network, &parsed).await
}

/// The client by which an address is reached.
pub(super) async fn client(network: &Network, url: &Url) -> Result<Client, HttpError> {
    let proxies = [&network.http_proxy, &network.https_proxy];
    let is_https = |proxy: &String| proxy.starts_with("https:");
    let key = Key {
        runtime: Handle::current().id(),
        network: network.clone(),
        secure: url.scheme() == "https" || proxies.into_iter().flatten().any(is_https),
    };
    if let Some(client) = kept(&key) {
        return Ok(client);
    }
    let client = if key.secure {
        // The authorities are files, many on some systems, and others must not wait for them.
        let network = network.clone();
        let built = spawn_blocking(move || build(&network, true)).await;
        built.unwrap_or_else(|error| Err(unusable(error.to_string())))?
    } else {
        build(network, false)?
    };
    Ok(keep(key, client))
}

/// A client that is kept already, which is now the one used last.
fn kept(key: &Key) -> Option<Client> {
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    let at = clients.iter().position(|(kept, _)| kept == key)?;
    let entry = clients.remove(at);
    let client = entry.1.clone();
    clients.push(entry);
    Some(client)
}

/// Keeps a client, unless another call was faster: its connections are to be shared.
fn keep(key: Key, client: Client) -> Client {
    if let Some(faster) = kept(&key) {
        return faster;
    }
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    if clients.len() >= KEPT {
        clients.remove(0);
    }
    clients.push((key, client.clone()));
    client
}

/// Lets go of the clients of a runtime that ends, so that they keep no place from others.
pub(crate) fn forget(runtime: Id) {
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    clients.retain(|(kept, _)| kept.runtime != runtime);
}

fn build(network: &Network, secure: bool) -> Result<Client, HttpError> {
    prepare();
    let mut builder = Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(network.connect_timeout)
        .user_agent(concat!("toolroom/", env!("CARGO_PKG_VERSION")));
    if !network.allow_link_local {
        builder = builder.dns_resolver(std::sync::Arc::new(CarefulResolver));
    }
    for proxy in proxies(network)? {
        builder = builder.proxy(proxy);
    }
    let mut certificates = Vec::new();
    if secure {
        for path in network.authorities.iter().chain(&network.more_authorities) {
            certificates.extend(authorities(path)?);
        }
    }
    builder = if !secure || network.authorities.is_some() {
        builder.tls_certs_only(certificates)
    } else {
        builder.tls_certs_merge(certificates)
    };
    builder.build().map_err(|error| unusable(deepest(&error)))
}

fn unusable(reason: String) -> HttpError {
    HttpError::BadClient {
        what: "the HTTP client".to_owned(),
        reason,
    }
}

/// What a process has to have before its first client.
pub(super) fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        look_names_up_without_plugins();
        // Without a provider of cryptography no client can be built at all. It fails if
        // another one is there already, which does as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

fn proxies(network: &Network) -> Result<Vec<Proxy>, HttpError> {
    type Kind = fn(&str) -> reqwest::Result<Proxy>;
    let kinds: [(&Option<String>, Kind); 2] = [
        (&network.http_proxy, |url| Proxy::http(url)),
        (&network.https_proxy, |url| Proxy::https(url)),
    ];
    let spared = network.no_proxy.as_deref().and_then(NoProxy::from_string);
    let mut proxies = Vec::new();
    for (written, kind) in kinds {
        let Some(url) = written else { continue };
        refuse_link_local(network, url)?;
        let proxy = kind(url).map_err(|error| HttpError::BadClient {
            what: format!("the proxy {:?}", shown_text(url)),
            reason: deepest(&error),
        })?;
        proxies.push(proxy.no_proxy(spared.clone()));
    }
    Ok(proxies)
}

/// A proxy is a server too. One that is named is checked when its name is looked up.
fn refuse_link_local(network: &Network, proxy: &str) -> Result<(), HttpError> {
    let parsed = Url::parse(proxy).or_else(|_| Url::parse(&format!("http://{proxy}")));
    match parsed.map(|url| address::check(&url)) {
        Ok(Err(refused)) if !network.allow_link_local => Err(HttpError::RefusedAddress {
            url: format!("the proxy {}", shown_text(proxy)),
            address: refused.0,
        }),
        _ => Ok(()),
    }
}

fn authorities(path: &Path) -> Result<Vec<Certificate>, HttpError> {
    let bad = |reason: String| HttpError::BadClient {
        what: format!("the authorities in {}", path.display()),
        reason,
    };
    let metadata = fs_err::metadata(path).map_err(|error| bad(error.to_string()))?;
    if !metadata.is_file() || metadata.len() > MAX_AUTHORITIES {
        return Err(bad(format!(
            "it is not a file of at most {MAX_AUTHORITIES} bytes"
        )));
    }
    let pem = fs_err::read(path).map_err(|error| bad(error.to_string()))?;
    let found = Certificate::from_pem_bundle(&pem).map_err(|error| bad(deepest(&error)))?;
    if found.is_empty() {
        return Err(bad("it holds no certificate".to_owned()));
    }
    Ok(found)
}

/// What the innermost cause of an error says; outer ones repeat it or say less.
pub(super) fn deepest(error: &(dyn std::error::Error + 'static)) -> String {
    let mut at = error;
    while let Some(source) = at.source() {
        at = source;
    }
    let text = at.to_string();
    if text.is_empty() {
        format!("{at:?}")
    } else {
        text
    }
}
