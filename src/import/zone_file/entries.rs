//! The entries of a zone file: words, quotes, parentheses and comments.
//!
//! # Sources
//! RFC 1035 section 5.1 (master files), and the BIND 9 Administrator Reference Manual (`$GENERATE`, times with units).

/// A word of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// As written, quotes and escapes included.
    pub(super) text: String,
    /// Where it begins.
    pub(super) at: usize,
}

/// An entry: one line, or several within parentheses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Line {
    /// Whether it begins with a blank, so that it has the owner of the entry before it.
    pub(super) is_continued: bool,
    /// Its words.
    pub(super) words: Vec<Token>,
    /// The comments within its parentheses and at its end.
    pub(super) note: String,
}

/// The beginning of a record, between its owner and its value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head<'l> {
    /// The class, if it is not IN.
    pub(super) other_class: Option<&'l str>,
    /// The stated time to live, in seconds.
    pub(super) ttl: Option<u32>,
    /// The type.
    pub(super) type_name: &'l str,
    /// The value.
    pub(super) value: &'l [Token],
}

impl Line {
    /// The owner that is stated.
    pub(super) fn owner(&self) -> Option<&Token> {
        self.words.first().filter(|_| !self.is_continued)
    }

    /// The beginning of a record; `None` if there is no type.
    pub(super) fn head(&self) -> Option<Head<'_>> {
        let mut words = self.words.as_slice();
        if !self.is_continued {
            words = words.get(1..)?;
        }
        let (mut ttl, mut other_class) = (None, None);
        loop {
            let (word, rest) = words.split_first()?;
            words = rest;
            match (word.text.to_ascii_uppercase().as_str(), duration(&word.text)) {
                ("IN", _) => {}
                ("CH" | "HS", _) => other_class = Some(word.text.as_str()),
                (_, Some(seconds)) => ttl = Some(seconds),
                _ => return Some(Head { other_class, ttl, type_name: &word.text, value: rest }),
            }
        }
    }

    /// The directive, in upper case, if the line is one.
    pub(super) fn directive(&self) -> Option<String> {
        let first = self.owner()?;
        first.text.starts_with('$').then(|| first.text.to_ascii_uppercase())
    }
}

/// A time in seconds, such as `300` or `1h30m`.
pub(super) fn duration(text: &str) -> Option<u32> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (mut total, mut number): (u64, Option<u64>) = (0, None);
    for c in text.chars() {
        match (c.to_digit(10), c.to_ascii_lowercase()) {
            (Some(digit), _) => number = Some(number.unwrap_or(0).checked_mul(10)?.checked_add(u64::from(digit))?),
            (None, unit) => {
                let seconds = match unit {
                    's' => 1,
                    'm' => 60,
                    'h' => 3_600,
                    'd' => 86_400,
                    'w' => 604_800,
                    _ => return None,
                };
                total = total.checked_add(number.take()?.checked_mul(seconds)?)?;
            }
        }
    }
    u32::try_from(total.checked_add(number.unwrap_or(0))?).ok()
}

/// A word of `$GENERATE` for one number: `$`, or `${offset,width,base}`.
pub(super) fn expand(text: &str, n: u32) -> Result<String, String> {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match (c, letters.peek()) {
            ('\\', Some('$')) => out.extend(letters.next()),
            ('$', Some('$')) => out.extend(letters.next()),
            ('$', Some('{')) => {
                letters.next();
                let modifier: String = letters.by_ref().take_while(|c| *c != '}').collect();
                let parts: Vec<&str> = modifier.split(',').collect();
                let offset: i64 = parts.first().unwrap_or(&"0").parse().map_err(|_| "the offset is not a number")?;
                let width: usize = parts.get(1).unwrap_or(&"0").parse().map_err(|_| "the width is not a number")?;
                let width = width.min(63);
                let value = i64::from(n) + offset;
                let value = u32::try_from(value).map_err(|_| "the offset leads below zero")?;
                out.push_str(&match parts.get(2).copied().unwrap_or("d") {
                    "d" => format!("{value:0width$}"),
                    "o" => format!("{value:0width$o}"),
                    "x" => format!("{value:0width$x}"),
                    "X" => format!("{value:0width$X}"),
                    other => return Err(format!("the base `{other}` is not supported")),
                });
            }
            ('$', _) => out.push_str(&n.to_string()),
            (c, _) => out.push(c),
        }
    }
    Ok(out)
}

/// The entries of a file; otherwise where and why it cannot be read.
pub(super) fn lines(text: &str) -> Result<Vec<Line>, (usize, &'static str)> {
    let mut lines = Vec::new();
    let mut line = Line::default();
    let mut open: Option<usize> = None;
    let mut is_start = true;
    let mut letters = text.trim_start_matches('\u{feff}').char_indices().peekable();
    let shift = text.len() - text.trim_start_matches('\u{feff}').len();
    while let Some((n, c)) = letters.next() {
        let at = n + shift;
        match c {
            '\n' if open.is_none() => {
                lines.push(std::mem::take(&mut line));
                is_start = true;
                continue;
            }
            '(' if open.is_some() => return Err((at, "parentheses do not nest")),
            '(' => open = Some(at),
            ')' if open.take().is_none() => return Err((at, "this parenthesis was not opened")),
            ')' => {}
            ';' => {
                let mut note = String::new();
                while let Some((_, c)) = letters.next_if(|(_, c)| *c != '\n') {
                    note.push(c);
                }
                // Comments of an entry that has several lines are one.
                let note = note.trim();
                if open.is_some() || !line.words.is_empty() {
                    let gap = if line.note.is_empty() || note.is_empty() { "" } else { " " };
                    line.note.push_str(gap);
                    line.note.push_str(note);
                }
            }
            c if c.is_whitespace() => line.is_continued |= is_start && line.words.is_empty(),
            first => {
                let mut word = String::from(first);
                // A word may have quotes within it, as in `alpn="h2,h3"`; one that begins with a quote ends with it.
                let is_text = first == '"';
                let mut is_quoted = is_text;
                let mut is_escaped = first == '\\';
                while let Some((_, c)) = letters.peek().copied() {
                    let is_end = c.is_whitespace() || matches!(c, ';' | '(' | ')');
                    if (!is_quoted && (is_text || is_end) && !is_escaped) || (is_quoted && c == '\n') {
                        break;
                    }
                    letters.next();
                    word.push(c);
                    is_quoted ^= c == '"' && !is_escaped;
                    is_escaped = c == '\\' && !is_escaped;
                }
                if is_quoted {
                    return Err((at, "the text is not closed with a quote on its line"));
                }
                line.words.push(Token { text: word, at });
            }
        }
        is_start = false;
    }
    if let Some(at) = open {
        return Err((at, "this parenthesis is not closed"));
    }
    lines.push(line);
    Ok(lines)
}
