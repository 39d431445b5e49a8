//! Profiles of AWS: `~/.aws/config` and `~/.aws/credentials`.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Keys of a profile.
type Profile = BTreeMap<String, String>;

/// Keys of profiles that other programs turn into credentials.
const FOREIGN: [&str; 4] = ["credential_process", "sso_session", "sso_start_url", "role_arn"];

/// Returns the keys of a profile as object_store's keys and values. A profile that `explicit` does
/// not name may be missing.
///
/// # Errors
/// The named profile is in no file, or gets its credentials from another program.
pub(super) fn read(explicit: Option<&str>) -> Result<Vec<(String, String)>, String> {
    let named = explicit.map(str::to_owned).or_else(|| std::env::var("AWS_PROFILE").ok());
    let name = named.as_deref().unwrap_or("default");
    let config = text("AWS_CONFIG_FILE", "config").map(|text| section(&text, name, true));
    let credentials =
        text("AWS_SHARED_CREDENTIALS_FILE", "credentials").map(|text| section(&text, name, false));
    let found: Vec<Profile> = [config, credentials].into_iter().flatten().flatten().collect();
    if found.is_empty() && named.is_some() {
        return Err(format!("there is no profile {name} in ~/.aws/config or ~/.aws/credentials"));
    }
    // the file of credentials comes last, and wins
    let profile: Profile = found.into_iter().flatten().collect();
    let mut pairs = Vec::new();
    for (key, as_key) in [
        ("aws_access_key_id", "aws_access_key_id"),
        ("aws_secret_access_key", "aws_secret_access_key"),
        ("aws_session_token", "aws_session_token"),
        ("region", "aws_region"),
        ("endpoint_url", "aws_endpoint"),
    ] {
        pairs.extend(profile.get(key).map(|value| (as_key.to_owned(), value.clone())));
    }
    if !profile.contains_key("aws_access_key_id")
        && let Some(key) = FOREIGN.iter().find(|key| profile.contains_key(**key))
        && named.is_some()
    {
        return Err(format!(
            "the profile {name} has {key}, which other programs turn into credentials; run: \
             eval \"$(aws configure export-credentials --profile {name} --format env)\""
        ));
    }
    Ok(pairs)
}

fn text(variable: &str, file: &str) -> Option<String> {
    let path = match std::env::var_os(variable) {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".aws").join(file),
    };
    std::fs::read_to_string(path).ok()
}

/// Returns the section of a profile. The file of settings writes `[profile name]`.
fn section(text: &str, name: &str, is_config: bool) -> Option<Profile> {
    let mut found: Option<Profile> = None;
    let mut is_in = false;
    for line in text.lines() {
        if let Some(header) = line.trim().strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            let header = header.trim();
            let title = match header.strip_prefix("profile ") {
                Some(title) if is_config => title.trim(),
                _ if is_config && header != "default" => "",
                _ => header,
            };
            is_in = title == name;
            if is_in {
                found.get_or_insert_default();
            }
            continue;
        }
        // lines that are indented belong to a key with keys of its own
        let is_comment = line.trim_start().starts_with(['#', ';']);
        if is_in
            && !is_comment
            && !line.starts_with([' ', '\t'])
            && let Some((key, value)) = line.split_once('=')
        {
            let key = key.trim().to_ascii_lowercase();
            found.get_or_insert_default().insert(key, value.trim().to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests;
