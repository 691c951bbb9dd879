//! Connections that can be cut from inside, for scripted resets.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// Everything passes.
const OPEN: u8 = 0;
/// The next answer is cut in the middle of its body.
const MID_BODY: u8 = 1;
/// Nothing passes any more.
const CUT: u8 = 2;

/// A handle on a connection.
#[derive(Debug, Clone)]
pub(super) struct Link(Arc<AtomicU8>);

impl Link {
    /// Of a connection where everything passes.
    fn open() -> Self {
        Self(Arc::new(AtomicU8::new(OPEN)))
    }

    /// Cuts the connection before another byte is sent.
    pub(super) fn cut(&self) {
        self.0.store(CUT, Ordering::SeqCst);
    }

    /// Cuts the connection in the middle of the body that is sent next.
    pub(super) fn cut_mid_body(&self) {
        self.0.store(MID_BODY, Ordering::SeqCst);
    }
}

/// Accepts connections that can be cut.
pub(super) struct Doorway(pub(super) TcpListener);

impl Listener for Doorway {
    type Io = Stream;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, address) = Listener::accept(&mut self.0).await;
        // Small answers must not wait for one another; where this fails they are only slower.
        let _ = stream.set_nodelay(true);
        (Stream { stream, link: Link::open() }, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.0.local_addr()
    }
}

impl Connected<IncomingStream<'_, Doorway>> for Link {
    fn connect_info(stream: IncomingStream<'_, Doorway>) -> Self {
        stream.io().link.clone()
    }
}

/// A connection that can be cut.
pub(super) struct Stream {
    /// The connection proper.
    stream: TcpStream,
    /// The handle's other end.
    link: Link,
}

/// What a cut connection answers to the server.
fn reset() -> io::Error {
    io::Error::from(io::ErrorKind::ConnectionReset)
}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.link.0.load(Ordering::SeqCst) == CUT {
            return Poll::Ready(Err(reset()));
        }
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.link.0.load(Ordering::SeqCst) {
            CUT => {
                // The peer shall see a reset; where this fails it sees the connection closed, which is as bad for it.
                let _ = self.stream.set_zero_linger();
                Poll::Ready(Err(reset()))
            }
            MID_BODY => {
                // The head of the answer passes, and half of what follows it in the same write.
                let head = bytes.windows(4).position(|w| w == b"\r\n\r\n").map_or(0, |at| at + 4);
                let passed = head + (bytes.len() - head) / 2;
                let written = Pin::new(&mut self.stream).poll_write(cx, &bytes[..passed.max(1)]);
                if written.is_ready() && bytes.len() > head {
                    self.link.cut();
                }
                written
            }
            _ => Pin::new(&mut self.stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
