//! Patterns of SIMILAR TO as regular expressions.

use std::iter::Peekable;
use std::str::Chars;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringBuilder};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use datafusion::common::cast::as_string_array;
use datafusion::common::utils::take_function_args;
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// Most repetitions that `{m,n}` may ask for, as in PostgreSQL.
const MAX_REPETITIONS: u32 = 255;

/// Returns the function from a pattern and its escape character to a regular expression that
/// matches the same whole texts.
pub(crate) fn similar_to_regex() -> ScalarUDF {
    ScalarUDF::from(SimilarToRegex { signature: Signature::any(2, Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct SimilarToRegex {
    signature: Signature,
}

impl ScalarUDFImpl for SimilarToRegex {
    fn name(&self) -> &str {
        "similar_to_regex"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [patterns, escape] = take_function_args(self.name(), args.args)?;
        let ColumnarValue::Scalar(ScalarValue::Utf8(escape)) = escape else {
            return exec_err!("the escape character of SIMILAR TO has to be a constant");
        };
        let escape = escape.and_then(|text| text.chars().next());
        match patterns {
            ColumnarValue::Scalar(pattern) => {
                let pattern = pattern.cast_to(&DataType::Utf8)?;
                let regex = match pattern.try_as_str().flatten() {
                    Some(pattern) => Some(regex(pattern, escape)?),
                    None => None,
                };
                Ok(ColumnarValue::Scalar(ScalarValue::Utf8(regex)))
            }
            ColumnarValue::Array(patterns) => {
                let patterns = cast(&patterns, &DataType::Utf8)?;
                let mut regexes = StringBuilder::new();
                for pattern in as_string_array(&patterns)? {
                    regexes.append_option(pattern.map(|pattern| regex(pattern, escape)).transpose()?);
                }
                Ok(ColumnarValue::Array(Arc::new(regexes.finish()) as ArrayRef))
            }
        }
    }
}

/// Translates one pattern. The backslash is the default escape character.
fn regex(pattern: &str, escape: Option<char>) -> Result<String> {
    let mut translation = Translation {
        rest: pattern.chars().peekable(),
        regex: String::from(r"(?s)\A(?:"),
        escape: escape.unwrap_or('\\'),
        has_default_escape: escape.is_none(),
        open: 0,
        can_repeat: false,
    };
    match translation.translate() {
        Ok(()) => Ok(translation.regex + r")\z"),
        Err(reason) => plan_err!("the pattern of SIMILAR TO '{pattern}' is wrong: {reason}"),
    }
}

struct Translation<'a> {
    rest: Peekable<Chars<'a>>,
    regex: String,
    escape: char,
    has_default_escape: bool,
    /// Parentheses that are open.
    open: usize,
    /// True if `*` has something in front to repeat.
    can_repeat: bool,
}

impl Translation<'_> {
    fn translate(&mut self) -> Result<(), &'static str> {
        while let Some(next) = self.rest.next() {
            match next {
                next if next == self.escape => self.escaped()?,
                '%' => self.push(".*", true),
                '_' => self.push(".", true),
                '|' => self.push("|", false),
                '(' => {
                    self.open += 1;
                    self.push("(?:", false);
                }
                ')' => {
                    self.open = self.open.checked_sub(1).ok_or("a parenthesis is closed that none opens")?;
                    self.push(")", true);
                }
                '*' | '+' | '?' => {
                    let repeated = String::from(next);
                    self.repeat(&repeated)?;
                }
                '{' => self.counted()?,
                '[' => self.bracket()?,
                other => self.literal(other),
            }
        }
        match self.open {
            0 => Ok(()),
            _ => Err("a parenthesis is not closed"),
        }
    }

    fn push(&mut self, regex: &str, can_repeat: bool) {
        self.regex.push_str(regex);
        self.can_repeat = can_repeat;
    }

    fn literal(&mut self, literal: char) {
        push_literal(&mut self.regex, literal);
        self.can_repeat = true;
    }

    /// Repeats the thing in front, once: `a*?` would be a lazy repetition of regular expressions.
    fn repeat(&mut self, times: &str) -> Result<(), &'static str> {
        if !self.can_repeat {
            return Err("a repetition has nothing in front of it to repeat; escape the character");
        }
        self.push(times, false);
        Ok(())
    }

    /// Translates the character behind the escape character: itself, or a class like `\d` behind a
    /// backslash that is the escape character by default.
    fn escaped(&mut self) -> Result<(), &'static str> {
        let next = self.rest.next().ok_or("it ends with its escape character")?;
        match self.class(next) {
            Some(class) => self.push(class, true),
            None => self.literal(next),
        }
        Ok(())
    }

    fn class(&self, letter: char) -> Option<&'static str> {
        let class = match letter {
            'd' => r"\d",
            'D' => r"\D",
            's' => r"\s",
            'S' => r"\S",
            'w' => r"\w",
            'W' => r"\W",
            'n' => r"\n",
            'r' => r"\r",
            't' => r"\t",
            _ => return None,
        };
        self.has_default_escape.then_some(class)
    }

    /// Translates `{m}`, `{m,}` or `{m,n}` after its first character.
    fn counted(&mut self) -> Result<(), &'static str> {
        const WRONG: &str =
            "braces hold one or two numbers from 0 to 255, the smaller first; escape the brace";
        let least = self.number().ok_or(WRONG)?;
        let times = match self.rest.next() {
            Some('}') => format!("{{{least}}}"),
            Some(',') => {
                let most = self.number();
                if self.rest.next() != Some('}') || most.is_some_and(|most| most < least) {
                    return Err(WRONG);
                }
                most.map_or_else(|| format!("{{{least},}}"), |most| format!("{{{least},{most}}}"))
            }
            _ => return Err(WRONG),
        };
        self.repeat(&times)
    }

    fn number(&mut self) -> Option<u32> {
        let mut number = None;
        while let Some(digit) = self.rest.peek().and_then(|next| next.to_digit(10)) {
            self.rest.next();
            number = Some(number.unwrap_or(0) * 10 + digit).filter(|number| *number <= MAX_REPETITIONS);
            number?;
        }
        number
    }

    /// Translates `[...]` after its first character.
    fn bracket(&mut self) -> Result<(), &'static str> {
        const OPEN: &str = "a bracket is not closed";
        let mut class = String::from("[");
        if self.rest.next_if_eq(&'^').is_some() {
            class.push('^');
        }
        let mut is_first = true;
        loop {
            let next = self.rest.next().ok_or(OPEN)?;
            if next == ']' && !is_first {
                break;
            }
            is_first = false;
            if next == '[' && self.rest.next_if_eq(&':').is_some() {
                class.push_str(&self.named_class()?);
                continue;
            }
            let start = match next == self.escape {
                false => next,
                true => {
                    let escaped = self.rest.next().ok_or(OPEN)?;
                    if let Some(letters) = self.class(escaped) {
                        class.push_str(letters);
                        continue;
                    }
                    escaped
                }
            };
            push_literal(&mut class, start);
            let mut ahead = self.rest.clone();
            if ahead.next() == Some('-') && ahead.next().is_some_and(|end| end != ']') {
                self.rest.next();
                let mut end = self.rest.next().ok_or(OPEN)?;
                if end == self.escape {
                    end = self.rest.next().ok_or(OPEN)?;
                }
                if end < start {
                    return Err("a range in brackets ends before it starts");
                }
                class.push('-');
                push_literal(&mut class, end);
            }
        }
        class.push(']');
        self.push(&class, true);
        Ok(())
    }

    /// Translates a named class such as `[:alpha:]` after its colon.
    fn named_class(&mut self) -> Result<String, &'static str> {
        const NAMES: [&str; 14] = [
            "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
            "space", "upper", "word", "xdigit",
        ];
        let mut name = String::new();
        while let Some(letter) = self.rest.next_if(char::is_ascii_lowercase) {
            name.push(letter);
        }
        let is_closed = self.rest.next() == Some(':') && self.rest.next() == Some(']');
        match is_closed && NAMES.contains(&name.as_str()) {
            true => Ok(format!("[:{name}:]")),
            false => Err(
                "brackets name a class that does not exist; the names are those of POSIX, as in [[:alpha:]]",
            ),
        }
    }
}

/// Adds a character that stands for itself.
fn push_literal(regex: &mut String, literal: char) {
    if literal.is_ascii_punctuation() {
        regex.push('\\');
    }
    regex.push(literal);
}

#[cfg(test)]
mod tests;
