use clap::{Args, Command};
use pelton::settings::{Kind, SETTINGS};

use super::Options;

#[test]
fn each_setting_with_an_option_has_it_and_no_other_kind_of_value() {
    let command = Options::augment_args(Command::new("sql"));
    for definition in SETTINGS {
        let Some(name) = definition.option else { continue };
        let option = command.get_arguments().find(|option| option.get_long() == Some(name));
        let option = option.unwrap_or_else(|| panic!("no option --{name}"));
        let help = option.get_help().map(ToString::to_string).unwrap_or_default();
        assert!(help.contains(definition.description), "--{name}: {help}");
        let takes_value = option.get_action().takes_values();
        assert_eq!(takes_value, definition.kind != Kind::Switch, "--{name}");
    }
}
