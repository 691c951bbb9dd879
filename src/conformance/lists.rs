//! Checks of lists and of other reads.

use serde_json::Value as Json;

use super::finding::{CheckedAssumption, Unconfirmed};
use super::scratch_name::{ScratchName, unread};
use crate::api::ApiError;
use crate::api::error_codes::UNKNOWN_TOKEN;
use crate::wire::account::verify_account_token;
use crate::wire::{Envelope, Method, Request};

/// Converts the result of a read that must succeed.
fn successful_read(answer: Result<Envelope, ApiError>) -> Result<Envelope, Unconfirmed> {
    answer.map_err(unread)
}

fn list_of_records(scratch: &ScratchName) -> Request {
    Request::new(Method::Get, scratch.records_path())
}

/// Compares a number in the page information with the assumed one.
fn compare_number(what: &str, found: Option<u64>, assumed: u64) -> CheckedAssumption {
    match found {
        Some(found) if found == assumed => Ok(()),
        Some(found) => {
            Err(Unconfirmed::Differed(format!("{what} is {found} where {assumed} is assumed")))
        }
        None => Err(Unconfirmed::Unknown(format!("{what} is not reported"))),
    }
}

pub(super) async fn page_size(scratch: &ScratchName) -> CheckedAssumption {
    let envelope =
        successful_read(scratch.read(&list_of_records(scratch).query("per_page", "5000")).await)?;
    compare_number("per_page", envelope.page.per_page, 5000)
}

pub(super) async fn page_zero(scratch: &ScratchName) -> CheckedAssumption {
    let request = list_of_records(scratch).query("per_page", "5").query("page", "0");
    compare_number("page", successful_read(scratch.read(&request).await)?.page.page, 1)
}

fn ids(envelope: &Envelope) -> Vec<&str> {
    let items = envelope.result.as_array().into_iter().flatten();
    items.filter_map(|item| item.get("id").and_then(Json::as_str)).collect()
}

pub(super) async fn list_order(scratch: &ScratchName) -> CheckedAssumption {
    for label in ["a", "b", "c", "d", "e", "f"] {
        scratch.create_address(label).await?;
    }
    let request =
        list_of_records(scratch).query("name.endswith", scratch.name()).query("per_page", "100");
    let first = successful_read(scratch.read(&request).await)?;
    for _ in 0..3 {
        let repeated_list = successful_read(scratch.read(&request).await)?;
        if ids(&first) != ids(&repeated_list) {
            return Err(Unconfirmed::Differed("the same list came in another order".to_owned()));
        }
    }
    Ok(())
}

pub(super) async fn unknown_order(scratch: &ScratchName) -> CheckedAssumption {
    let request = list_of_records(scratch).query("order", "nonsense").query("per_page", "5");
    successful_read(scratch.read(&request).await).map(|_| ())
}

pub(super) async fn search(scratch: &ScratchName) -> CheckedAssumption {
    let content = "\"a needle that nothing else has\"";
    let body =
        serde_json::json!({ "type": "TXT", "name": scratch.below("search"), "content": content });
    scratch.create(body).await.prepared()?;
    let request =
        list_of_records(scratch).query("search", "needle that nothing").query("per_page", "100");
    match ids(&successful_read(scratch.read(&request).await)?).len() {
        1 => Ok(()),
        found => {
            Err(Unconfirmed::Differed(format!("{found} records were found where 1 is assumed")))
        }
    }
}

pub(super) async fn zones_page_clamped(scratch: &ScratchName) -> CheckedAssumption {
    let request = Request::new(Method::Get, "/zones").query("per_page", "1");
    compare_number("per_page", successful_read(scratch.read(&request).await)?.page.per_page, 5)
}

pub(super) async fn zones_none_no_pages(scratch: &ScratchName) -> CheckedAssumption {
    let request = Request::new(Method::Get, "/zones").query("name", "zonewright.invalid");
    compare_number(
        "total_pages",
        successful_read(scratch.read(&request).await)?.page.total_pages,
        0,
    )
}

pub(super) async fn user_token_elsewhere(scratch: &ScratchName) -> CheckedAssumption {
    let Some(account) = &scratch.account else {
        return Err(Unconfirmed::Unknown("the account is not known".to_owned()));
    };
    if scratch.read(&crate::wire::account::verify_user_token()).await.is_err() {
        return Err(Unconfirmed::Unknown("these credentials are not a token of a user".to_owned()));
    }
    match scratch.read(&verify_account_token(account)).await {
        Ok(_) => Err(Unconfirmed::Differed("it is accepted".to_owned())),
        Err(error) if error.has_code(UNKNOWN_TOKEN) => Ok(()),
        Err(error) if error.status().is_some_and(|status| status < 500) => {
            Err(Unconfirmed::Differed(format!("failed to {error}")))
        }
        Err(error) => Err(Unconfirmed::Unknown(format!("failed to {error}"))),
    }
}
