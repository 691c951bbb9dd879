//! The network between the program and the sandbox: name resolution, TLS, proxies. The real binary,
//! on loopback only.
//!
//! The certificates beside this file are from an authority whose key was deleted. `good` and
//! `other` are valid from 2000 to 2999, `expired` was valid in 2000, `early` is valid from 2998,
//! all for `api.invalid`, `localhost` and 127.0.0.1 (`other` for `other.invalid`); `self-signed` is
//! its own authority. The result does not depend on the date of the machine.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::support::workspace::{Ran, Workspace, options};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_rustls::TlsAcceptor;
use zonewright::sandbox;

const SPEC: &str = "      - { name: www, type: A, content: 192.0.2.1 }";

/// A password of a proxy.
const HUSH: &str = "hush-hush";

/// Returns one of the certificates.
fn certificate(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/network/{name}.der")))
        .unwrap()
}

/// The behaviour of an HTTP proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proxy {
    /// It forwards to the sandbox.
    Leads,
    /// It returns this response.
    Says(u16),
    /// It closes the connection.
    Closes,
}

/// The behaviour of a SOCKS 5 proxy (RFC 1928, RFC 1929).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Socks {
    /// It requires a password, and forwards to the sandbox.
    Leads,
    /// It refuses the password.
    NoPassword,
    /// It refuses all connections (reply 2).
    NotAllowed,
    /// It closes the connection.
    Closes,
}

/// Serves a SOCKS 5 client, and returns what it requested as `user:password@host:port`.
async fn socks(
    mut stream: TcpStream,
    does: Socks,
    target: SocketAddr,
    asked: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    async fn text(stream: &mut TcpStream) -> std::io::Result<String> {
        let mut bytes = vec![0; stream.read_u8().await?.into()];
        stream.read_exact(&mut bytes).await?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
    assert_eq!(stream.read_u8().await?, 5, "the version");
    text(&mut stream).await?;
    if does == Socks::Closes {
        return Ok(());
    }
    stream.write_all(&[5, 2]).await?;
    assert_eq!(stream.read_u8().await?, 1, "the version of the password's part");
    let (user, password) = (text(&mut stream).await?, text(&mut stream).await?);
    stream.write_all(&[1, u8::from(does == Socks::NoPassword)]).await?;
    if does == Socks::NoPassword {
        return Ok(());
    }
    let mut head = [0; 4];
    stream.read_exact(&mut head).await?;
    assert_eq!(head, [5, 1, 0, 3], "a connection to a host by its name");
    let (host, port) = (text(&mut stream).await?, stream.read_u16().await?);
    asked.lock().unwrap().push(format!("{user}:{password}@{host}:{port}"));
    let reply = if does == Socks::Leads { 0 } else { 2 };
    stream.write_all(&[5, reply, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
    if does == Socks::Leads {
        copy_bidirectional(&mut stream, &mut TcpStream::connect(target).await?).await?;
    }
    Ok(())
}

/// A sandbox behind TLS, and a proxy in front of it.
struct Scene {
    workspace: Workspace,
    runtime: tokio::runtime::Runtime,
    /// The request heads that a proxy received.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Scene {
    fn new() -> Self {
        let hosts = vec!["api.invalid".to_owned()];
        let workspace = Workspace::new(sandbox::SandboxOptions { hosts, ..options() });
        workspace.records_spec(SPEC);
        let pem = data_encoding::BASE64.encode(&certificate("ca"));
        workspace.file(
            "ca.pem",
            format!("-----BEGIN CERTIFICATE-----\n{pem}\n-----END CERTIFICATE-----\n"),
        );
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        Self { workspace, runtime, asked: Arc::default() }
    }

    /// Returns the address of the sandbox without TLS.
    fn plain(&self) -> SocketAddr {
        self.workspace
            .base_url()
            .trim_start_matches("http://")
            .split('/')
            .next()
            .unwrap()
            .parse()
            .unwrap()
    }

    /// Accepts TLS with this certificate, and forwards to the sandbox.
    fn tls(&self, name: &str) -> SocketAddr {
        let chain = vec![CertificateDer::from(certificate(name))];
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(certificate("key")));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap();
        let config = config.with_no_client_auth().with_single_cert(chain, key).unwrap();
        let (acceptor, plain) = (TlsAcceptor::from(Arc::new(config)), self.plain());
        self.listen(move |stream| {
            let acceptor = acceptor.clone();
            async move {
                // A client that does not accept the certificate closes the connection.
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let mut service = TcpStream::connect(plain).await.unwrap();
                drop(copy_bidirectional(&mut stream, &mut service).await);
            }
        })
    }

    /// Returns a proxy in front of an address.
    fn proxy(&self, does: Proxy, target: SocketAddr) -> SocketAddr {
        let asked = Arc::clone(&self.asked);
        self.listen(move |mut stream| {
            let asked = Arc::clone(&asked);
            async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    let Ok(byte) = stream.read_u8().await else { return };
                    head.push(byte);
                }
                asked.lock().unwrap().push(String::from_utf8_lossy(&head).into_owned());
                match does {
                    Proxy::Leads => {
                        let mut service = TcpStream::connect(target).await.unwrap();
                        stream
                            .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
                            .await
                            .unwrap();
                        drop(copy_bidirectional(&mut stream, &mut service).await);
                    }
                    Proxy::Says(status) => {
                        let answer = format!(
                            "HTTP/1.1 {status} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                        );
                        stream.write_all(answer.as_bytes()).await.unwrap();
                    }
                    Proxy::Closes => {}
                }
            }
        })
    }

    /// Returns a SOCKS 5 proxy in front of an address.
    fn socks(&self, does: Socks, target: SocketAddr) -> SocketAddr {
        let asked = Arc::clone(&self.asked);
        self.listen(move |stream| {
            let asked = Arc::clone(&asked);
            async move { drop(socks(stream, does, target, &asked).await) }
        })
    }

    /// Serves each connection.
    fn listen<F: Future<Output = ()> + Send + 'static>(
        &self,
        serve: impl Fn(TcpStream) -> F + Send + 'static,
    ) -> SocketAddr {
        let listener = self.runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        self.runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream));
            }
        });
        address
    }

    /// Returns an address with no listener, reserved so that no other program takes it.
    fn nobody(&self) -> (TcpSocket, SocketAddr) {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = socket.local_addr().unwrap();
        (socket, address)
    }

    /// Applies with this base URL and these variables.
    fn apply(&self, base: &str, variables: &[(&str, String)]) -> Ran {
        let mut command = self.workspace.command();
        command
            .env("CLOUDFLARE_BASE_URL", base)
            .env("SSL_CERT_FILE", self.workspace.path().join("ca.pem"));
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        command.args(["apply", "spec.yaml", "--yes", "-vvv"]).output().unwrap().into()
    }

    /// Returns the requests that a proxy received.
    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// The requests that a SOCKS proxy received.
