//! A server on the loopback that answers as a test wants it to, well or badly.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// A request as the server saw it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Received {
    pub method: String,
    /// Path and query, as they came.
    pub target: String,
    /// By their names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Received {
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Reads the next request of a connection; nothing if it ends instead.
    pub fn read(reader: &mut impl io::BufRead) -> Option<Self> {
        let mut line = String::new();
        reader
            .read_line(&mut line)
            .ok()
            .filter(|length| *length > 0)?;
        let mut words = line.split_whitespace().map(str::to_owned);
        let mut request = Self {
            method: words.next()?,
            target: words.next()?,
            ..Self::default()
        };
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                break;
            };
            let name = name.to_ascii_lowercase();
            request.headers.insert(name, value.trim().to_owned());
        }
        let length = request.header("content-length");
        let length = length.and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        request.body = body;
        Some(request)
    }
}

/// One connection, on which an answer is written.
#[derive(Debug)]
pub struct Connection {
    /// How many requests the server had seen before this one.
    pub number: usize,
    pub stream: TcpStream,
}

impl Connection {
    /// Writes a whole answer with its length.
    pub fn answer(&mut self, status: &str, headers: &[(&str, &str)], body: impl AsRef<[u8]>) {
        let body = body.as_ref();
        let mut head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        self.write(head + "\r\n");
        self.write(body);
    }

    pub fn json(&mut self, body: impl AsRef<[u8]>) {
        self.answer("200 OK", &[("Content-Type", "application/json")], body);
    }

    /// Writes bytes as they are; says whether there was anybody to take them.
    pub fn write(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).is_ok() && self.stream.flush().is_ok()
    }

    /// Says nothing until the other side gives up.
    pub fn hang(&mut self) {
        let mut byte = [0];
        while self.stream.read(&mut byte).is_ok_and(|length| length > 0) {}
    }

    /// Ends the connection at once.
    pub fn close(&mut self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}

/// A running server. It ends with the tests.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    /// Starts a server that lets a function answer each request.
    ///
    /// # Panics
    /// Fails the test if there is no port.
    #[must_use]
    pub fn start(answer: impl Fn(&Received, &mut Connection) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let server = Self {
            address: listener.local_addr().expect("an address"),
            received: Arc::default(),
            connections: Arc::default(),
        };
        let (received, connections) = (server.received.clone(), server.connections.clone());
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                connections.fetch_add(1, Ordering::SeqCst);
                let (received, answer) = (received.clone(), answer.clone());
                thread::spawn(move || serve(stream, &received, &*answer));
            }
        });
        server
    }

    /// The address of a path on this server.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        self.received
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    #[must_use]
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

fn serve(
    stream: TcpStream,
    received: &Mutex<Vec<Received>>,
    answer: &dyn Fn(&Received, &mut Connection),
) {
    let Ok(reading) = stream.try_clone() else {
        return;
    };
    let mut reader = BufReader::new(reading);
    let mut connection = Connection { number: 0, stream };
    while let Some(request) = Received::read(&mut reader) {
        let mut seen = received.lock().unwrap_or_else(PoisonError::into_inner);
        connection.number = seen.len();
        seen.push(request.clone());
        drop(seen);
        answer(&request, &mut connection);
    }
}
