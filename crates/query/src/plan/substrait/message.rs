//! Messages of Substrait: from bytes or JSON, and to JSON.

use std::sync::LazyLock;

use prost::Message as _;
use prost::bytes::Buf;
use prost::encoding::{DecodeContext, decode_key, skip_field};
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, ReflectMessage};
use serde_json::Value;
use substrait::proto::{ExtendedExpression, FILE_DESCRIPTOR_SET, Plan};

use super::old_forms;
use crate::error::{Error, Result};

/// Depth limit of messages in messages, which is prost's.
const MAX_DEPTH: usize = 100;

/// Keys of JSON that older versions have for the origin of functions, which is not needed.
const OLD_KEYS: [&str; 8] = [
    "extensionUris",
    "extension_uris",
    "extensionUriReference",
    "extension_uri_reference",
    "expectedTypeUrls",
    "expected_type_urls",
    "extensionUriAnchor",
    "extension_uri_anchor",
];

static POOL: LazyLock<Result<DescriptorPool, String>> =
    LazyLock::new(|| DescriptorPool::decode(FILE_DESCRIPTOR_SET).map_err(|error| error.to_string()));

/// A message that can be run.
pub(super) enum Kind {
    Plan(Plan),
    Expressions(ExtendedExpression),
}

/// A decoded message, in two forms: as its type, and as fields that can be walked.
pub(super) struct Message {
    pub kind: Kind,
    pub fields: DynamicMessage,
}

impl Message {
    /// Decodes a plan or expressions, in protobuf's encoding or as JSON.
    ///
    /// # Errors
    /// The bytes are neither, or are nested too deep.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut fields = match is_json(bytes) {
            true => from_json(bytes)?,
            false => {
                let name = if has_expressions(bytes) { EXPRESSIONS } else { PLAN };
                let decoded = DynamicMessage::decode(descriptor(name)?, bytes);
                decoded.map_err(|error| undecodable(&error))?
            }
        };
        old_forms::renew(&mut fields);
        let is_plan = fields.descriptor().full_name() == PLAN;
        let encoded = fields.encode_to_vec();
        let kind = match is_plan {
            true => Kind::Plan(Plan::decode(encoded.as_slice()).map_err(|error| undecodable(&error))?),
            false => {
                let decoded = ExtendedExpression::decode(encoded.as_slice());
                Kind::Expressions(decoded.map_err(|error| undecodable(&error))?)
            }
        };
        Ok(Self { kind, fields })
    }
}

const PLAN: &str = "substrait.Plan";
const EXPRESSIONS: &str = "substrait.ExtendedExpression";

/// Returns a plan as JSON.
///
/// # Errors
/// A fault of Pelton's.
pub(super) fn to_json(plan: &Plan) -> Result<String> {
    let fault = |error: &dyn std::fmt::Display| Error::Internal(format!("a plan as JSON: {error}"));
    let mut fields = DynamicMessage::new(descriptor(PLAN)?);
    fields.transcode_from(plan).map_err(|error| fault(&error))?;
    serde_json::to_string_pretty(&fields).map_err(|error| fault(&error))
}

/// Returns whether bytes are JSON. No field of a message begins with a brace.
fn is_json(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().first() == Some(&b'{')
}

fn from_json(bytes: &[u8]) -> Result<DynamicMessage> {
    let failed = |error: serde_json::Error| match error.to_string() {
        text if text.contains("recursion limit") => too_deep(),
        text => Error::Query(format!("this is no Substrait plan in JSON: {text}")),
    };
    let mut json: Value = serde_json::from_slice(bytes).map_err(failed)?;
    let has = |key: &str| json.get(key).is_some();
    let name = if has("referredExpr") || has("referred_expr") { EXPRESSIONS } else { PLAN };
    without_old_keys(&mut json);
    DynamicMessage::deserialize(descriptor(name)?, json).map_err(failed)
}

/// Removes keys that only older versions have. The parser has limited the depth.
fn without_old_keys(json: &mut Value) {
    match json {
        Value::Object(fields) => {
            fields.retain(|key, _| !OLD_KEYS.contains(&key.as_str()));
            fields.values_mut().for_each(without_old_keys);
        }
        Value::Array(values) => values.iter_mut().for_each(without_old_keys),
        _ => {}
    }
}

/// Returns whether a message is of expressions. They have a schema where plans hardly have a field,
/// and their version has the number of another field.
fn has_expressions(mut bytes: &[u8]) -> bool {
    const SCHEMA: u32 = 4;
    const VERSION_OF_PLANS: u32 = 6;
    let mut has_schema = false;
    while bytes.has_remaining() {
        let Ok((number, wire)) = decode_key(&mut bytes) else { return false };
        match number {
            VERSION_OF_PLANS => return false,
            SCHEMA => has_schema = true,
            _ => {}
        }
        if skip_field(wire, number, &mut bytes, DecodeContext::default()).is_err() {
            return false;
        }
    }
    has_schema
}

fn descriptor(name: &str) -> Result<MessageDescriptor> {
    let pool = POOL.as_ref().map_err(|error| Error::Internal(format!("Substrait's messages: {error}")))?;
    pool.get_message_by_name(name).ok_or_else(|| Error::Internal(format!("there is no message {name}")))
}

fn undecodable(error: &prost::DecodeError) -> Error {
    match error.to_string() {
        text if text.contains("recursion limit") => too_deep(),
        text => Error::Query(format!(
            "this is no Substrait plan: {}",
            text.trim_start_matches("failed to decode Protobuf message: ")
        )),
    }
}

fn too_deep() -> Error {
    Error::Query(format!(
        "this Substrait plan is nested more than {MAX_DEPTH} messages deep, which is the limit: \
         give chains of AND and OR as one call with many arguments"
    ))
}
