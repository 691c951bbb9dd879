//! Represents a YAML file below a directory of octoDNS.

use std::path::PathBuf;

use crate::diagnostic::SourceId;
use crate::model::ZoneName;

/// A YAML file that may belong to octoDNS.
#[derive(Debug)]
pub(in crate::import) struct OctodnsFile {
    /// Directory that the user named. It limits the includes of the file.
    pub(in crate::import) tree: PathBuf,
    pub(in crate::import) path: PathBuf,
    pub(in crate::import) source: SourceId,
    /// Zone in the path, or the zone that the user gives.
    pub(in crate::import) zone: Option<ZoneName>,
    /// True if the path names the zone.
    pub(in crate::import) is_named_like_zone: bool,
}
