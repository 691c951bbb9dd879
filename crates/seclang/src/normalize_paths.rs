//! Removes `//`, `.` and `..` from paths.

/// Normalizes a path; if `windows` is true, a backslash counts as a slash.
pub(super) fn normalize(text: &[u8], windows: bool) -> Vec<u8> {
    let mut text = text.to_vec();
    if windows {
        text.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    }
    let absolute = text.first() == Some(&b'/');
    let trailing = text.last() == Some(&b'/');
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in text.split(|byte| *byte == b'/') {
        match segment {
            b"" | b"." => {}
            b".." => match kept.last() {
                Some(last) if *last != b".." => {
                    kept.pop();
                }
                // The root has no parent; a relative path may have one.
                _ if absolute => {}
                _ => kept.push(segment),
            },
            _ => kept.push(segment),
        }
    }
    let mut out = Vec::with_capacity(text.len());
    if absolute {
        out.push(b'/');
    }
    out.extend_from_slice(&kept.join(&b'/'));
    if trailing && !kept.is_empty() {
        out.push(b'/');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::normalize;

    #[test]
    fn paths_lose_their_detours() {
        let cases = [
            ("/a//b/./c/../d", "/a/b/d"),
            ("/../../etc/passwd", "/etc/passwd"),
            ("../a", "../a"),
            ("a/../../b", "../b"),
            ("/a/b/..", "/a"),
            ("/a/b/../", "/a/"),
            ("./a", "a"),
            ("a", "a"),
            ("/", "/"),
            ("", ""),
        ];
        for (input, expected) in cases {
            assert_eq!(
                String::from_utf8_lossy(&normalize(input.as_bytes(), false)),
                expected,
                "{input}"
            );
        }
        assert_eq!(normalize(br"C:\a\..\b", true), b"C:/b");
    }
}
