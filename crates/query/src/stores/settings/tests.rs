use super::*;

#[test]
fn every_setting_of_a_store_is_one_of_a_session_but_the_token() {
    for setting in &SETTINGS {
        let name = setting.definition.name;
        let found = pelton_settings::find(name).is_ok();
        assert_eq!(found, setting.key != Key::Bearer, "{name}");
    }
    let prefixes = ["s3_", "gcs_", "azure_", "http_"];
    let of_stores = pelton_settings::SETTINGS.iter();
    for definition in of_stores.filter(|one| prefixes.iter().any(|prefix| one.name.starts_with(prefix))) {
        assert!(is_setting(definition), "{}", definition.name);
    }
}

#[test]
fn defaults_are_numbers() {
    let none = Values::new();
    assert_eq!((timeout(&none), retries(&none)), (Duration::from_secs(30), 4));
    let set = Values::from([("http_timeout", "7".to_owned()), ("http_retries", "0".to_owned())]);
    assert_eq!((timeout(&set), retries(&set)), (Duration::from_secs(7), 0));
}