const SOCKS_ASKED: &str = "user:hush-hush@api.invalid:443";

/// A problem: its name, its cause, the number of times that the program meets it, and the expected
/// output.
struct Trouble {
    name: &'static str,
    run: fn(&Scene) -> Ran,
    tries: usize,
    /// The cause.
    says: &'static str,
    /// Expected advice.
    advice: &'static str,
}

const FAR: &str = "https://api.invalid/client/v4";

/// Applies through a proxy.
fn through(scene: &Scene, does: Proxy, certificate: &str) -> Ran {
    let proxy = scene.proxy(does, scene.tls(certificate));
    scene.apply(FAR, &[("HTTPS_PROXY", format!("http://user:{HUSH}@{proxy}"))])
}

/// Applies through a SOCKS proxy.
fn through_socks(scene: &Scene, does: Socks) -> Ran {
    let proxy = scene.socks(does, scene.tls("good"));
    scene.apply(FAR, &[("ALL_PROXY", format!("socks5h://user:{HUSH}@{proxy}"))])
}

/// Applies at a port that speaks TLS.
fn near(scene: &Scene, certificate: &str) -> Ran {
    let address = scene.tls(certificate);
    scene.apply(&format!("https://{address}/client/v4"), &[])
}

const TROUBLES: &[Trouble] = &[
    Trouble {
        name: "a host name that does not exist",
        run: |scene| scene.apply(FAR, &[]),
        tries: 6,
        says: "connect for GET /zones",
        advice: "the host's name could not be resolved",
    },
    Trouble {
        name: "the same, with the host in `NO_PROXY`",
        run: |scene| {
            let proxy = scene.proxy(Proxy::Says(500), scene.plain());
            scene.apply(
                FAR,
                &[
                    ("HTTPS_PROXY", format!("http://{proxy}")),
                    ("NO_PROXY", "api.invalid".to_owned()),
                ],
            )
        },
        tries: 6,
        says: "connect for GET /zones",
        advice: "the host's name could not be resolved",
    },
    Trouble {
        name: "a self-signed certificate",
        run: |scene| near(scene, "self-signed"),
        tries: 1,
        says: "UnknownIssuer",
        advice: "the certificate is not from a known authority",
    },
    Trouble {
        name: "an expired certificate",
        run: |scene| near(scene, "expired"),
        tries: 1,
        says: "expired",
        advice: "the certificate is not valid at this machine's time",
    },
    Trouble {
        name: "a certificate that is not valid yet",
        run: |scene| near(scene, "early"),
        tries: 1,
        says: "not valid yet",
        advice: "the certificate is not valid at this machine's time",
    },
    Trouble {
        name: "a certificate for another host",
        run: |scene| near(scene, "other"),
        tries: 1,
        says: "not valid for name",
        advice: "the certificate is for another host",
    },
    Trouble {
        name: "`https://` to a port without TLS",
        run: |scene| scene.apply(&format!("https://{}/client/v4", scene.plain()), &[]),
        tries: 6,
        says: "connect for GET /zones",
        advice: "the TLS handshake failed",
    },
    Trouble {
        name: "`http://` to a port with TLS",
        run: |scene| {
            let address = scene.tls("good");
            scene.apply(&format!("http://{address}/client/v4"), &[])
        },
        tries: 6,
        says: "get a complete response to GET /zones",
        advice: "the server at the base URL does not speak HTTP",
    },
    Trouble {
        name: "a proxy that requires credentials (407)",
        run: |scene| through(scene, Proxy::Says(407), "good"),
        tries: 1,
        says: "connect for GET /zones",
        advice: "the proxy requires credentials",
    },
    Trouble {
        name: "a proxy that refuses (403)",
        run: |scene| through(scene, Proxy::Says(403), "good"),
        tries: 6,
        says: "connect for GET /zones",
        advice: "the proxy did not let the connection through",
    },
    Trouble {
        name: "a proxy that cannot reach Cloudflare (502)",
        run: |scene| through(scene, Proxy::Says(502), "good"),
        tries: 6,
        says: "connect for GET /zones",
        advice: "the proxy did not let the connection through",
    },
    Trouble {
        name: "a proxy that closes the connection",
        run: |scene| through(scene, Proxy::Closes, "good"),
        tries: 6,
        says: "connect for GET /zones",
        advice: "the proxy did not let the connection through",
    },
    Trouble {
        name: "a proxy address where nothing listens",
        run: |scene| {
            let (_socket, address) = scene.nobody();
            scene.apply(FAR, &[("ALL_PROXY", format!("http://user:{HUSH}@{address}"))])
        },
        tries: 6,
        says: "connect for GET /zones",
        advice: "nothing listens there",
    },
    Trouble {
        name: "a SOCKS proxy that rejects the password",
        run: |scene| through_socks(scene, Socks::NoPassword),
        tries: 1,
        says: "connect for GET /zones",
        advice: "the proxy requires credentials",
    },
    Trouble {
        name: "a SOCKS proxy that refuses every connection",
        run: |scene| through_socks(scene, Socks::NotAllowed),
        tries: 6,
        says: "connect for GET /zones",
        advice: "the proxy did not let the connection through",
    },
    Trouble {
        name: "a SOCKS proxy that closes the connection",
        run: |scene| through_socks(scene, Socks::Closes),
        tries: 6,
        says: "connect for GET /zones",
        advice: "the proxy did not let the connection through",
    },
    Trouble {
        name: "a SOCKS proxy address where nothing listens",
        run: |scene| {
            let (_socket, address) = scene.nobody();
            scene.apply(FAR, &[("HTTPS_PROXY", format!("socks5h://user:{HUSH}@{address}"))])
        },
        tries: 6,
        says: "connect for GET /zones",
        advice: "the proxy could not be reached",
    },
    Trouble {
        name: "a proxy that intercepts TLS",
        run: |scene| through(scene, Proxy::Leads, "self-signed"),
        tries: 1,
        says: "UnknownIssuer",
        advice: "a proxy may intercept the connection",
    },
];

