//! How servers are reached: refused addresses, proxies, authorities.

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

use toolroom_test::Server;

use super::*;

#[test]
fn an_address_of_the_link_is_refused_unless_it_is_declared() {
    for url in [
        "http://169.254.169.254/",
        "http://[fe80::1]/",
        "http://metadata/",
    ] {
        let (code, text) = error(&get(url));
        assert_eq!(code, "http::refused_address", "{text}");
    }
    // A proxy on the loopback stands for the link, so that nothing leaves this machine.
    let proxy = Server::start(|request, connection| {
        connection.json(format!("\"{}\"", request.target));
    });
    let mut request = get("http://169.254.169.254/latest");
    request.network.http_proxy = Some(proxy.url(""));
    assert_eq!(error(&request).0, "http::refused_address");
    request.network.allow_link_local = true;
    assert_eq!(data(&request), "http://169.254.169.254/latest");
}

#[test]
fn a_proxy_is_used_unless_the_host_is_spared() {
    let proxy = Server::start(|request, connection| {
        connection.json(format!("\"proxied {}\"", request.target));
    });
    let server = Server::start(|_, connection| connection.json("\"direct\""));
    let mut request = get("http://server.invalid/x");
    request.network.http_proxy = Some(proxy.url("").replace("http://", "http://me:pass@"));
    request.network.no_proxy = Some("127.0.0.1".to_owned());
    assert_eq!(data(&request), "proxied http://server.invalid/x");
    let seen = proxy.received().pop().unwrap();
    assert_eq!(
        seen.header("proxy-authorization"),
        Some("Basic bWU6cGFzcw==")
    );
    request.url = server.url("/");
    assert_eq!(data(&request), "direct");
}

#[test]
fn a_proxy_that_is_none_is_named_without_its_password() {
    let mut request = get("http://127.0.0.1:1/");
    request.network.http_proxy = Some("http://me:secret@:x".to_owned());
    let error = send(&request).unwrap_err();
    assert_eq!(error.code(), "http::bad_client");
    assert!(!error.to_string().contains("secret"), "{error}");
}

fn fixture(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests/exec/http/tls", name]
        .iter()
        .collect()
}

/// A server with a certificate that only our own authority vouches for.
fn secure_server() -> u16 {
    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    let certificate = CertificateDer::from_pem_file(fixture("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(fixture("server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        use std::io::{BufReader, Write as _};
        for stream in listener.incoming().flatten() {
            let connection = rustls::ServerConnection::new(config.clone()).unwrap();
            let mut stream = BufReader::new(rustls::StreamOwned::new(connection, stream));
            if toolroom_test::Received::read(&mut stream).is_some() {
                let answer =
                    b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsecure";
                let _ = stream.get_mut().write_all(answer);
                let _ = stream.get_mut().flush();
            }
        }
    });
    port
}

#[test]
fn an_authority_of_ones_own_is_trusted_when_it_is_named() {
    let url = format!("https://localhost:{}/", secure_server());
    let mut request = get(&url);
    attempts(&mut request, 3);
    let error = send(&request).unwrap_err();
    assert_eq!(error.code(), "http::tls", "{error}");
    request.network.authorities = Some(fixture("ca.pem"));
    assert_eq!(data(&request), "secure");
    request.network.authorities = None;
    request.network.more_authorities = vec![fixture("ca.pem")];
    assert_eq!(data(&request), "secure");
}

#[test]
fn a_file_that_holds_no_authority_is_named() {
    for file in [
        "/no/such/ca.pem",
        fixture("server.key").to_str().unwrap(),
        "/dev/null",
    ] {
        let mut request = get("https://localhost:1/");
        request.network.more_authorities = vec![file.into()];
        let error = send(&request).unwrap_err();
        assert_eq!(error.code(), "http::bad_client");
        assert!(error.to_string().contains(file), "{error}");
    }
}
