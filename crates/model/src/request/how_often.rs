//! The rate at which a request is repeated, in the syntax of `times`.

/// The rate at which a request is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Number of requests.
    pub times: u64,
    /// Within how many seconds, evenly; at least 1.
    pub seconds: u64,
}

impl Rate {
    /// Parses a number, a slash and a time such as `6/1m`; also `6 in 1m`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (times, time) = text.split_once('/').or_else(|| text.split_once(" in "))?;
        let seconds = humantime::parse_duration(time.trim()).ok()?.as_secs();
        let times: u32 = times.trim().parse().ok().filter(|times| *times > 0)?;
        (1..=86_400).contains(&seconds).then_some(Self { times: u64::from(times), seconds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_parsed() {
        assert_eq!(Rate::parse("6/1m"), Some(Rate { times: 6, seconds: 60 }));
        assert_eq!(Rate::parse("6 in 90s"), Some(Rate { times: 6, seconds: 90 }));
        for bad in ["", "6", "6/", "0/1m", "-1/1m", "6/0s", "6/2days", "6/1m/1", "99999999999/1m"] {
            assert_eq!(Rate::parse(bad), None, "{bad}");
        }
    }
}
