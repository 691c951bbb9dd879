//! Computes the literal texts of templates: strip markers remove white space, `<<-` removes
//! indentation, and quoted templates have escapes.
//!
//! # Sources
//! github.com/hashicorp/hcl, hclsyntax: `spec.md` (template literals) and `parser_template.go`
//! (`parseTemplateParts`, `flushHeredocTemplateParts`), compared with Terraform 1.11.4, 2026-11-27.

use std::collections::HashMap;
use std::ops::Range;

use hcl_edit::Span as _;
use hcl_edit::template::{
    Directive, Element, HeredocTemplate, StringTemplate, Strip, Template as Elements,
};

/// A literal text of a template, by its address.
type LiteralId = *const u8;

/// Form in which a template is written.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// In quotes, on one line. Literals within directives still have their escapes.
    Quoted,
    /// In a file, a heredoc, or a string in JSON. Each line is a literal of its own.
    Lines,
    /// In a heredoc that begins with `<<-`.
    Indented,
}

/// The literal texts of a template that differ from those of the parser.
pub(super) struct Template {
    texts: HashMap<LiteralId, String>,
}

/// A literal on one line, or a marker between literals.
enum Token {
    Literal(LiteralId, String),
    Marker,
}

impl Template {
    /// Reads a template in quotes.
    ///
    /// # Errors
    /// An escape is invalid.
    pub(super) fn quoted(template: &StringTemplate) -> Result<Self, &'static str> {
        Self::read(template, Form::Quoted, "")
    }

    /// Reads a heredoc in a file with this text.
    ///
    /// # Errors
    /// None; the signature is that of the other forms.
    pub(super) fn heredoc(heredoc: &HeredocTemplate, file: &str) -> Result<Self, &'static str> {
        let form = if heredoc.indent().is_some() { Form::Indented } else { Form::Lines };
        Self::read(&heredoc.template, form, file)
    }

    /// Reads the template of a file, or of a string in JSON.
    ///
    /// # Errors
    /// None; the signature is that of the other forms.
    pub(super) fn bare(template: &Elements) -> Result<Self, &'static str> {
        Self::read(template, Form::Lines, "")
    }

    /// Returns the number of bytes that reading a template copies at most.
    pub(super) fn size(elements: &Elements) -> usize {
        let size = |element: &Element| match element {
            Element::Literal(literal) => literal.len(),
            Element::Interpolation(_) => 1,
            Element::Directive(directive) => match &**directive {
                Directive::If(branch) => {
                    let alternative = branch.else_expr.as_ref();
                    Self::size(&branch.if_expr.template)
                        + alternative.map_or(1, |branch| Self::size(&branch.template))
                }
                Directive::For(each) => 1 + Self::size(&each.for_expr.template),
            },
        };
        elements.iter().map(size).sum()
    }

    fn read(elements: &Elements, form: Form, file: &str) -> Result<Self, &'static str> {
        let is_plain = |element: &Element| match element {
            Element::Literal(_) => true,
            Element::Interpolation(interpolation) => interpolation.strip == Strip::None,
            Element::Directive(_) => false,
        };
        if form != Form::Indented && elements.iter().all(is_plain) {
            return Ok(Self { texts: HashMap::new() });
        }
        let mut reader = Reader { form, file, tokens: Vec::new(), is_next_trimmed: false };
        reader.elements(elements, true)?;
        if form == Form::Indented {
            remove_indentation(&mut reader.tokens);
        }
        let mut texts: HashMap<LiteralId, String> = HashMap::new();
        for token in reader.tokens {
            if let Token::Literal(literal, text) = token {
                texts.entry(literal).or_default().push_str(&text);
            }
        }
        Ok(Self { texts })
    }

    /// Returns the text of a literal.
    pub(super) fn text<'s>(&'s self, literal: &'s str) -> &'s str {
        self.texts.get(&literal.as_ptr()).map_or(literal, String::as_str)
    }
}

/// Collects the tokens of a template, and trims literals beside strip markers.
struct Reader<'f> {
    form: Form,
    /// Text of the file.
    file: &'f str,
    tokens: Vec<Token>,
    /// True if the last marker ends with `~}`.
    is_next_trimmed: bool,
}

