//! Writes generated zones to a directory: `spec/`, one file for each zone, and `seed.json` for
//! `zonewright sandbox seed`.
//!
//! ```text
//! cargo run --release --example generate-zones -- DIRECTORY ZONES RECORDS-OF-EACH [PLAN]
//! ```

mod zones;

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::Path;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let wrong =
        || Error::new(ErrorKind::InvalidInput, "give DIRECTORY ZONES RECORDS-OF-EACH [PLAN]");
    let number =
        |n: usize| arguments.get(n).and_then(|a| a.parse::<usize>().ok()).ok_or_else(wrong);
    let directory = Path::new(arguments.first().ok_or_else(wrong)?);
    let all = zones::zones(number(1)?, number(2)?);
    fs::create_dir_all(directory.join("spec"))?;
    for zone in &all {
        let file = directory.join("spec").join(format!("{}.yaml", zone.name));
        fs::write(file, zones::spec(std::slice::from_ref(zone)))?;
    }
    let plan = arguments.get(3).map_or("enterprise", String::as_str);
    fs::write(directory.join("seed.json"), zones::seed(&all, plan).to_string())
}
