//! Divides a zone file into entries: words, quotes, parentheses and comments.
//!
//! # Sources
//! RFC 1035 section 5.1 (master files), and the BIND 9 Administrator Reference Manual (`$GENERATE`,
//! times with units).

use std::iter::Peekable;
use std::str::CharIndices;

/// A word of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// Text of the word with quotes and escapes.
    pub(super) text: String,
    /// Offset of the first byte.
    pub(super) at: usize,
}

/// An entry: one line, or several lines within parentheses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Line {
    /// True if the entry begins with a blank and therefore has the owner of the previous entry.
    pub(super) is_continued: bool,
    pub(super) words: Vec<Token>,
    /// Comments within the parentheses and at the end.
    pub(super) note: String,
}

/// The part of a record between owner and value, and the value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head<'l> {
    /// Class, if it is not IN.
    pub(super) other_class: Option<&'l str>,
    /// Stated time to live, in seconds.
    pub(super) ttl: Option<u32>,
    pub(super) type_name: &'l str,
    pub(super) value: &'l [Token],
}

impl Line {
    /// Returns the stated owner.
    pub(super) fn owner(&self) -> Option<&Token> {
        self.words.first().filter(|_| !self.is_continued)
    }

    /// Parses the record after its owner; `None` if there is no type.
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
                // RFC 3597 section 5: classes by their numbers.
                ("IN" | "CLASS1", _) => {}
                ("CH" | "HS" | "CLASS3" | "CLASS4", _) => other_class = Some(word.text.as_str()),
                (_, Some(seconds)) => ttl = Some(seconds),
                _ => return Some(Head { other_class, ttl, type_name: &word.text, value: rest }),
            }
        }
    }

    /// Returns the directive in upper case; `None` if the entry is a record.
    pub(super) fn directive(&self) -> Option<String> {
        let first = self.owner()?;
        first.text.starts_with('$').then(|| first.text.to_ascii_uppercase())
    }
}

/// Parses a time such as `300` or `1h30m`. Returns seconds.
pub(super) fn duration(text: &str) -> Option<u32> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (mut total, mut number): (u64, Option<u64>) = (0, None);
    for c in text.chars() {
        match (c.to_digit(10), c.to_ascii_lowercase()) {
            (Some(digit), _) => {
                number = Some(number.unwrap_or(0).checked_mul(10)?.checked_add(u64::from(digit))?)
            }
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

/// Expands a word of `$GENERATE` for one number: `$`, or `${offset,width,base}`.
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
                let offset: i64 = parts
                    .first()
                    .unwrap_or(&"0")
                    .parse()
                    .map_err(|_| "the offset is not a number")?;
                let width: usize = parts
                    .get(1)
                    .unwrap_or(&"0")
                    .parse()
                    .map_err(|_| "the width is not a number")?;
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

/// Iterates over the entries of a file. The last item is an error if the rest of the file cannot be
/// divided.
pub(super) struct Lines<'t> {
    letters: Peekable<CharIndices<'t>>,
    /// Number of bytes before the first entry.
    shift: usize,
    is_at_end: bool,
}

/// A carriage return alone divides lines for some programs and not for others.
const LONE_RETURN: &str = "a carriage return alone is no line break; save the file with line feeds";

/// The offset at which dividing a file fails, and the reason.
pub(super) type Unreadable = (usize, &'static str);

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let letters = text.trim_start_matches('\u{feff}');
        Self {
            letters: letters.char_indices().peekable(),
            shift: text.len() - letters.len(),
            is_at_end: false,
        }
    }

    fn read_line(&mut self) -> Result<Line, Unreadable> {
        let mut line = Line::default();
        let mut open: Option<usize> = None;
        let mut is_start = true;
        while let Some((n, c)) = self.letters.next() {
            let at = n + self.shift;
            match c {
                '\n' if open.is_none() => return Ok(line),
                '(' if open.is_some() => return Err((at, "parentheses do not nest")),
                '(' => open = Some(at),
                ')' if open.take().is_none() => {
                    return Err((at, "this parenthesis was not opened"));
                }
                ')' => {}
                ';' => self.read_note(&mut line, open.is_some())?,
                '\r' if self.is_lone() => return Err((at, LONE_RETURN)),
                c if c.is_whitespace() => line.is_continued |= is_start && line.words.is_empty(),
                first => {
                    let text = self
                        .read_token(first)
                        .ok_or((at, "the text is not closed with a quote on its line"))?;
                    line.words.push(Token { text, at });
                }
            }
            is_start = false;
        }
        self.is_at_end = true;
        match open {
            Some(at) => Err((at, "this parenthesis is not closed")),
            None => Ok(line),
        }
    }

    /// Returns true if the carriage return that was read last is alone. One at the end of the file
    /// divides nothing.
    fn is_lone(&mut self) -> bool {
        self.letters.peek().is_some_and(|(_, next)| *next != '\n')
    }

    /// Reads the rest of a line as a comment.
    fn read_note(&mut self, line: &mut Line, is_open: bool) -> Result<(), Unreadable> {
        let mut note = String::new();
        while let Some((at, c)) = self.letters.next_if(|(_, c)| *c != '\n') {
            if c == '\r' && self.is_lone() {
                return Err((at + self.shift, LONE_RETURN));
            }
            note.push(c);
        }
        // The comments of an entry with several lines are joined.
        let note = note.trim();
        if is_open || !line.words.is_empty() {
            let gap = if line.note.is_empty() || note.is_empty() { "" } else { " " };
            line.note.push_str(gap);
            line.note.push_str(note);
        }
        Ok(())
    }

    /// Reads a word; `None` if a quote is not closed.
    fn read_token(&mut self, first: char) -> Option<String> {
        let mut word = String::from(first);
        // A word may contain quotes, as in `alpn="h2,h3"`; a word that begins with a quote ends
        // with the next quote.
        let is_text = first == '"';
        let mut is_quoted = is_text;
        let mut is_escaped = first == '\\';
        while let Some((_, c)) = self.letters.peek().copied() {
            let is_end = c.is_whitespace() || matches!(c, ';' | '(' | ')');
            if (!is_quoted && (is_text || is_end) && !is_escaped) || (is_quoted && c == '\n') {
                break;
            }
            self.letters.next();
            word.push(c);
            is_quoted ^= c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
        }
        (!is_quoted).then_some(word)
    }
}

impl Iterator for Lines<'_> {
    type Item = Result<Line, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_at_end {
            return None;
        }
        let line = self.read_line();
        self.is_at_end |= line.is_err();
        Some(line)
    }
}
