//! Reads faults from a JSON document, so that failures can be rehearsed from outside.

use super::what_happens::What;
use super::which_requests::{Fault, When};

/// An error in a document of faults. The text names the place and the expected value.
#[derive(Debug, thiserror::Error)]
pub enum FaultFileError {
    /// The document is not a list of faults.
    #[error("{0}")]
    Schema(#[from] serde_json::Error),
    /// A fault can never occur, or has a value out of range.
    #[error("fault {number}: {problem}")]
    Value {
        /// Number of the fault, counted from 1.
        number: usize,
        /// Describes the error.
        problem: String,
    },
}

impl Fault {
    /// Reads a list of faults, such as `[{"when": {"request": 3}, "what": "reset_after_effect"}]`.
    ///
    /// # Errors
    /// [`FaultFileError`] if the text is not such a list, or has an unknown name or a value out of
    /// range.
    pub fn list_from_json(text: &str) -> Result<Vec<Self>, FaultFileError> {
        let faults: Vec<Self> = serde_json::from_str(text)?;
        for (n, fault) in faults.iter().enumerate() {
            fault.check().map_err(|problem| FaultFileError::Value { number: n + 1, problem })?;
        }
        Ok(faults)
    }

    /// Checks the fault; the error describes the problem.
    fn check(&self) -> Result<(), String> {
        let method = |method: &Option<String>| match method {
            Some(method) => known_method(method),
            None => Ok(()),
        };
        match &self.when {
            When::Request(nth) if *nth == 0 => {
                return Err("requests are counted from 1, so `request` is 1 or more".into());
            }
            When::Request(_) => {}
            When::Matching { method: name, nth, .. } => {
                method(name)?;
                if *nth == 0 {
                    return Err("requests are counted from 1, so `nth` is 1 or more".into());
                }
            }
            When::Chance { method: name, per_mille, .. } => {
                method(name)?;
                if *per_mille > 1000 {
                    return Err(format!("`per_mille` is {per_mille}, and must be from 0 to 1000"));
                }
            }
        }
        if self.times == 0 {
            return Err("with `times` 0 the fault never happens".into());
        }
        match &self.what {
            What::Status { code, .. }
            | What::StatusAfterEffect { code }
            | What::Answer { code, .. }
            | What::Redirect { code, .. }
            | What::TokenRefused { status: code, .. }
                if !(200..=599).contains(code) =>
            {
                Err(format!("the status is {code}, and must be from 200 to 599"))
            }
            What::AnotherWriter { method, path, .. }
            | What::AnotherWriterAfter { method, path, .. } => {
                known_method(method)?;
                match path.starts_with('/') {
                    true => Ok(()),
                    false => Err(format!(
                        "the path {path:?} must begin with a slash, as in `/zones/ID/dns_records`"
                    )),
                }
            }
            _ => Ok(()),
        }
    }
}

/// Refuses an unknown method.
fn known_method(method: &str) -> Result<(), String> {
    const KNOWN: [&str; 5] = ["GET", "POST", "PATCH", "PUT", "DELETE"];
    match KNOWN.contains(&method) {
        true => Ok(()),
        false => Err(format!("the method {method:?} must be one of {}", KNOWN.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read_with_what_it_leaves_out() {
        let text = r#"[
            {"when": {"request": 3}, "what": "reset_after_effect"},
            {"when": {"matching": {"method": "POST", "path_suffix": "/batch"}}, "what": {"status": {"code": 503, "html": true}}, "times": 2},
            {"when": {"chance": {"per_mille": 50, "seed": 7}}, "what": {"gzip": "corrupt"}, "times": 100}
        ]"#;
        let faults = Fault::list_from_json(text).expect("it is a list");
        assert_eq!(
            faults[0],
            Fault { when: When::Request(3), what: What::ResetAfterEffect, times: 1 }
        );
        let When::Matching { nth, .. } = faults[1].when else { panic!("{:?}", faults[1]) };
        assert_eq!((nth, faults[1].times), (1, 2));
        let again = serde_json::to_string(&faults).expect("it is JSON");
        assert_eq!(Fault::list_from_json(&again).expect("it is the same"), faults);
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        let one = |when: &str, what: &str| format!("[{{\n\"when\": {when},\n\"what\": {what}}}]");
        let request = r#"{"request": 1}"#;
        for (text, says) in [
            ("{}".to_owned(), "expected a sequence"),
            (one(request, r#""reset""#), "unknown variant `reset`, expected one of"),
            (one(request, r#""reset""#), "line 3"),
            (one(request, r#"{"status": {"codes": 1}}"#), "unknown field `codes`"),
            (one(request, r#"{"status": {}}"#), "missing field `code`"),
            (one(request, r#"{"status": {"code": "503"}}"#), "invalid type: string"),
            (one(request, r#"{"status": {"code": 77}}"#), "fault 1: the status is 77"),
            (one(r#"{"request": 0}"#, r#""extra""#), "counted from 1"),
            (one(r#"{"matching": {"method": "get"}}"#, r#""extra""#), "must be one of GET"),
            (one(r#"{"chance": {"per_mille": 1001}}"#, r#""extra""#), "from 0 to 1000"),
            (
                one(request, r#"{"another_writer": {"method": "PUT", "path": "zones"}}"#),
                "must begin with a slash",
            ),
        ] {
            let error = Fault::list_from_json(&text).expect_err(&text).to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
