//! Messages for errors of object stores: one line, without addresses, signatures and documents.

use object_store::Error;

/// Longest message of a server that is passed on, in characters.
const LONGEST: usize = 200;

/// Returns the reason of an error, in one line. It names neither address nor credentials: an error
/// of this workspace begins with the place.
pub fn store_message(error: &Error) -> String {
    let cause = root_cause(error);
    let status = status(&cause);
    match (error, status) {
        (Error::NotFound { .. }, _) => "no such file or bucket".to_owned(),
        (Error::PermissionDenied { .. } | Error::Unauthenticated { .. }, Some(status)) => {
            let said = document(&cause).map(|said| format!(" ({said})")).unwrap_or_default();
            format!("access is denied: {status}{said}; check the credentials, see docs/sql/places.md")
        }
        (_, Some(status)) => match document(&cause) {
            Some(said) => format!("the server answers {status}: {said}"),
            None => format!("the server answers {status}"),
        },
        _ if cause.contains("non-partial response") || cause.starts_with("Range request not supported") => {
            "the server does not send parts of files (HTTP ranges); download the file first".to_owned()
        }
        _ if cause.starts_with("Requested ") || cause.starts_with("Content-Range header") => {
            format!("the server sent another part of the file than was asked for: {}", shortened(&cause))
        }
        _ => shortened(&cause),
    }
}

/// Returns the message of the innermost error, which is the operating system's, without the store's
/// wrapping.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// Returns the status in the message of an answer, such as `403 Forbidden`.
fn status(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("non-2xx status code: ")?;
    Some(rest.split_once(": ").map_or(rest, |(status, _)| status).trim_end_matches(':').trim())
}

/// Returns code and message of a server's XML or JSON document. The rest of it may repeat the
/// request with its signature.
fn document(message: &str) -> Option<String> {
    let element = |name: &str| {
        let (_, rest) = message.split_once(&format!("<{name}>"))?;
        let (text, _) = rest.split_once(&format!("</{name}>"))?;
        Some(text)
    };
    let member = |name: &str| {
        let (_, rest) = message.split_once(&format!("\"{name}\""))?;
        let (_, rest) = rest.split_once('"')?;
        Some(rest.split_once('"')?.0)
    };
    let parts: Vec<&str> = match (element("Code"), element("Message")) {
        (None, None) => member("message").or_else(|| member("error_description")).into_iter().collect(),
        (code, said) => code.into_iter().chain(said).collect(),
    };
    let joined = parts.join(": ");
    (!joined.is_empty()).then(|| shortened(&joined))
}

fn shortened(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

#[cfg(test)]
mod tests;
