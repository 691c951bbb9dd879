//! A server for tests. It answers each connection with raw bytes from a script, and keeps the
//! received requests.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Reaction of the server to one connection, after it has read the whole request.
pub(super) enum Reaction {
    /// Writes these bytes and closes.
    Answer(Vec<u8>),
    /// Resets the connection.
    Reset,
    /// Writes nothing and keeps the connection open.
    Silence,
}

/// A running server.
pub(super) struct Scripted {
    /// The URL that it listens on.
    pub(super) url: String,
    /// The received requests, head and body.
    received: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    /// Starts a server that plays a script and then stops listening.
    pub(super) async fn play(script: Vec<Reaction>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&received);
        tokio::spawn(async move {
            let mut silent = Vec::new();
            for step in script {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                log.lock().unwrap().push(request);
                match step {
                    Reaction::Answer(bytes) => {
                        stream.write_all(&bytes).await.unwrap();
                        stream.shutdown().await.unwrap();
                    }
                    Reaction::Reset => stream.set_zero_linger().unwrap(),
                    Reaction::Silence => silent.push(stream),
                }
            }
            drop(listener);
            // Silent connections stay open until the end of the test.
            std::future::pending::<()>().await;
        });
        Self { url, received }
    }

    /// Returns the requests so far.
    pub(super) fn received(&self) -> Vec<String> {
        self.received.lock().unwrap().clone()
    }
}

/// Reads one request.
async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
        if let Some(head) = text.find("\r\n\r\n") {
            let length =
                text[..head].lines().find_map(|line| line.strip_prefix("content-length: "));
            if bytes.len() >= head + 4 + length.map_or(0, |length| length.trim().parse().unwrap()) {
                return String::from_utf8(bytes).unwrap();
            }
        }
        let mut part = [0; 4096];
        let read = stream.read(&mut part).await.unwrap();
        assert_ne!(read, 0, "the client closed early");
        bytes.extend_from_slice(&part[..read]);
    }
}

/// Builds a response with a status, further header lines and a body.
pub(super) fn response(status: &str, headers: &[&str], body: impl AsRef<[u8]>) -> Reaction {
    let body = body.as_ref();
    let mut head = format!("HTTP/1.1 {status}\r\nconnection: close\r\n");
    if !headers.iter().any(|line| line.starts_with("content-length")) {
        head += &format!("content-length: {}\r\n", body.len());
    }
    for line in headers {
        head += line;
        head += "\r\n";
    }
    Reaction::Answer([head.as_bytes(), b"\r\n", body].concat())
}

/// Builds a success with this result.
pub(super) fn good(result: &str) -> Reaction {
    response(
        "200 OK",
        &[],
        format!(r#"{{"result":{result},"success":true,"errors":[],"messages":[]}}"#),
    )
}

/// Builds a refusal with one error.
pub(super) fn bad(status: &str, code: i64, message: &str) -> Reaction {
    let body = serde_json::json!({
        "result": null, "success": false, "errors": [{ "code": code, "message": message }], "messages": null
    });
    response(status, &[], body.to_string())
}
