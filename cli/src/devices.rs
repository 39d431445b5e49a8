//! `pelton devices`: what this machine has.

use pelton::Engine;
use serde_json::json;

use crate::failure::Failure;
use crate::output::write_whole;
use crate::text_table::{Align, TextTable};

/// Options of `pelton devices`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pelton devices
  pelton devices --json")]
pub struct Options {
    /// Print an array of objects with name, available and detail
    #[arg(long)]
    json: bool,
}

/// Prints the list.
pub fn run(options: &Options) -> Result<(), Failure> {
    let engine = Engine::builder().build()?;
    let text = if options.json {
        let devices = engine.devices().iter().map(
            |device| json!({ "name": device.name, "available": device.available, "detail": device.detail }),
        );
        format!("{:#}\n", serde_json::Value::from_iter(devices))
    } else {
        let titles = ["device", "available", "detail"];
        let mut table = TextTable::new(titles.map(|title| (title.to_owned(), Align::Left)));
        for device in engine.devices() {
            let available = if device.available { "yes" } else { "no" };
            table.row([device.name.as_str(), available, &device.detail]);
        }
        // What is cut off may be the reason that somebody looks for.
        table.draw(None).text
    };
    write_whole(None, &text)
}
