//! Embeds zonewright in another program: load a spec, plan, apply, report. The sandbox stands in
//! for Cloudflare.
//!
//! Run it with `cargo run --example embed`. For Cloudflare, leave the sandbox out and connect with
//! `Settings::new(Settings::BASE_URL.to_owned(), Credentials::Token(token))`.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::path::Path;
use std::time::SystemTime;

use zonewright::api::{Client, Credentials, Settings, Stop};
use zonewright::apply::{ApplyEvent, Journal, Observer};
use zonewright::plan::{Consents, Verdict};
use zonewright::reconcile::{ApplyContext, Conclusion, Goal, Options, Selection, apply, plan};
use zonewright::{sandbox, spec};

/// What is desired. Files and directories work as well: `spec::Input::Path`.
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
    let sandbox = sandbox::start(sandbox::Options::default()).await?;
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
    let input = spec::Input::Stdin(SPEC.to_owned());
    let goal = Goal::from_spec(&[input], &spec::Options::default(), Selection::default())?;
    let reader = &client.reader();
    let mut planned = plan(&goal, reader, &Options::default()).await?;
    // Deletes and other dangers need a consent each; none is given here.
    let consents = Consents::default();
    let verdict = planned.judge(&consents);
    for address in planned.plan.zones.iter().flat_map(|zone| zone.addresses()) {
        println!("{}: {address}", verdict.as_str());
    }
    if verdict == Verdict::InSync {
        return Ok(Conclusion::Converged);
    }
    let clock = || humantime::format_rfc3339_micros(SystemTime::now()).to_string();
    let journal = &Journal::begin(journals, &goal.digest, clock)?;
    let (writer, stop) = (&client.writer(), &Stop::never());
    let observer: &dyn Observer = &|event: &ApplyEvent| println!("{event:?}");
    let report =
        apply(&planned, &consents, ApplyContext { reader, writer, journal, observer, stop })
            .await?;
    Ok(report.conclusion())
}
