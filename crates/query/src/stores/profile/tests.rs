use super::*;

const CONFIG: &str = "[default]\nregion = eu-west-1\n# aws_access_key_id = no\n\n[profile other]\nregion=us-east-2\ns3 =\n  \
                      region = nested\nendpoint_url = http://localhost:9000\n[sso-session other]\nregion = wrong\n";

fn pairs(profile: Option<Profile>) -> Vec<(String, String)> {
    profile.into_iter().flatten().collect()
}

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn sections_are_read_by_name() {
    assert_eq!(pairs(section(CONFIG, "default", true)), owned(&[("region", "eu-west-1")]));
    let other = owned(&[("endpoint_url", "http://localhost:9000"), ("region", "us-east-2"), ("s3", "")]);
    assert_eq!(pairs(section(CONFIG, "other", true)), other);
    assert_eq!(section(CONFIG, "missing", true), None);
}

#[test]
fn the_file_of_credentials_has_bare_names() {
    let text = "[other]\naws_access_key_id = AK\naws_secret_access_key = a=b\n";
    let expected = owned(&[("aws_access_key_id", "AK"), ("aws_secret_access_key", "a=b")]);
    assert_eq!(pairs(section(text, "other", false)), expected);
}
