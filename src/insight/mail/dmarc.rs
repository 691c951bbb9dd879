//! DMARC records, which tell receivers how to handle mail that does not authenticate (RFC 9989,
//! which replaced RFC 7489).

use super::tags::Tags;
pub use crate::model::MailPolicy as Action;

/// Returns the next weaker action, as receivers apply it in test mode (RFC 9989 section 4.7,
/// `t=y`).
fn in_test_mode(action: Action) -> Action {
    match action {
        Action::Reject => Action::Quarantine,
        Action::Quarantine | Action::None => Action::None,
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dmarc {
    p: Action,
    sp: Option<Action>,
    np: Option<Action>,
    /// True if the policy is in test mode.
    pub is_test: bool,
    /// True if the domain is a public suffix (`psd=y`), false if it is not and ends the search
    /// (`psd=n`).
    pub public_suffix: Option<bool>,
    /// True if the domain of a DKIM signature must be equal, not only related.
    pub strict_dkim: bool,
    /// True if the domain that SPF checked must be equal, not only related.
    pub strict_spf: bool,
    /// Recipients of aggregate reports.
    pub reports: Vec<String>,
    /// Recipients of failure reports.
    pub failures: Vec<String>,
    /// The part of the mail to which receivers apply the policy, if they still know `pct` (RFC 7489
    /// section 6.3).
    ///
    /// # Units
    /// Percent.
    pub percent: u8,
    /// Tags of RFC 7489 that receivers no longer honour.
    pub historic: Vec<&'static str>,
    /// Tags with values that receivers ignore.
    pub ignored: Vec<&'static str>,
}

/// Returns true if a text is a DMARC record, valid or not. Other texts at the name are ignored (RFC
/// 9989 section 4.10).
#[must_use]
pub fn is_dmarc(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let first = text.split(';').next().unwrap_or_default();
    first
        .split_once('=')
        .is_some_and(|(name, value)| name.trim() == "v" && value.trim() == "DMARC1")
}

impl Dmarc {
    /// Parses a record.
    ///
    /// # Errors
    /// Fails with the reason why receivers ignore it as a whole.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        if !is_dmarc(text) {
            return Err("it does not begin with `v=DMARC1`".to_owned());
        }
        let text = std::str::from_utf8(text).map_err(|_| "it is not ASCII text".to_owned())?;
        let tags = Tags::parse(text)?;
        let mut ignored = Vec::new();
        let mut action = |tag: &'static str| {
            let value = tags.get(tag)?;
            let named_action = Action::ALL
                .iter()
                .copied()
                .find(|action| action.as_str().eq_ignore_ascii_case(value));
            if named_action.is_none() {
                ignored.push(tag);
            }
            named_action
        };
        let (p, sp, np) = (action("p"), action("sp"), action("np"));
        let list = |tag: &str| -> Vec<String> {
            let uris = tags.get(tag).unwrap_or_default().split(',').map(str::trim);
            uris.filter(|uri| uri.contains(':')).map(str::to_owned).collect()
        };
        let reports = list("rua");
        // A record without a valid `p` counts as `p=none` if it asks for reports. Otherwise it is
        // ignored (section 4.7).
        let p = match p {
            Some(p) => p,
            None if !reports.is_empty() => Action::None,
            None => return Err("it has no valid policy (`p=`)".to_owned()),
        };
        let is =
            |tag: &str, value: &str| tags.get(tag).is_some_and(|v| v.eq_ignore_ascii_case(value));
        Ok(Self {
            p,
            sp,
            np,
            is_test: is("t", "y"),
            public_suffix: match (is("psd", "y"), is("psd", "n")) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            },
            strict_dkim: is("adkim", "s"),
            strict_spf: is("aspf", "s"),
            reports,
            failures: list("ruf"),
            percent: tags
                .get("pct")
                .and_then(|value| value.parse().ok())
                .filter(|n| *n <= 100)
                .unwrap_or(100),
            historic: ["pct", "rf", "ri"]
                .into_iter()
                .filter(|tag| tags.get(tag).is_some())
                .collect(),
            ignored,
        })
    }

    /// Returns the action for mail in the name of the domain.
    #[must_use]
    pub fn domain(&self) -> Action {
        self.effective(self.p)
    }

    /// Returns the action for mail in the name of an existing subdomain.
    #[must_use]
    pub fn subdomains(&self) -> Action {
        self.effective(self.sp.unwrap_or(self.p))
    }

    /// Returns the action for mail in the name of a subdomain that does not exist.
    #[must_use]
    pub fn missing(&self) -> Action {
        self.effective(self.np.or(self.sp).unwrap_or(self.p))
    }

    /// Returns an action, weakened in test mode.
    fn effective(&self, action: Action) -> Action {
        if self.is_test { in_test_mode(action) } else { action }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read() {
        // RFC 9989 appendix B.
        let read = |text: &str| Dmarc::parse(text.as_bytes());
        let record = read("v=DMARC1; p=none; rua=mailto:dmarc-feedback@example.com").unwrap();
        assert_eq!((record.domain(), record.reports.len()), (Action::None, 1));
        let record =
            read("v=DMARC1; p=reject; sp=quarantine; np=none; adkim=s; aspf=r; psd=n").unwrap();
        assert_eq!(
            (record.domain(), record.subdomains(), record.missing()),
            (Action::Reject, Action::Quarantine, Action::None)
        );
        assert!(record.strict_dkim && !record.strict_spf && record.public_suffix == Some(false));
        let test = read("v=DMARC1;p=reject;t=y").unwrap();
        assert_eq!((test.domain(), test.missing()), (Action::Quarantine, Action::Quarantine));
        assert_eq!(read("v=DMARC1; p=reject; pct=10").unwrap().historic, ["pct"]);
        assert_eq!(read("v = DMARC1 ; p = REJECT ;").unwrap().domain(), Action::Reject);
        // RFC 9989 section 4.7.
        assert_eq!(
            read("v=DMARC1; p=quarantaine; rua=mailto:a@example.com").unwrap().domain(),
            Action::None
        );
        assert!(read("v=DMARC1; p=quarantaine").is_err());
        assert!(read("v=DMARC1").is_err());
        assert!(read("v=dmarc1; p=none").is_err());
        assert!(read("v=DMARC1 p=reject").is_err());
        assert!(!is_dmarc(b"p=reject; v=DMARC1"));
    }
}
