//! Plain scalars of YAML 1.1, as PyYAML's safe loader constructs them.
//!
//! # Sources
//! yaml.org/type (bool, float, int, null, timestamp); PyYAML 6.0.4, `resolver.py` and
//! `constructor.py`, read 2026-11.

/// Maximum length of a number that is converted; longer ones are text.
const LONGEST_NUMBER: usize = 256;

/// A scalar as Python sees it.
#[derive(Debug, Clone, PartialEq)]
pub enum PythonScalar {
    /// `None`.
    Null,
    /// `True` or `False`.
    Bool(bool),
    /// A whole number of any size, in decimal digits.
    Integer(String),
    /// A number with a fraction.
    Float(f64),
    /// A date, or a date with a time.
    Timestamp(String),
    /// A text.
    Text(String),
}

impl PythonScalar {
    /// Resolves a scalar that was written without quotes.
    #[must_use]
    pub fn of_plain(text: &str) -> Self {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => return Self::Null,
            "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
                return Self::Bool(true);
            }
            "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
                return Self::Bool(false);
            }
            _ => {}
        }
        if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
            return Self::Text(text.to_owned());
        }
        if let Some(number) = read_float(text) {
            return Self::Float(number);
        }
        if let Some(digits) = read_integer(text) {
            return Self::Integer(digits);
        }
        if is_timestamp(text) {
            Self::Timestamp(text.to_owned())
        } else {
            Self::Text(text.to_owned())
        }
    }

    /// Returns the text of Python's `str` for the scalar.
    #[must_use]
    pub fn python_text(&self) -> String {
        match self {
            Self::Null => "None".to_owned(),
            Self::Bool(true) => "True".to_owned(),
            Self::Bool(false) => "False".to_owned(),
            Self::Integer(digits) => digits.clone(),
            Self::Float(number) => float_text(*number),
            Self::Timestamp(text) | Self::Text(text) => text.clone(),
        }
    }

    /// Returns true if Python takes the scalar for true.
    #[must_use]
    pub fn is_true(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::Integer(digits) => digits != "0",
            Self::Float(number) => *number != 0.0,
            Self::Timestamp(_) => true,
            Self::Text(text) => !text.is_empty(),
        }
    }

    /// Returns the number of Python's `int` for the scalar. Returns `None` if `int` refuses it, or
    /// the number is too large.
    #[must_use]
    pub fn to_integer(&self) -> Option<i64> {
        match self {
            Self::Null | Self::Timestamp(_) => None,
            Self::Bool(value) => Some(i64::from(*value)),
            Self::Integer(digits) => digits.parse().ok(),
            Self::Float(number) => {
                let is_small = number.is_finite() && number.abs() < 9.0e18;
                #[allow(clippy::cast_possible_truncation)]
                is_small.then_some(number.trunc() as i64)
            }
            Self::Text(text) => {
                let text = text.trim();
                let (sign, digits) = split_sign(text);
                let is_spaced =
                    digits.starts_with('_') || digits.ends_with('_') || digits.contains("__");
                let is_number = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
                if is_spaced || !is_number {
                    return None;
                }
                let number: i64 = digits.replace('_', "").parse().ok()?;
                Some(if sign == Some('-') { -number } else { number })
            }
        }
    }
}

/// Splits a number from its sign.
fn split_sign(text: &str) -> (Option<char>, &str) {
    match text.chars().next() {
        Some(sign @ ('-' | '+')) => (Some(sign), &text[1..]),
        _ => (None, text),
    }
}

/// Returns true if a text is digits and underscores that begin with a digit.
fn is_spaced_digits(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
}

/// Returns true if a text is a part of a sexagesimal number: 0 to 59.
fn is_sixtieth(text: &str) -> bool {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits && (text.len() == 1 || (text.len() == 2 && text.as_bytes()[0] < b'6'))
}

