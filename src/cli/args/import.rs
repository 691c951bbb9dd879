//! The command line of `import`.

use std::path::PathBuf;

use clap::Args;

/// `import`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ImportArgs {
    /// Live zones by name; files and directories of other tools as ./PATH, ../PATH or /PATH; `-` is standard input
    #[arg(required = true, value_name = "SOURCE")]
    pub sources: Vec<String>,
    /// Format of files, if it is not recognised; every SOURCE is a path then
    #[arg(long, value_name = "FORMAT", value_parser = ["terraform", "octodns", "dnscontrol", "bind", "csv"])]
    pub from: Option<String>,
    /// Zone of the entries whose zone a file does not name, of all of them or of those with this id; repeatable
    #[arg(long, value_name = "[ID=]ZONE")]
    pub zone_name: Vec<String>,
    /// Write one file for each zone into this directory, instead of one spec to standard output
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Import records only
    #[arg(long, conflicts_with = "only_waf")]
    pub only_dns: bool,
    /// Import the protection only
    #[arg(long)]
    pub only_waf: bool,
}
