//! Maps and sets by name, for one look-up per live record.

use std::collections::{HashMap, HashSet};

/// A hash function for names. It takes a fifth of the time of the standard library's; its seed
/// differs from run to run, so that nobody can choose names that collide. The iteration order of
/// these maps is never used.
type NameHasher = foldhash::fast::RandomState;

/// Values by name.
pub type NameMap<'n, V> = HashMap<&'n str, V, NameHasher>;

/// A set of names.
pub type NameSet<'n> = HashSet<&'n str, NameHasher>;