/// Reads a number with a fraction.
fn read_float(text: &str) -> Option<f64> {
    let (sign, body) = split_sign(text);
    let signed = |number: f64| if sign == Some('-') { -number } else { number };
    match body {
        ".inf" | ".Inf" | ".INF" => return Some(signed(f64::INFINITY)),
        ".nan" | ".NaN" | ".NAN" if sign.is_none() => return Some(f64::NAN),
        _ => {}
    }
    let (mantissa, exponent) = match body.find(['e', 'E']) {
        Some(at) => (&body[..at], Some(&body[at + 1..])),
        None => (body, None),
    };
    let is_exponent = |text: &str| {
        let (sign, digits) = split_sign(text);
        sign.is_some() && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    if exponent.is_some_and(|text| !is_exponent(text)) {
        return None;
    }
    let (whole, fraction) = mantissa.split_once('.')?;
    if !fraction.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
        return None;
    }
    let plain = |text: &str| text.replace('_', "");
    if whole.is_empty() {
        let is_fraction = sign.is_none() && is_spaced_digits(fraction);
        return is_fraction.then(|| plain(body).parse().ok()).flatten();
    }
    let Some((first, parts)) = whole.split_once(':') else {
        return is_spaced_digits(whole).then(|| plain(body).parse().ok()).flatten().map(signed);
    };
    if exponent.is_some() || !is_spaced_digits(first) || !parts.split(':').all(is_sixtieth) {
        return None;
    }
    let mut total: f64 = plain(first).parse().ok()?;
    let mut parts = parts.split(':').peekable();
    while let Some(part) = parts.next() {
        let part = if parts.peek().is_none() {
            format!("{part}.{}", plain(fraction))
        } else {
            part.to_owned()
        };
        total = total * 60.0 + part.parse::<f64>().ok()?;
    }
    Some(signed(total))
}

/// Reads a whole number as decimal digits.
fn read_integer(text: &str) -> Option<String> {
    let (sign, body) = split_sign(text);
    let digits = body.replace('_', "");
    let magnitude = if let Some(binary) = body.strip_prefix("0b") {
        decimal(&binary.replace('_', ""), 2)?
    } else if let Some(hex) = body.strip_prefix("0x") {
        decimal(&hex.replace('_', ""), 16)?
    } else if let Some(octal) = body.strip_prefix('0') {
        let octal = octal.replace('_', "");
        if octal.is_empty() { "0".to_owned() } else { decimal(&octal, 8)? }
    } else if let Some((first, parts)) = body.split_once(':') {
        if !is_spaced_digits(first) || !parts.split(':').all(is_sixtieth) {
            return None;
        }
        let mut total: i128 = first.replace('_', "").parse().ok()?;
        for part in parts.split(':') {
            total = total.checked_mul(60)?.checked_add(part.parse().ok()?)?;
        }
        total.to_string()
    } else if is_spaced_digits(body) && digits.len() <= LONGEST_NUMBER {
        digits
    } else {
        return None;
    };
    Some(if sign == Some('-') && magnitude != "0" { format!("-{magnitude}") } else { magnitude })
}

