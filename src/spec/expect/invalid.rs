//! Mistakes in an expectation, and values that several kinds of expectations share.

use std::borrow::Cow;

use ipnet::IpNet;

use crate::diagnostic::Span;
use crate::spec::deserialize::{Spanned, Text};

/// A mistake in an expectation.
pub(super) struct Invalid {
    pub(super) span: Span,
    pub(super) detail: String,
    /// The suggested correction.
    pub(super) help: Cow<'static, str>,
}

impl Invalid {
    /// Returns a mistake at the place of a value.
    pub(super) fn at<T>(
        value: &Spanned<T>,
        detail: impl Into<String>,
        help: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { span: value.span, detail: detail.into(), help: help.into() }
    }
}

/// The result of reading a part of an expectation.
pub(super) type Outcome<T> = Result<T, Invalid>;

/// Reads networks, or single addresses. There must be at least one.
pub(super) fn networks(written: &Spanned<Vec<Spanned<Text>>>) -> Outcome<Vec<IpNet>> {
    if written.value.is_empty() {
        return Err(Invalid::at(
            written,
            "no network is named",
            "write networks such as 192.0.2.0/24",
        ));
    }
    let network = |one: &Spanned<Text>| {
        let text = one.value.0.trim();
        text.parse::<IpNet>()
            .map(|network| network.trunc())
            .or_else(|_| text.parse::<std::net::IpAddr>().map(IpNet::from))
            .map_err(|_| {
                let detail = format!("`{}` is not a network", crate::spec::clip(text));
                Invalid::at(one, detail, "write a network such as 192.0.2.0/24")
            })
    };
    written.value.iter().map(network).collect()
}
