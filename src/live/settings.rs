//! Reads the settings of a zone that the spec names.

use std::collections::BTreeMap;

use futures_util::stream::{self, StreamExt, TryStreamExt};

use super::any_reader::AnyReader;
use super::error::FetchError;
use super::read_options::ReadOptions;
use super::until_usable::until_usable;
use crate::api::ApiError;
use crate::model::{DesiredSettings, LiveSetting, LiveSettings, LiveZone};
use crate::wire::Request;
use crate::wire::settings::{
    get_dns_settings, get_dnssec, get_setting, read_dns_settings, read_dnssec, read_setting,
};

/// Reads the requested settings, DNSSEC and DNS settings.
///
/// A setting that Cloudflare refuses is not an error here: its message is kept for the plan.
pub(super) async fn read_settings(
    reader: &dyn AnyReader,
    zone: &LiveZone,
    desired: &DesiredSettings,
    options: &ReadOptions,
) -> Result<LiveSettings, FetchError> {
    let DesiredSettings { settings, dnssec, dns_settings } = desired;
    let names = settings.keys().map(String::as_str).collect();
    let settings = read_named(reader, zone, names, options).await?;
    let mut live_settings = LiveSettings { settings, ..LiveSettings::default() };
    let fail = |what: &str, source: ApiError| FetchError::Api {
        what: format!("{what} of {}", zone.name),
        source,
    };
    let read = async |request: Request, what: &str| {
        reader.read(&request).await.map_err(|error| fail(what, error))
    };
    if dnssec.is_some() {
        live_settings.dnssec =
            read_dnssec(&read(get_dnssec(&zone.id), "the DNSSEC state").await?.result);
    }
    if !dns_settings.is_empty() {
        live_settings.dns_settings =
            read_dns_settings(&read(get_dns_settings(&zone.id), "the DNS settings").await?.result);
    }
    Ok(live_settings)
}

/// Reads settings one by one.
pub(super) async fn read_named(
    reader: &dyn AnyReader,
    zone: &LiveZone,
    names: Vec<&str>,
    options: &ReadOptions,
) -> Result<BTreeMap<String, LiveSetting>, FetchError> {
    stream::iter(names)
        .map(|name| async move {
            let what = || format!("the setting {name} of {}", zone.name);
            let value =
                until_usable(async || match reader.read(&get_setting(&zone.id, name)).await {
                    Ok(answer) => read_setting(&answer.result)
                        .ok_or_else(|| FetchError::NoValue { what: what() }),
                    // Cloudflare refused this one setting. Other errors concern the connection or
                    // the credentials.
                    Err(error) if matches!(error.status(), Some(400 | 404)) => {
                        Ok(LiveSetting::Refused(refusal_text(&error)))
                    }
                    Err(source) => Err(FetchError::Api { what: what(), source }),
                });
            Ok::<_, FetchError>((name.to_owned(), value.await?))
        })
        .buffer_unordered(options.concurrency.max(1))
        .try_collect()
        .await
}

/// Returns the text of Cloudflare's refusal.
fn refusal_text(error: &ApiError) -> String {
    error.reasons().unwrap_or_else(|| error.to_string())
}
