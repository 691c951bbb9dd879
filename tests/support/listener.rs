//! A server on a loopback address that records requests and answers by a script.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A scripted response.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Response {
    /// An empty answer with a status.
    Status(u16),
    /// A redirection to the same listener.
    Redirect,
    /// None, until the client gives up.
    Silence,
    /// The connection is closed.
    Hangup,
}

/// A recorded request.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    /// The request line and the headers.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: Value,
}

/// The listener.
pub(crate) struct Listener {
    port: u16,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Listener {
    /// Answers as many requests as there are answers.
    pub(crate) fn start(answers: impl IntoIterator<Item = Response>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let notes = Arc::clone(&received);
        let answers: Vec<_> = answers.into_iter().collect();
        std::thread::spawn(move || {
            for answer in answers {
                let Ok((stream, _)) = listener.accept() else { return };
                serve(stream, answer, &notes);
            }
        });
        Self { port, received }
    }

    /// Returns the address of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Returns the requests, once that many were read: a client that does not wait may end before
    /// its last request is read.
    pub(crate) fn all_requests(&self, count: usize) -> Vec<Received> {
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.requests().len() < count && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.requests()
    }

    /// Returns the requests so far.
    pub(crate) fn requests(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

/// Reads one request, notes it, and answers.
fn serve(stream: TcpStream, answer: Response, notes: &Mutex<Vec<Received>>) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap() == 0 {
            return;
        }
    }
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    notes.lock().unwrap().push(Received { head, body });
    let mut stream = reader.into_inner();
    let answered = match answer {
        Response::Status(status) => {
            write!(
                stream,
                "HTTP/1.1 {status} hush\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            )
        }
        Response::Redirect => {
            write!(
                stream,
                "HTTP/1.1 302 Found\r\nlocation: /elsewhere/hush\r\ncontent-length: 0\r\n\r\n"
            )
        }
        // The client ends the connection.
        Response::Silence => stream.read(&mut [0]).map(drop),
        Response::Hangup => Ok(()),
    };
    // A client that closed the connection has stopped reading.
    drop(answered);
}
