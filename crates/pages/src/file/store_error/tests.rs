use std::fmt;

use super::*;

#[derive(Debug)]
struct Answer(&'static str);

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Answer {}

const DENIED: &str = "Server returned non-2xx status code: 403 Forbidden: <?xml version=\"1.0\"?>\n\
    <Error><Code>SignatureDoesNotMatch</Code><Message>The signature\n does not match.</Message>\
    <SignatureProvided>deadbeef</SignatureProvided><StringToSign>AWS4 secret</StringToSign></Error>";

#[test]
fn documents_are_reduced_to_code_and_message() {
    let denied = Error::PermissionDenied { path: "a".to_owned(), source: Box::new(Answer(DENIED)) };
    let message = store_message(&denied);
    let expected = "access is denied: 403 Forbidden (SignatureDoesNotMatch: The signature does not match.); \
                    check the credentials, see docs/sql/places.md";
    assert_eq!(message, expected);
    let generic = |text| Error::Generic { store: "S3", source: Box::new(Answer(text)) };
    let json =
        "Server returned non-2xx status code: 400 Bad Request: {\"error\": {\"message\": \"no project\"}}";
    assert_eq!(store_message(&generic(json)), "the server answers 400 Bad Request: no project");
    let page = "Server returned non-2xx status code: 502 Bad Gateway: <html>signature=abc</html>";
    assert_eq!(store_message(&generic(page)), "the server answers 502 Bad Gateway");
}

#[test]
fn long_messages_are_cut() {
    let text: &'static str = "ä ".repeat(LONGEST).leak();
    let message = store_message(&Error::Generic { store: "S3", source: Box::new(Answer(text)) });
    assert_eq!(message.chars().count(), LONGEST + 1);
    assert!(message.ends_with('…'), "{message}");
}
