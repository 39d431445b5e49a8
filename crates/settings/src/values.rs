//! Values of settings, checked against their definitions.

use std::collections::BTreeMap;
use std::fmt;

use crate::definition::{Definition, Kind, SettingError};
use crate::size::Size;

/// Value of a setting.
#[derive(Clone, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Count(usize),
    /// A number of bytes; `None` for no limit.
    Size(Option<usize>),
    /// On or off.
    Switch(bool),
    /// Text.
    Text(String),
    /// Text that is never shown.
    Secret(String),
}

/// Text in place of a secret.
const HIDDEN: &str = "(hidden)";

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Count(number) => number.fmt(f),
            Value::Size(None) => f.write_str("none"),
            Value::Size(Some(bytes)) => Size(*bytes).fmt(f),
            Value::Switch(is_on) => is_on.fmt(f),
            Value::Text(text) => f.write_str(text),
            Value::Secret(text) if text.is_empty() => Ok(()),
            Value::Secret(_) => f.write_str(HIDDEN),
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Definition {
    /// Reads a value.
    ///
    /// # Errors
    /// The text is no value of the setting's kind, or out of range.
    pub fn parse(&self, text: &str) -> Result<Value, SettingError> {
        let name = self.name;
        let text = text.trim();
        match self.kind {
            Kind::Count { least, most } => {
                let number = text.parse::<usize>().ok().filter(|number| (least..=most).contains(number));
                number.map(Value::Count).ok_or_else(|| {
                    SettingError(format!(
                        "{name} is a whole number from {least} to {most}, and {text} is none"
                    ))
                })
            }
            Kind::Size if text.eq_ignore_ascii_case("none") => Ok(Value::Size(None)),
            Kind::Size => {
                let size: Result<Size, String> = text.parse();
                size.map(|Size(bytes)| Value::Size(Some(bytes))).map_err(|why| {
                    SettingError(format!("{name} can't be {text}: {why}, or none for no limit"))
                })
            }
            Kind::Switch => match text.to_ascii_lowercase().as_str() {
                "true" | "on" | "yes" | "1" => Ok(Value::Switch(true)),
                "false" | "off" | "no" | "0" => Ok(Value::Switch(false)),
                _ => Err(SettingError(format!("{name} is true or false, and {text} is neither"))),
            },
            Kind::Text => Ok(Value::Text(text.to_owned())),
            Kind::Choice(words) => {
                let word = words.iter().find(|word| word.eq_ignore_ascii_case(text));
                word.map(|word| Value::Text((*word).to_owned())).ok_or_else(|| {
                    SettingError(format!("{name} is one of {}, and {text} is none", words.join(", ")))
                })
            }
            Kind::Server => match server(text) {
                Ok(()) => Ok(Value::Text(text.trim_end_matches('/').to_owned())),
                Err(why) => Err(SettingError(format!("{name}: {why}"))),
            },
            Kind::Zone => match text.to_ascii_uppercase().as_str() {
                "UTC" | "ETC/UTC" | "GMT" | "Z" | "+00:00" | "+00" => Ok(Value::Text("UTC".to_owned())),
                _ => Err(SettingError(format!(
                    "{name} is UTC, and can't be {text} yet: write t AT TIME ZONE '{text}' for local times"
                ))),
            },
            Kind::Secret => Ok(Value::Secret(text.to_owned())),
        }
    }
}

/// Checks a server's address. Empty text is none.
///
/// # Errors
/// It is none; the message does not repeat it, since it may have a password in it.
fn server(text: &str) -> Result<(), &'static str> {
    let (scheme, host) = text.split_once("://").map_or((None, text), |(scheme, host)| (Some(scheme), host));
    match scheme {
        None | Some("http" | "https") => {}
        Some(_) => return Err("a server's address begins with http:// or https://, or has no scheme"),
    }
    if host.contains('@') {
        return Err("a server's address has no name and password in it");
    }
    let is_empty = host.is_empty() && !text.is_empty();
    match is_empty || text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '?' || c == '#') {
        true => Err("a server is host:port, or a URL"),
        false => Ok(()),
    }
}

/// Values of a session's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    values: BTreeMap<&'static str, Value>,
}

impl Settings {
    /// Sets a value, which the definition has read.
    pub fn set(&mut self, definition: &'static Definition, value: Value) {
        self.values.insert(definition.name, value);
    }

    /// Takes a setting's value from other settings.
    pub fn reset(&mut self, definition: &'static Definition, to: &Settings) {
        match to.get(definition) {
            Some(value) => self.set(definition, value.clone()),
            None => _ = self.values.remove(definition.name),
        }
    }

    /// Returns a value, if one was set.
    pub fn get(&self, definition: &Definition) -> Option<&Value> {
        self.values.get(definition.name)
    }

    /// Returns a value for people: the default's words, if none was set. A secret is hidden.
    pub fn shown(&self, definition: &Definition) -> String {
        self.get(definition).map_or_else(|| definition.default.to_owned(), Value::to_string)
    }

    /// Returns whether a switch is on.
    pub fn is_on(&self, definition: &Definition) -> bool {
        match self.get(definition) {
            Some(Value::Switch(is_on)) => *is_on,
            _ => definition.default == "true",
        }
    }

    /// Returns a number, if one was set.
    pub fn count(&self, definition: &Definition) -> Option<usize> {
        match self.get(definition) {
            Some(Value::Count(number)) => Some(*number),
            _ => None,
        }
    }

    /// Returns a number of bytes, if there is a limit.
    pub fn size(&self, definition: &Definition) -> Option<usize> {
        match self.get(definition) {
            Some(Value::Size(bytes)) => *bytes,
            _ => None,
        }
    }

    /// Returns text or a secret, if it was set and is not empty.
    pub fn text(&self, definition: &Definition) -> Option<&str> {
        match self.get(definition) {
            Some(Value::Text(text) | Value::Secret(text)) if !text.is_empty() => Some(text),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
