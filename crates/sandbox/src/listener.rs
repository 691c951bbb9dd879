//! Accepts connections that can be cut, and refuses them for a while.

use std::io;
use std::sync::Arc;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::net::TcpListener;

use super::cut_connection::{Link, Stream};
use super::server::Service;

/// A listener whose connections can be cut, and which can refuse connections for a while.
pub(super) struct SwitchedListener {
    /// The listening socket; `None` while connections are refused.
    listener: Option<TcpListener>,
    /// The address that it listens on.
    address: std::net::SocketAddr,
    /// Holds the switch, and counts connections.
    service: Arc<Service>,
}

impl SwitchedListener {
    pub(super) fn new(
        listener: TcpListener,
        address: std::net::SocketAddr,
        service: Arc<Service>,
    ) -> Self {
        Self { listener: Some(listener), address, service }
    }
}

impl Listener for SwitchedListener {
    type Io = Stream;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let Service { listener_switch, traffic, .. } = &*self.service;
        loop {
            let Some(listener) = &mut self.listener else {
                self.listener = Some(listener_switch.stay_shut(self.address).await);
                continue;
            };
            tokio::select! {
                (stream, address) = Listener::accept(listener) => {
                    // Small responses must not wait for one another. If setting the option fails,
                    // they are only slower.
                    let _ = stream.set_nodelay(true);
                    traffic.connection();
                    return (Stream::new(stream, listener_switch.clone()), address);
                }
                () = listener_switch.is_to_be_shut() => {
                    listener_switch.hold(listener).await;
                    self.listener = None;
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        Ok(self.address)
    }
}

impl Connected<IncomingStream<'_, SwitchedListener>> for Link {
    fn connect_info(stream: IncomingStream<'_, SwitchedListener>) -> Self {
        stream.io().link()
    }
}