/// Returns true if the output of a run contains a secret.
fn leaks(ran: &Ran) -> bool {
    let encoded = data_encoding::BASE64.encode(format!("user:{HUSH}").as_bytes());
    [sandbox::TOKEN, HUSH, &encoded]
        .iter()
        .any(|s| ran.stdout.contains(s) || ran.stderr.contains(s))
}

/// The program's own waits take time, so all problems run in parallel.
#[test]
fn trouble_on_the_way_is_told_and_nothing_is_written() {
    let play = |trouble: &Trouble| -> Vec<String> {
        let scene = Scene::new();
        let ran = (trouble.run)(&scene);
        let tries = ran.stderr.matches("; attempt ").count() + 1;
        let journals = std::fs::read_dir(scene.workspace.path().join(".zonewright/journal"))
            .into_iter()
            .flatten();
        let mut kept = journals.map(|entry| entry.unwrap().path());
        let is_kept = kept.any(|path| path.extension().is_some_and(|e| e == "jsonl"));
        let is_clean = scene.workspace.requests().is_empty() && !is_kept;
        let heads = scene.asked();
        let starts = |head: &str| {
            ["CONNECT api.invalid:443 ", SOCKS_ASKED].iter().any(|start| head.starts_with(start))
        };
        let is_tunnel = |head: &String| starts(head) && !head.contains(sandbox::TOKEN);
        let wrong = [
            (ran.code == Some(1), "the exit code"),
            (tries == trouble.tries, "the tries"),
            (ran.stderr.contains(trouble.says), "the cause"),
            (ran.stderr.contains(trouble.advice), "the advice"),
            (!leaks(&ran), "a secret is shown"),
            (is_clean, "Cloudflare heard of it, or something was kept"),
            (heads.iter().all(is_tunnel), "a proxy was asked for more than a tunnel"),
        ];
        let wrong = wrong.iter().filter(|(is_right, _)| !is_right);
        wrong.map(|(_, what)| format!("{}: {what}\n{ran:?}\n{heads:?}", trouble.name)).collect()
    };
    let found: Vec<String> = std::thread::scope(|scope| {
        let all: Vec<_> =
            TROUBLES.iter().map(|trouble| scope.spawn(move || play(trouble))).collect();
        all.into_iter().flat_map(|one| one.join().unwrap()).collect()
    });
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}

