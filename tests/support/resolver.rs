//! A small DNS client: one question over UDP, over TCP if the answer does not fit, and the answer
//! as text.
//!
//! Written from RFC 1035; it shares no code with the program.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

/// Time limit for an answer on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The answer of a server. Records are `name type value`; types whose values are not decoded are
/// `name TYPEn octets`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Reply {
    /// The response code: 0 no error, 3 no such name.
    pub(crate) code: u8,
    /// True if the server is authoritative for the answer.
    pub(crate) authoritative: bool,
    /// The answer section.
    pub(crate) answer: BTreeSet<String>,
    /// The authority section.
    pub(crate) authority: BTreeSet<String>,
    /// The additional section, without records of the protocol.
    pub(crate) additional: BTreeSet<String>,
}

/// A client of one server.
pub(crate) struct Resolver {
    server: SocketAddr,
    socket: UdpSocket,
    id: u16,
}

impl Resolver {
    pub(crate) fn new(server: SocketAddr) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        socket.set_read_timeout(Some(TIMEOUT)).expect("a timeout");
        socket.connect(server).expect("a server");
        Self { server, socket, id: 0 }
    }

    /// Sends octets for which no answer is expected.
    pub(crate) fn send(&self, octets: &[u8]) {
        // The server may refuse a message that is too long.
        let _ = self.socket.send(octets);
    }

    /// Sends a message and returns the octets of the response with its identifier.
    pub(crate) fn exchange(&self, message: &[u8]) -> Vec<u8> {
        self.socket.send(message).expect("sent");
        let mut buffer = [0; 4096];
        loop {
            let length = self.socket.recv(&mut buffer).expect("a response");
            if length >= 2 && buffer[..2] == message[..2] {
                return buffer[..length].to_vec();
            }
        }
    }

    /// Sends a query; `None` without an answer.
    pub(crate) fn ask(&mut self, name: &str, kind: u16) -> Option<Reply> {
        self.id = self.id.wrapping_add(1);
        let question = question(self.id, name, kind);
        self.socket.send(&question).ok()?;
        let mut buffer = [0; 4096];
        loop {
            let length = self.socket.recv(&mut buffer).ok()?;
            let message = &buffer[..length];
            if message.len() < 12 || message[..2] != self.id.to_be_bytes() {
                continue;
            }
            let is_truncated = message[2] & 2 != 0;
            return if is_truncated { self.over_tcp(&question) } else { read(message) };
        }
    }

    pub(crate) fn over_tcp(&self, question: &[u8]) -> Option<Reply> {
        let mut stream = TcpStream::connect(self.server).ok()?;
        stream.set_read_timeout(Some(TIMEOUT)).ok()?;
        stream.write_all(&u16::try_from(question.len()).ok()?.to_be_bytes()).ok()?;
        stream.write_all(question).ok()?;
        let mut length = [0; 2];
        stream.read_exact(&mut length).ok()?;
        let mut message = vec![0; usize::from(u16::from_be_bytes(length))];
        stream.read_exact(&mut message).ok()?;
        read(&message)
    }
}

/// Returns a query message.
pub(crate) fn question(id: u16, name: &str, kind: u16) -> Vec<u8> {
    let mut message = id.to_be_bytes().to_vec();
    message.extend([0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    for label in name.split('.').filter(|label| !label.is_empty()) {
        message.push(u8::try_from(label.len()).expect("a label"));
        message.extend(label.as_bytes());
    }
    message.push(0);
    message.extend(kind.to_be_bytes());
    message.extend([0, 1]);
    message
}

/// A position in a message.
struct Cursor<'m> {
    message: &'m [u8],
    at: usize,
}

impl Cursor<'_> {
    fn u8(&mut self) -> Option<u8> {
        self.at += 1;
        self.message.get(self.at - 1).copied()
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes([self.u8()?, self.u8()?]))
    }

    /// Returns a name, with compression (RFC 1035 section 4.1.4).
    fn name(&mut self) -> Option<String> {
        let mut labels: Vec<String> = Vec::new();
        let (mut at, mut end) = (self.at, None);
        for _ in 0..256 {
            let length = usize::from(*self.message.get(at)?);
            if length == 0 {
                self.at = end.unwrap_or(at + 1);
                let name = labels.join(".").to_ascii_lowercase();
                return Some(if name.is_empty() { ".".into() } else { name });
            }
            if length >= 0xc0 {
                end.get_or_insert(at + 2);
                at = (length & 0x3f) << 8 | usize::from(*self.message.get(at + 1)?);
                continue;
            }
            labels.push(
                String::from_utf8_lossy(self.message.get(at + 1..at + 1 + length)?).into_owned(),
            );
            at += 1 + length;
        }
        None
    }
}

/// Returns an answer message.
fn read(message: &[u8]) -> Option<Reply> {
    let mut cursor = Cursor { message, at: 2 };
    let flags = cursor.u16()?;
    let counts = [cursor.u16()?, cursor.u16()?, cursor.u16()?, cursor.u16()?];
    for _ in 0..counts[0] {
        cursor.name()?;
        cursor.at += 4;
    }
    let mut reply =
        Reply { code: (flags & 15) as u8, authoritative: flags & 0x400 != 0, ..Reply::default() };
    for (count, section) in
        counts[1..].iter().zip([&mut reply.answer, &mut reply.authority, &mut reply.additional])
    {
        for _ in 0..*count {
            section.extend(record(&mut cursor)?);
        }
    }
    Some(reply)
}

/// Returns one record; `None` for records of the protocol.
#[expect(clippy::option_option, reason = "a record that is none, or no record")]
fn record(cursor: &mut Cursor<'_>) -> Option<Option<String>> {
    let name = cursor.name()?;
    let kind = cursor.u16()?;
    cursor.at += 6;
    let end = usize::from(cursor.u16()?) + cursor.at;
    let octets = cursor.message.get(cursor.at..end)?;
    let value = match kind {
        41 => None,
        1 => Some(format!("A {}", octets.iter().map(u8::to_string).collect::<Vec<_>>().join("."))),
        28 => {
            Some(format!("AAAA {}", std::net::Ipv6Addr::from(<[u8; 16]>::try_from(octets).ok()?)))
        }
        2 => Some(format!("NS {}", cursor.name()?)),
        5 => Some(format!("CNAME {}", cursor.name()?)),
        12 => Some(format!("PTR {}", cursor.name()?)),
        15 => Some(format!("MX {} {}", cursor.u16()?, cursor.name()?)),
        33 => Some(format!(
            "SRV {} {} {} {}",
            cursor.u16()?,
            cursor.u16()?,
            cursor.u16()?,
            cursor.name()?
        )),
        43 => {
            let digest: String = octets.get(4..)?.iter().map(|o| format!("{o:02x}")).collect();
            Some(format!("DS {} {} {} {digest}", cursor.u16()?, cursor.u8()?, cursor.u8()?))
        }
        16 => {
            let mut text = Vec::<u8>::new();
            while cursor.at < end {
                let length = usize::from(cursor.u8()?);
                text.extend(cursor.message.get(cursor.at..cursor.at + length)?);
                cursor.at += length;
            }
            Some(format!("TXT {}", text.iter().map(|o| format!("{o:02x}")).collect::<String>()))
        }
        // Its names may be compressed, and no test compares its serial.
        6 => Some("SOA".to_owned()),
        other => Some(format!(
            "TYPE{other} {}",
            octets.iter().map(|o| format!("{o:02x}")).collect::<String>()
        )),
    };
    cursor.at = end;
    Some(value.map(|value| format!("{name} {value}")))
}
