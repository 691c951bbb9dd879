//! Limits on the resources of a request.

/// Number of steps after which a backtracking pattern is undecided.
pub(super) const BACKTRACKING_STEPS: usize = 200_000;
/// Maximum memory of a compiled pattern, in bytes. The longest of the Core Rule Set needs a third
/// of it.
pub(super) const PATTERN_BYTES: usize = 32 << 20;
/// Maximum length of the phrases of one rule together, in bytes: their automaton takes about a
/// hundred times as much memory. The longest list of the Core Rule Set has less than a tenth of it.
pub(super) const PHRASE_BYTES: usize = 256 << 10;
/// Maximum length of a value for libinjection, in bytes. An injection begins early, and its lexers
/// are not linear in all inputs.
pub(super) const INJECTION_BYTES: usize = 64 * 1024;
/// Maximum number of open elements of an XML body.
pub(super) const XML_DEPTH: usize = 256;
/// Length of a piece of a multipart body, in bytes.
pub(super) const MULTIPART_PIECE: usize = 4_096;
/// Maximum length of the content type of a multipart body, in bytes.
pub(super) const MULTIPART_TYPE: usize = 1_024;
/// Maximum number of bytes that are kept of a match, because bodies can be large.
pub const MOST_BYTES: usize = 1_000;
/// Maximum number of matches that are kept of a rule.
pub(super) const MOST_MATCHES: usize = 20;
/// Maximum number of texts, and of bytes of memory for them, that are kept from one request to the
/// next.
pub(super) const KEPT_TEXTS: (usize, usize) = (20_000, 16 << 20);
/// Maximum memory of the texts of a request, in bytes: variables can double with each rule, and
/// texts grow with each transformation.
pub(super) const MOST_OF_TEXTS: usize = 96 << 20;

/// Limits of a request.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    /// Maximum number of bytes that are read of a body (`SecRequestBodyLimit`).
    pub body: usize,
    /// Maximum number of bytes of a body without its files that are parsed
    /// (`SecRequestBodyNoFilesLimit`).
    pub body_without_files: usize,
    /// Maximum depth of a JSON body (`SecRequestBodyJsonDepthLimit`).
    pub json_depth: usize,
    /// Maximum number of arguments of a request (`SecArgumentsLimit`).
    pub arguments: usize,
}

impl Default for Limits {
    /// Returns the recommended values of ModSecurity (`modsecurity.conf-recommended` of 3.0.15).
    fn default() -> Self {
        Self { body: 13_107_200, body_without_files: 131_072, json_depth: 512, arguments: 1_000 }
    }
}
