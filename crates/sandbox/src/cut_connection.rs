//! Connections that the sandbox can cut, for scripted resets.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::listener_switch::ListenerSwitch;

/// Data flows normally.
const OPEN: u8 = 0;
/// The connection is cut in the middle of the next response body.
const MID_BODY: u8 = 1;
/// No more data is sent, and the peer sees a reset.
const CUT: u8 = 2;
/// No more data is sent, and the peer sees an orderly close.
const CLOSED: u8 = 3;

/// A handle on a connection.
#[derive(Debug, Clone)]
pub(super) struct Link(Arc<AtomicU8>);

impl Link {
    fn open() -> Self {
        Self(Arc::new(AtomicU8::new(OPEN)))
    }

    /// Cuts the connection before another byte is sent.
    pub(super) fn cut(&self) {
        self.0.store(CUT, Ordering::SeqCst);
    }

    /// Closes the connection in an orderly way before another byte is sent.
    pub(super) fn close(&self) {
        self.0.store(CLOSED, Ordering::SeqCst);
    }

    /// Cuts the connection in the middle of the next body.
    pub(super) fn cut_mid_body(&self) {
        self.0.store(MID_BODY, Ordering::SeqCst);
    }
}

/// A connection that can be cut.
pub(super) struct Stream {
    /// The TCP connection.
    stream: TcpStream,
    /// The state that the stream shares with its handles.
    link: Link,
    /// Cuts all connections while they are refused.
    listener_switch: ListenerSwitch,
}

impl Stream {
    pub(super) fn new(stream: TcpStream, listener_switch: ListenerSwitch) -> Self {
        Self { stream, link: Link::open(), listener_switch }
    }

    pub(super) fn link(&self) -> Link {
        self.link.clone()
    }

    fn state(&self) -> u8 {
        if self.listener_switch.is_shut() { CUT } else { self.link.0.load(Ordering::SeqCst) }
    }
}

/// Returns the error that the server sees on a cut connection.
fn reset() -> io::Error {
    io::Error::from(io::ErrorKind::ConnectionReset)
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if matches!(self.state(), CUT | CLOSED) {
            return Poll::Ready(Err(reset()));
        }
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.state() {
            CUT => {
                // The peer should see a reset. If setting the option fails, it sees the connection
                // closed, which has the same effect.
                let _ = self.stream.set_zero_linger();
                Poll::Ready(Err(reset()))
            }
            CLOSED => Poll::Ready(Err(io::Error::from(io::ErrorKind::BrokenPipe))),
            MID_BODY => {
                // The head of the response is sent, and half of the body in the same write.
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
