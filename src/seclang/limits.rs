//! Limits of what is looked at in a request.

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
