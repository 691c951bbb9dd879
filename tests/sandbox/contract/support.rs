//! A sandbox with a client beside it.

use reqwest::Method;
use serde_json::{Value, json};
use zonewright::sandbox::{self, Profile, Running, SandboxOptions, TOKEN};

/// A running sandbox, the zone `example.com` in it, and a client.
pub(crate) struct Bench {
    /// The sandbox.
    pub(crate) running: Running,
    /// The zone's identifier.
    pub(crate) zone: String,
    /// The client.
    pub(crate) client: reqwest::Client,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    /// Status.
    pub(crate) status: u16,
    /// Headers.
    pub(crate) headers: reqwest::header::HeaderMap,
    /// Body as JSON, or null.
    pub(crate) body: Value,
    /// Body as text.
    pub(crate) text: String,
}

impl Reply {
    /// Status and code of the first error.
    pub(crate) fn refusal(&self) -> (u16, u64) {
        (self.status, self.body["errors"][0]["code"].as_u64().unwrap_or(0))
    }

    /// Returns the result of a request that must have succeeded.
    pub(crate) fn result(&self) -> &Value {
        assert_eq!(self.status, 200, "{}", self.text);
        assert_eq!(self.body["success"], true, "{}", self.text);
        &self.body["result"]
    }

    /// Returns the result's identifier.
    pub(crate) fn id(&self) -> String {
        self.result()["id"].as_str().unwrap().to_owned()
    }

    /// Returns one member of every item of a list.
    pub(crate) fn column(&self, member: &str) -> Vec<String> {
        let items = self.result().as_array().unwrap();
        items
            .iter()
            .map(|i| i[member].as_str().map_or_else(|| i[member].to_string(), str::to_owned))
            .collect()
    }
}

/// Returns a client without cookies, redirects or proxies to speak of.
pub(crate) fn client() -> reqwest::Client {
    // A second installation fails, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

impl Bench {
    /// Returns a sandbox in memory with the default profile.
    pub(crate) async fn new() -> Self {
        Self::with(Profile::default()).await
    }

    /// Returns a sandbox in memory.
    pub(crate) async fn with(profile: Profile) -> Self {
        Self::start(SandboxOptions { profile, ..SandboxOptions::default() }).await
    }

    /// Returns a sandbox; the zone is on the profile's plan.
    pub(crate) async fn start(options: SandboxOptions) -> Self {
        let running = sandbox::start(options).await.unwrap();
        running.seed(&json!({"zones": [{"name": "example.com", "records": []}]})).unwrap();
        let dump = running.dump().unwrap();
        let zone = dump["zones"][0]["id"].as_str().unwrap().to_owned();
        Self { running, zone, client: client() }
    }

    /// Returns a request builder with the sandbox's token.
    pub(crate) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}{path}", self.running.base_url())).bearer_auth(TOKEN)
    }

    /// Sends a request below the base.
    pub(crate) async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Reply {
        let request = self.request(method, path);
        let request = if let Some(body) = body { request.json(&body) } else { request };
        reply(request).await
    }

    /// Returns the path of the zone's records.
    pub(crate) fn records(&self) -> String {
        format!("/zones/{}/dns_records", self.zone)
    }

    /// GET of something of the zone.
    pub(crate) async fn get_below(&self, path: &str) -> Reply {
        self.send(Method::GET, &format!("/zones/{}/{path}", self.zone), None).await
    }

    /// PATCH of something of the zone.
    pub(crate) async fn patch_below(&self, path: &str, body: Value) -> Reply {
        self.send(Method::PATCH, &format!("/zones/{}/{path}", self.zone), Some(body)).await
    }

    /// GET of the zone's records with a query.
    pub(crate) async fn list(&self, query: &str) -> Reply {
        self.send(Method::GET, &format!("{}?{query}", self.records()), None).await
    }

    /// POST of a record.
    pub(crate) async fn post(&self, body: Value) -> Reply {
        self.send(Method::POST, &self.records(), Some(body)).await
    }

    /// PATCH of a record.
    pub(crate) async fn patch(&self, id: &str, body: Value) -> Reply {
        self.send(Method::PATCH, &format!("{}/{id}", self.records()), Some(body)).await
    }

    /// PUT of a record.
    pub(crate) async fn put(&self, id: &str, body: Value) -> Reply {
        self.send(Method::PUT, &format!("{}/{id}", self.records()), Some(body)).await
    }

    /// GET of a record.
    pub(crate) async fn get(&self, id: &str) -> Reply {
        self.send(Method::GET, &format!("{}/{id}", self.records()), None).await
    }

    /// DELETE of a record.
    pub(crate) async fn delete(&self, id: &str) -> Reply {
        self.send(Method::DELETE, &format!("{}/{id}", self.records()), None).await
    }

    /// POST of a batch.
    pub(crate) async fn batch(&self, body: Value) -> Reply {
        self.send(Method::POST, &format!("{}/batch", self.records()), Some(body)).await
    }

    /// Plants records in the zone.
    pub(crate) fn plant(&self, records: Value) {
        self.running
            .seed(&json!({"zones": [{"name": "example.com", "records": records}]}))
            .unwrap();
    }
}

/// Sends a request and reads the answer.
pub(crate) async fn reply(request: reqwest::RequestBuilder) -> Reply {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await.unwrap();
    Reply { status, headers, body: serde_json::from_str(&text).unwrap_or(Value::Null), text }
}

/// Returns an A record.
pub(crate) fn a(name: &str, content: &str) -> Value {
    json!({"type": "A", "name": name, "content": content})
}

/// Returns the keys of an object, in order.
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}
