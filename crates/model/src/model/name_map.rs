//! Maps and sets by name that are looked up once for each live record.

use std::collections::{HashMap, HashSet};

/// The hash of names. It takes a fifth of the time of the standard library's; its seed differs from
/// run to run, so that names cannot be chosen to collide. The order of such a map is never used.
type State = foldhash::fast::RandomState;

/// Values by name.
pub type NameMap<'n, V> = HashMap<&'n str, V, State>;

/// Names.
pub type NameSet<'n> = HashSet<&'n str, State>;
