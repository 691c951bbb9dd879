//! Embeds zonewright in another program: load a spec, plan, apply, report. The sandbox stands in
//! for Cloudflare.
//!
//! Run it with `cargo run --example embed`. For Cloudflare, leave the sandbox out and connect with
//! `Client::with_token(token)`.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::path::Path;
use std::time::SystemTime;

use zonewright::reconcile::{
    ApplyContext, ApplyEvent, Client, Conclusion, Consents, Credentials, Goal, Journal, Options,
    Settings, Verdict, apply, plan,
};
use zonewright::sandbox;

/// The desired state. `Goal::from_path` reads it from files and directories.
const SPEC: &str = r#"
version: 1
zones:
  example.com:
    records:
      - { name: www, type: A, content: 192.0.2.7 }
      - { name: "@", type: MX, priority: 10, content: mx1.example.net }
"#;

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let sandbox = sandbox::start(sandbox::SandboxOptions::default()).await?;
    sandbox.seed(&serde_json::json!({ "zones": [{ "name": "example.com" }] }))?;
    let token = Credentials::Token(sandbox::TOKEN.to_owned().into());
    let client = Client::new(Settings::new(sandbox.base_url(), token))?;
    let journals = tempfile::tempdir()?;
    let conclusion = reconcile(&client, journals.path()).await?;
    println!("{conclusion:?}");
    sandbox.shutdown().await;
    if conclusion == Conclusion::Converged {
        Ok(())
    } else {
        Err("the zone is not as desired".into())
    }
}

/// From a spec to a report.
async fn reconcile(client: &Client, journals: &Path) -> Result<Conclusion, Box<dyn Error>> {
    let (reader, writer) = (client.reader(), client.writer());
    let goal = Goal::from_text(SPEC, SystemTime::now())?;
    let mut planned = plan(&goal, &reader, &Options::default()).await?;
    // Deletes and other dangers need a consent each; none is given here.
    let consents = Consents::default();
    let verdict = planned.judge(&consents);
    println!("{}", serde_json::to_string_pretty(&planned.document(&verdict))?);
    if verdict == Verdict::InSync {
        return Ok(Conclusion::Converged);
    }
    // With a journal, `zonewright undo` can take the apply back.
    let journal = Journal::begin(journals, &goal.digest, SystemTime::now)?;
    let observer = |event: &ApplyEvent| println!("{event:?}");
    let context =
        ApplyContext::new(&reader, &writer).with_journal(&journal).with_observer(&observer);
    Ok(apply(&planned, &consents, context).await?.conclusion())
}