impl Reader<'_> {
    fn elements(&mut self, elements: &Elements, is_top: bool) -> Result<(), &'static str> {
        for element in elements {
            match element {
                Element::Literal(literal) => {
                    self.literal(literal.value(), literal.span(), is_top)?;
                }
                Element::Interpolation(interpolation) => self.marker(interpolation.strip),
                Element::Directive(directive) => match &**directive {
                    Directive::If(branch) => {
                        self.marker(branch.if_expr.strip);
                        self.elements(&branch.if_expr.template, false)?;
                        if let Some(alternative) = &branch.else_expr {
                            self.marker(alternative.strip);
                            self.elements(&alternative.template, false)?;
                        }
                        self.marker(branch.endif_expr.strip);
                    }
                    Directive::For(each) => {
                        self.marker(each.for_expr.strip);
                        self.elements(&each.for_expr.template, false)?;
                        self.marker(each.endfor_expr.strip);
                    }
                },
            }
        }
        Ok(())
    }

    /// Adds the lines of a literal.
    fn literal(
        &mut self,
        literal: &str,
        span: Option<Range<usize>>,
        is_top: bool,
    ) -> Result<(), &'static str> {
        let id = literal.as_ptr();
        let text = match self.form {
            Form::Quoted if !is_top => unescaped(literal)?,
            Form::Indented => self.with_indentation(literal, span),
            Form::Quoted | Form::Lines => literal.to_owned(),
        };
        let lines: Vec<&str> = match self.form {
            Form::Quoted => vec![text.as_str()],
            Form::Lines | Form::Indented => text.split_inclusive('\n').collect(),
        };
        for line in lines {
            let is_trimmed = std::mem::take(&mut self.is_next_trimmed);
            let line = if is_trimmed { line.trim_start() } else { line };
            self.tokens.push(Token::Literal(id, line.to_owned()));
        }
        Ok(())
    }

    /// Adds a marker, and trims the literal before it.
    fn marker(&mut self, strip: Strip) {
        if let (true, Some(Token::Literal(_, text))) = (strip.strip_start(), self.tokens.last_mut())
        {
            text.truncate(text.trim_end().len());
        }
        self.tokens.push(Token::Marker);
        self.is_next_trimmed = strip.strip_end();
    }

    /// Returns a literal as the file has it, because the parser removes another indentation.
    fn with_indentation(&self, literal: &str, span: Option<Range<usize>>) -> String {
        let dense = |text: &str| text.split_whitespace().collect::<String>();
        let written = span.and_then(|span| self.file.get(span)).map(without_doubled_marks);
        written.filter(|text| dense(text) == dense(literal)).unwrap_or_else(|| literal.to_owned())
    }
}

/// Returns a literal with `$${` and `%%{` read as `${` and `%{`.
fn without_doubled_marks(text: &str) -> String {
    text.replace("$${", "${").replace("%%{", "%{")
}

/// Removes the smallest indentation of all lines from each line. Lines of white space do not count.
fn remove_indentation(tokens: &mut [Token]) {
    let blank = |text: &str| text.chars().take_while(|c| c.is_whitespace()).count();
    let mut indentation = usize::MAX;
    let mut indented_lines = Vec::new();
    let mut is_line_start = true;
    for (n, token) in tokens.iter().enumerate() {
        let text = match token {
            Token::Literal(_, text) => text.as_str(),
            Token::Marker => "",
        };
        let is_blank_line = text.trim_start().is_empty() && text.ends_with('\n');
        if is_line_start && !is_blank_line {
            indentation = indentation.min(blank(text));
            indented_lines.push(n);
        }
        is_line_start = text.ends_with('\n');
    }
    for n in indented_lines {
        if let Token::Literal(_, text) = &mut tokens[n] {
            *text = text.chars().skip(indentation).collect();
        }
    }
}

/// Reads the escapes of a quoted text.
fn unescaped(text: &str) -> Result<String, &'static str> {
    const INVALID: &str = "an escape of the template is invalid";
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        let character = match letters.next() {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(same @ ('"' | '\\')) => same,
            Some(kind @ ('u' | 'U')) => {
                let digits: String =
                    letters.by_ref().take(if kind == 'u' { 4 } else { 8 }).collect();
                let code = u32::from_str_radix(&digits, 16).map_err(|_| INVALID)?;
                char::from_u32(code).ok_or(INVALID)?
            }
            _ => return Err(INVALID),
        };
        out.push(character);
    }
    Ok(out)
}
