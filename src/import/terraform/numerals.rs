//! Reads numbers in Terraform's notation. Terraform has about 154 digits; a number that would lose
//! digits here has no value.

/// Maximum number of digits of a whole number.
const MOST_WHOLE_DIGITS: usize = 38;

/// Maximum number of digits of a fraction that has a text. Terraform calculates with 512 bits, so
/// that the result of a division can have 155 digits.
const MOST_DIGITS: usize = 15;
/// Reason for a number that has no text.
pub(super) const NOT_EXACT: &str =
    "Terraform calculates this number with more digits than an import; import the state instead";

/// Converts a number to text like Terraform: without a point if it is whole, and never with an
/// exponent. Returns `None` if Terraform has more digits.
pub(super) fn number_text(n: f64) -> Option<String> {
    let text = if n.fract() == 0.0 && n.abs() < 1e15 { format!("{n:.0}") } else { n.to_string() };
    let digits = text.trim_start_matches(['-', '0', '.']).bytes().filter(u8::is_ascii_digit);
    (n.fract() == 0.0 || digits.count() <= MOST_DIGITS).then_some(text)
}

/// A number.
pub(super) enum Numeral {
    /// A whole number that is not zero.
    Whole(i128),
    /// A fraction, or zero with its sign.
    Other(f64),
}

/// Reads a number. Returns `None` for a text that is no number.
///
/// # Errors
/// Terraform reads a number that cannot be represented here: of more digits, or infinite.
pub(super) fn parse_number(text: &str) -> Option<Result<Numeral, &'static str>> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_negative = text.starts_with('-');
    if matches!(unsigned, "inf" | "Inf") {
        return Some(Err(NOT_EXACT));
    }
    let (mantissa, exponent) = match unsigned.find(['e', 'E', 'p', 'P']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    let power = exponent.map(|text| (text, text.strip_prefix(['+', '-']).unwrap_or(text)));
    if power.is_some_and(|(_, digits)| digits.is_empty() || !is_digits(digits)) {
        return None;
    }
    let is_of_two = unsigned.contains(['p', 'P']);
    let power = power.map_or(Some(0), |(text, _)| text.parse::<i32>().ok());
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(Ok(Numeral::Other(if is_negative { -0.0 } else { 0.0 })));
    }
    let significant = digits.trim_end_matches('0');
    let zeros = digits.len() - significant.len();
    Some(
        power
            .filter(|_| !is_of_two)
            .and_then(|power| {
                let power = i64::from(power) + i64::try_from(zeros).ok()?;
                let power = power - i64::try_from(fraction.len()).ok()?;
                let sign = if is_negative { "-" } else { "" };
                match usize::try_from(power) {
                    Ok(zeros) if significant.len() + zeros <= MOST_WHOLE_DIGITS => {
                        let whole = format!("{sign}{significant}{}", "0".repeat(zeros));
                        Some(Numeral::Whole(whole.parse().ok()?))
                    }
                    Ok(_) => None,
                    Err(_) => {
                        let number: f64 = format!("{sign}{significant}e{power}").parse().ok()?;
                        let is_exact = number_text(number).is_none_or(|text| {
                            let shown =
                                text.chars().filter(char::is_ascii_digit).collect::<String>();
                            shown.trim_matches('0') == significant
                        });
                        (is_exact && number != 0.0).then_some(Numeral::Other(number))
                    }
                }
            })
            .ok_or(NOT_EXACT),
    )
}

/// Returns the number at the beginning of a text: with a sign, a fraction and an exponent, as a
/// configuration can have it.
pub(super) fn leading_number(text: &str) -> &str {
    let digits = |at: usize| text[at..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = usize::from(text.starts_with('-'));
    let whole = digits(end);
    end += whole;
    if whole > 0 && text[end..].starts_with('.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if whole > 0 && text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let power = digits(end + 1 + sign);
        end += if power > 0 { 1 + sign + power } else { 0 };
    }
    if whole > 0 { &text[..end] } else { "" }
}

/// Returns true if a text in JSON has a number without a value here.
pub(super) fn has_inexact_number(json: &str) -> bool {
    let mut is_quoted = false;
    let mut letters = json.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if is_quoted => drop(letters.next()),
            '"' => is_quoted = !is_quoted,
            '-' | '0'..='9' if !is_quoted => {
                let number = leading_number(&json[at..]);
                // A parser of JSON keeps whole numbers of 64 bits.
                let is_exact = match parse_number(number) {
                    Some(Ok(Numeral::Whole(n))) => {
                        i64::try_from(n).is_ok() || u64::try_from(n).is_ok()
                    }
                    read => !matches!(read, Some(Err(_))),
                };
                if !is_exact {
                    return true;
                }
                // The digits of the number are not read again as another one.
                for _ in 1..number.len() {
                    letters.next();
                }
            }
            _ => {}
        }
    }
    false
}
