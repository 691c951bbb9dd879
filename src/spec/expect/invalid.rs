//! Mistakes in an expectation, and what all kinds of expectations read.

use std::borrow::Cow;

use ipnet::IpNet;

use crate::diagnostic::Span;
use crate::spec::deserialize::{Spanned, Text};

/// A mistake in an expectation: where, what, and what to write instead.
pub(super) struct Invalid {
    /// Where.
    pub(super) span: Span,
    /// What.
    pub(super) detail: String,
    /// What to write instead.
    pub(super) help: Cow<'static, str>,
}

impl Invalid {
    /// A mistake at the place of a value.
    pub(super) fn at<T>(
        value: &Spanned<T>,
        detail: impl Into<String>,
        help: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { span: value.span, detail: detail.into(), help: help.into() }
    }
}

/// What reading a part of an expectation comes to.
pub(super) type Outcome<T> = Result<T, Invalid>;

/// Networks, or single addresses; at least one.
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