/// The page has the same messages.
#[test]
fn the_page_has_the_table() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/faults.md"))
            .unwrap();
    for Trouble { name, tries, advice, .. } in TROUBLES {
        let row = format!("| {name} | {tries} | {advice} |");
        assert!(page.lines().any(|line| line == row), "docs/faults.md has no row\n{row}");
    }
}

/// With TLS and through a proxy: the proxy gets its credentials and a tunnel, and never the token.
#[test]
fn a_proxy_gets_a_tunnel_and_nothing_else() {
    for variable in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        let scene = Scene::new();
        let proxy = scene.proxy(Proxy::Leads, scene.tls("good"));
        let ran = scene.apply(FAR, &[(variable, format!("http://user:{HUSH}@{proxy}"))]);
        assert!(!leaks(&ran), "{ran:?}");
        ran.exits(0);
        assert_eq!(scene.workspace.records("example.com").len(), 1, "{variable}");
        let heads = scene.asked();
        let encoded = data_encoding::BASE64.encode(format!("user:{HUSH}").as_bytes());
        assert!(!heads.is_empty(), "{variable}");
        for head in heads {
            assert!(head.starts_with("CONNECT api.invalid:443 HTTP/1.1\r\n"), "{variable}: {head}");
            assert!(head.contains(&format!("Basic {encoded}")), "{variable}: {head}");
            assert!(
                !head.contains(sandbox::TOKEN) && !head.to_lowercase().contains("bearer"),
                "{variable}: {head}"
            );
        }
    }
    // TLS to this machine bypasses every proxy, as plain HTTP does.
    let scene = Scene::new();
    let proxy = scene.proxy(Proxy::Leads, scene.plain());
    let base = format!("https://{}/client/v4", scene.tls("good"));
    scene
        .apply(
            &base,
            &[("HTTPS_PROXY", format!("http://{proxy}")), ("ALL_PROXY", format!("http://{proxy}"))],
        )
        .exits(0);
    assert!(scene.asked().is_empty());
}

/// The same through a SOCKS proxy, which resolves the name itself.
#[test]
fn a_socks_proxy_leads_to_the_sandbox() {
    for variable in ["HTTPS_PROXY", "ALL_PROXY"] {
        let scene = Scene::new();
        let proxy = scene.socks(Socks::Leads, scene.tls("good"));
        let ran = scene.apply(FAR, &[(variable, format!("socks5h://user:{HUSH}@{proxy}"))]);
        assert!(!leaks(&ran), "{ran:?}");
        ran.exits(0);
        assert_eq!(scene.workspace.records("example.com").len(), 1, "{variable}");
        let asked = scene.asked();
        assert!(
            !asked.is_empty() && asked.iter().all(|asked| asked == SOCKS_ASKED),
            "{variable}: {asked:?}"
        );
    }
}
