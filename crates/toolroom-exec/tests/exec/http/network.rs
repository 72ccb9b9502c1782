//! How servers are reached: refused addresses, proxies, authorities.

use std::io::{BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

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
fn a_proxy_of_the_link_is_refused_like_any_server() {
    for proxy in [
        "http://169.254.169.254:80",
        "169.254.169.254",
        "http://[fe80::1]:8080",
    ] {
        let mut request = get("http://server.invalid/");
        request.network.http_proxy = Some(proxy.to_owned());
        let error = send(&request).unwrap_err();
        assert_eq!(error.code(), "http::refused_address", "{error}");
        assert!(error.to_string().starts_with("the proxy "), "{error}");
    }
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

/// A proxy that passes bytes on, and tells whom it was asked for.
fn tunnel() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let told = asked.clone();
    std::thread::spawn(move || {
        for mut near in listener.incoming().flatten() {
            let mut reader = BufReader::new(near.try_clone().unwrap());
            let Some(request) = toolroom_test::Received::read(&mut reader) else {
                continue;
            };
            told.lock()
                .unwrap()
                .push(format!("{} {}", request.method, request.target));
            let port = request.target.rsplit(':').next().unwrap().parse().unwrap();
            let mut far = TcpStream::connect(("127.0.0.1", port)).unwrap();
            near.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").unwrap();
            let (mut back, mut forth) = (far.try_clone().unwrap(), near.try_clone().unwrap());
            std::thread::spawn(move || std::io::copy(&mut back, &mut forth));
            std::thread::spawn(move || std::io::copy(&mut near, &mut far));
        }
    });
    (address, asked)
}

#[test]
fn a_secure_server_is_reached_through_a_proxy_that_sees_nothing_of_it() {
    let port = secure_server();
    let (proxy, asked) = tunnel();
    let mut request = get(&format!("https://localhost:{port}/secret?q=1"));
    request.network.authorities = Some(fixture("ca.pem"));
    request.network.https_proxy = Some(proxy);
    assert_eq!(data(&request), "secure");
    assert_eq!(
        *asked.lock().unwrap(),
        [format!("CONNECT localhost:{port}")]
    );
}

/// A listener whose queue is full answers nobody who comes later.
#[cfg(target_os = "linux")]
#[test]
fn a_connection_that_nobody_takes_is_given_up_in_its_own_time() {
    use rustix::net::{AddressFamily, SocketType, bind, listen, socket};
    let listener = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(
        &listener,
        &"127.0.0.1:0".parse::<std::net::SocketAddrV4>().unwrap(),
    )
    .unwrap();
    listen(&listener, 0).unwrap();
    let listener = TcpListener::from(listener);
    let address = listener.local_addr().unwrap();
    let soon = Duration::from_millis(300);
    let waiting: Vec<_> = (0..16)
        .map_while(|_| TcpStream::connect_timeout(&address, soon).ok())
        .collect();
    assert!(waiting.len() < 16, "the queue has no end");
    let mut request = get(&format!("http://{address}/"));
    request.network.connect_timeout = soon;
    attempts(&mut request, 2);
    let begun = std::time::Instant::now();
    let outcome = outcome(&request);
    assert_eq!((outcome.end, outcome.attempts), (End::TimedOut, 2));
    assert!(begun.elapsed() < Duration::from_secs(20));
}
