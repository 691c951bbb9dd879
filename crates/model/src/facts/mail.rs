//! Texts and labels that identify mail records other than MX.

/// Beginnings of TXT values about mail, in lower case: SPF, DKIM, DMARC, MTA-STS, TLS-RPT, BIMI.
pub const MAIL_TEXTS: &[&str] =
    &["v=spf1", "v=dkim1", "v=dmarc1", "v=stsv1", "v=tlsrptv1", "v=bimi1"];

/// Labels in the names of TXT records about mail, or of aliases in their place.
pub const MAIL_LABELS: &[&str] = &["_domainkey", "_dmarc", "_mta-sts", "_smtp", "_bimi"];
