//! The sockets of the name server.
//!
//! Clients get few file descriptors and little time: an idle TCP connection is closed, and the
//! oldest connection is closed for a new one. Messages over UDP are answered one after the other.

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

/// Maximum number of open TCP connections.
const CONNECTIONS: usize = 64;

/// Time in which the next query of a TCP connection must arrive, and its response must be taken
/// (RFC 7766 section 6.2.3: a few seconds).
const TCP_IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// Pause after an error of a socket, for example when file descriptors run out.
const PAUSE: Duration = Duration::from_millis(200);

/// Maximum length of a query over UDP, in octets. A longer query is cut off, which makes it
/// malformed.
const UDP_QUERY: usize = 4096;

/// Maximum number of ports to try. The port that the system chose for TCP may be in use for UDP.
const TRIES: usize = 16;

/// The sockets of a name server. They are closed when this is dropped.
pub(crate) struct Listener {
    /// The address of both sockets.
    pub(crate) address: SocketAddr,
    /// The tasks that serve the sockets.
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

/// Computes the response to a message on a thread that may block.
async fn respond_blocking(
    server: &Arc<NameServer>,
    message: Vec<u8>,
    transport: Transport,
) -> Option<Vec<u8>> {
    let server = Arc::clone(server);
    // A panic results in no response, like any other failure of a name server.
    tokio::task::spawn_blocking(move || server.respond(&message, transport)).await.ok().flatten()
}

async fn datagrams(socket: UdpSocket, server: Arc<NameServer>) {
    let mut buffer = vec![0; UDP_QUERY];
    loop {
        match socket.recv_from(&mut buffer).await {
            Ok((length, peer)) => {
                if let Some(response) =
                    respond_blocking(&server, buffer[..length].to_vec(), Transport::Udp).await
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

/// A connection, which is closed when this value is dropped.
struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Answers the queries of a connection one after the other (RFC 7766 section 6.2.1).
async fn converse(mut stream: TcpStream, server: Arc<NameServer>) {
    while let Ok(Ok(message)) = timeout(TCP_IDLE_TIMEOUT, receive(&mut stream)).await {
        let Some(response) = respond_blocking(&server, message, Transport::Tcp).await else {
            return;
        };
        let Ok(length) = u16::try_from(response.len()) else { return };
        let framed = [&length.to_be_bytes()[..], &response].concat();
        if !matches!(timeout(TCP_IDLE_TIMEOUT, stream.write_all(&framed)).await, Ok(Ok(()))) {
            return;
        }
    }
}

async fn receive(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let length = stream.read_u16().await?;
    let mut message = vec![0; usize::from(length)];
    stream.read_exact(&mut message).await?;
    Ok(message)
}