/// Converts digits of a base to decimal digits.
fn decimal(digits: &str, base: u32) -> Option<String> {
    const LIMB: u64 = 1_000_000_000;
    if digits.is_empty() || digits.len() > LONGEST_NUMBER {
        return None;
    }
    let mut limbs: Vec<u64> = vec![0];
    for digit in digits.chars() {
        let mut carry = u64::from(digit.to_digit(base)?);
        for limb in &mut limbs {
            carry += *limb * u64::from(base);
            *limb = carry % LIMB;
            carry /= LIMB;
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    let mut out = limbs.pop().unwrap_or_default().to_string();
    for limb in limbs.iter().rev() {
        out.push_str(&format!("{limb:09}"));
    }
    Some(out)
}

/// Returns true if a text is a date, or a date with a time.
fn is_timestamp(text: &str) -> bool {
    let digits = |text: &str, least: usize, most: usize| {
        (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let at = text.find(['T', 't', ' ', '\t']).unwrap_or(text.len());
    let (date, time) = text.split_at(at);
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let fewest_digits = if time.is_empty() { 2 } else { 1 };
    let number = |text: &str| text.parse::<u32>().unwrap_or_default();
    let is_date =
        digits(year, 4, 4) && digits(month, fewest_digits, 2) && digits(day, fewest_digits, 2);
    // Python refuses other months and days. They stay text here.
    if !is_date
        || number(year) == 0
        || !(1..=12).contains(&number(month))
        || !(1..=31).contains(&number(day))
    {
        return false;
    }
    if time.is_empty() {
        return true;
    }
    let time = time.trim_start_matches(['T', 't', ' ', '\t']);
    let clock =
        time.find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.').unwrap_or(time.len());
    let clock: Vec<&str> = time[..clock].split(':').collect();
    let [hour, minute, second] = clock[..] else { return false };
    let (second, fraction) = second.split_once('.').unwrap_or((second, ""));
    digits(hour, 1, 2)
        && digits(minute, 2, 2)
        && digits(second, 2, 2)
        && digits(fraction, 0, fraction.len())
}

/// Writes a number as Python's `str` does: the shortest digits that give the number back.
fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let digits = mantissa.replace('.', "");
    let sign = if number.is_sign_negative() { "-" } else { "" };
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or_default());
    let length = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    match exponent {
        0..16 if length <= exponent + 1 => {
            format!("{sign}{digits}{}.0", zeros(exponent + 1 - length))
        }
        0..16 => {
            let (whole, fraction) =
                digits.split_at(usize::try_from(exponent).unwrap_or_default() + 1);
            format!("{sign}{whole}.{fraction}")
        }
        -4..0 => format!("{sign}0.{}{digits}", zeros(-exponent - 1)),
        _ => {
            let (first, others) = digits.split_at(1);
            let point = if others.is_empty() { "" } else { "." };
            let mark = if exponent < 0 { '-' } else { '+' };
            format!("{sign}{first}{point}{others}e{mark}{:02}", exponent.abs())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_mean_what_pyyaml_says() {
        for (text, expected) in [
            ("", "None"),
            ("~", "None"),
            ("no", "False"),
            ("Off", "False"),
            ("ON", "True"),
            ("nO", "nO"),
            ("y", "y"),
            ("0600", "384"),
            ("-010", "-8"),
            ("0900", "0900"),
            ("0x1F", "31"),
            ("0b101", "5"),
            ("0o17", "0o17"),
            ("1_000", "1000"),
            ("1:30", "90"),
            ("1:00:00", "3600"),
            ("1:60", "1:60"),
            ("+12", "12"),
            ("-0", "0"),
            ("1.20", "1.2"),
            ("1.", "1.0"),
            (".5", "0.5"),
            ("-.5", "-.5"),
            ("1e3", "1e3"),
            ("1.0e3", "1.0e3"),
            ("1.0e+3", "1000.0"),
            ("1.5e+16", "1.5e+16"),
            ("1.0e-5", "1e-05"),
            ("0.0001", "0.0001"),
            ("123456789012345678.0", "1.2345678901234568e+17"),
            ("1:30.5", "90.5"),
            (".inf", "inf"),
            ("-.INF", "-inf"),
            (".nan", "nan"),
            ("2027-03-01", "2027-03-01"),
            ("192.0.2.1", "192.0.2.1"),
            ("1.2.3", "1.2.3"),
            ("-", "-"),
            (".", "."),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
        ] {
            assert_eq!(PythonScalar::of_plain(text).python_text(), expected, "{text}");
        }
        assert_eq!(
            decimal("ffffffffffffffffffffffff", 16).unwrap(),
            "79228162514264337593543950335"
        );
        assert!(matches!(PythonScalar::of_plain("2027-03-01"), PythonScalar::Timestamp(_)));
        assert!(matches!(PythonScalar::of_plain("2027-13-01"), PythonScalar::Text(_)));
        assert!(matches!(
            PythonScalar::of_plain("2001-12-14t21:59:43.10-05:00"),
            PythonScalar::Timestamp(_)
        ));
    }

    #[test]
    fn integers_are_read_as_python_does() {
        let text = |text: &str| PythonScalar::Text(text.to_owned()).to_integer();
        assert_eq!(
            [text("0600"), text(" 7 "), text("1_0"), text("-3")],
            [Some(600), Some(7), Some(10), Some(-3)]
        );
        assert_eq!([text("1h"), text(""), text("_1"), text("1__0"), text("0x1")], [None; 5]);
        let plain = |text: &str| PythonScalar::of_plain(text).to_integer();
        assert_eq!(
            [plain("10.9"), plain("yes"), plain("1:00:00")],
            [Some(10), Some(1), Some(3600)]
        );
        assert_eq!([plain("~"), plain(".inf"), plain("99999999999999999999")], [None; 3]);
    }
}
