//! The command line of `resolve`.

use std::path::PathBuf;

use clap::Args;

/// `resolve`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ResolveArgs {
    /// Name to look up
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Record type [default: A, AAAA, and every type that the name has]
    #[arg(value_name = "TYPE")]
    pub record_type: Option<String>,
    /// Answer from a spec: a file, a directory, or `-`; repeatable. With --live or --against, show its lines
    #[arg(long, value_name = "SPEC", required_unless_present_any = ["live", "against"])]
    pub spec: Vec<PathBuf>,
    /// Answer from what Cloudflare has
    #[arg(long, conflicts_with = "against")]
    pub live: bool,
    /// Answer from a snapshot: no credentials, no requests
    #[arg(long, value_name = "SNAPSHOT")]
    pub against: Option<PathBuf>,
}
