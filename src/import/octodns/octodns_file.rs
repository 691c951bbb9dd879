//! A YAML file below a directory of octoDNS.

use std::path::PathBuf;

use crate::diagnostic::SourceId;
use crate::model::ZoneName;

/// A YAML file that may belong to octoDNS.
#[derive(Debug)]
pub(in crate::import) struct OctodnsFile {
    /// The directory that the user named, which contains the files that it may include.
    pub(in crate::import) tree: PathBuf,
    pub(in crate::import) path: PathBuf,
    pub(in crate::import) source: SourceId,
    /// The zone that its path names, or the given one.
    pub(in crate::import) zone: Option<ZoneName>,
    /// Whether its path names the zone.
    pub(in crate::import) is_named_like_zone: bool,
}
