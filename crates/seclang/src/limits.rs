//! Limits of what is looked at in a request, and of what that may take.

/// Steps after which a backtracking pattern is undecided.
pub(super) const BACKTRACKING_STEPS: usize = 200_000;
/// Bytes that a compiled pattern may take. The longest of the Core Rule Set need a third of it.
pub(super) const PATTERN_BYTES: usize = 32 << 20;
/// Bytes of a value that libinjection looks at. An injection begins early, and its lexers are not
/// linear in all inputs.
pub(super) const INJECTION_BYTES: usize = 64 * 1024;
/// Elements of an XML body that may be open at a time.
pub(super) const XML_DEPTH: usize = 256;
/// Bytes of a piece of a multipart body.
pub(super) const MULTIPART_PIECE: usize = 4_096;
/// Bytes of the content type of a multipart body.
pub(super) const MULTIPART_TYPE: usize = 1_024;
/// Bytes that are kept of a match: bodies can be large.
pub const MOST_BYTES: usize = 1_000;
/// Matches that are kept of a rule.
pub(super) const MOST_MATCHES: usize = 20;
/// Texts, and the memory of them in bytes, that are kept from one request to the next.
pub(super) const KEPT_TEXTS: (usize, usize) = (20_000, 16 << 20);
/// Memory of the texts of a request, in bytes: variables can double with each rule, and texts grow
/// with each transformation.
pub(super) const MOST_OF_TEXTS: usize = 96 << 20;

/// What a request may cost.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    /// Bytes of a body that are looked at (`SecRequestBodyLimit`).
    pub body: usize,
    /// Bytes of a body without its files that are parsed (`SecRequestBodyNoFilesLimit`).
    pub body_without_files: usize,
    /// Depth of a JSON body (`SecRequestBodyJsonDepthLimit`).
    pub json_depth: usize,
    /// Arguments of a request (`SecArgumentsLimit`).
    pub arguments: usize,
}

impl Default for Limits {
    /// The values that ModSecurity recommends (`modsecurity.conf-recommended` of 3.0.15).
    fn default() -> Self {
        Self { body: 13_107_200, body_without_files: 131_072, json_depth: 512, arguments: 1_000 }
    }
}
