//! The sockets of the name server.
//!
//! Clients get few file descriptors and little time: a TCP connection that says nothing is closed,
//! and the one that has been open longest is closed for a new one. Over UDP one message is answered
//! after the other.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::NameServer;
use super::message::Transport;

/// TCP connections that are open at once.
const CONNECTIONS: usize = 64;

/// Time in which the next query of a TCP connection must arrive, and its response must be taken
/// (RFC 7766 section 6.2.3: a few seconds).
const TCP_IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// Pause after a socket failed, as happens while file descriptors are short.
const PAUSE: Duration = Duration::from_millis(200);

/// Longest query over UDP, in octets; more is cut off, which makes it malformed.
const UDP_QUERY: usize = 4096;

/// How often another port is tried if the one that the system chose for TCP is taken for UDP.
const TRIES: usize = 16;

/// The sockets of a name server. They are closed when this is dropped.
pub(crate) struct Listener {
    /// Where both listen.
    pub(crate) address: SocketAddr,
    /// The tasks that serve them.
    tasks: [JoinHandle<()>; 2],
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// Listens on an address over UDP and TCP; port 0 for any port that is free for both.
pub(crate) async fn listen(address: SocketAddr, server: NameServer) -> io::Result<Listener> {
    let mut tries = if address.port() == 0 { TRIES } else { 1 };
    let (tcp, udp) = loop {
        let tcp = TcpListener::bind(address).await?;
        tries -= 1;
        match UdpSocket::bind(tcp.local_addr()?).await {
            Ok(udp) => break (tcp, udp),
            Err(error) if tries == 0 => return Err(error),
            Err(_) => {}
        }
    };
    let (address, server) = (tcp.local_addr()?, Arc::new(server));
    let tasks =
        [tokio::spawn(datagrams(udp, Arc::clone(&server))), tokio::spawn(connections(tcp, server))];
    Ok(Listener { address, tasks })
}

/// The response to a message, found where blocking is allowed.
async fn respond(
    server: &Arc<NameServer>,
    message: Vec<u8>,
    transport: Transport,
) -> Option<Vec<u8>> {
    let server = Arc::clone(server);
    // If it panics, there is no response, as after any other accident of a name server.
    tokio::task::spawn_blocking(move || server.respond(&message, transport)).await.ok().flatten()
}

/// Serves UDP.
async fn datagrams(socket: UdpSocket, server: Arc<NameServer>) {
    let mut buffer = vec![0; UDP_QUERY];
    loop {
        match socket.recv_from(&mut buffer).await {
            Ok((length, peer)) => {
                if let Some(response) =
                    respond(&server, buffer[..length].to_vec(), Transport::Udp).await
                {
                    // A client that has gone needs no response.
                    let _ = socket.send_to(&response, peer).await;
                }
            }
            Err(error) => {
                tracing::debug!(%error, "a message of the name server was not received");
                sleep(PAUSE).await;
            }
        }
    }
}

/// Serves TCP.
async fn connections(listener: TcpListener, server: Arc<NameServer>) {
    let mut open: VecDeque<Connection> = VecDeque::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                open.retain(|connection| !connection.0.is_finished());
                while open.len() >= CONNECTIONS {
                    open.pop_front();
                }
                open.push_back(Connection(tokio::spawn(converse(stream, Arc::clone(&server)))));
            }
            Err(error) => {
                tracing::debug!(%error, "a connection to the name server was not accepted");
                sleep(PAUSE).await;
            }
        }
    }
}

/// A connection, closed when this is dropped.
struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Answers the queries of a connection one after the other (RFC 7766 section 6.2.1).
async fn converse(mut stream: TcpStream, server: Arc<NameServer>) {
    while let Ok(Ok(message)) = timeout(TCP_IDLE_TIMEOUT, receive(&mut stream)).await {
        let Some(response) = respond(&server, message, Transport::Tcp).await else { return };
        let Ok(length) = u16::try_from(response.len()) else { return };
        let framed = [&length.to_be_bytes()[..], &response].concat();
        if !matches!(timeout(TCP_IDLE_TIMEOUT, stream.write_all(&framed)).await, Ok(Ok(()))) {
            return;
        }
    }
}

/// The next message of a connection.
async fn receive(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let length = stream.read_u16().await?;
    let mut message = vec![0; usize::from(length)];
    stream.read_exact(&mut message).await?;
    Ok(message)
}
