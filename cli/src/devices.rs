//! `pelton devices`: list of this machine's devices.

use pelton::{DeviceReport, Engine};
use serde_json::json;

use crate::failure::Failure;
use crate::output::write_whole;
use pelton_report::table::{Align, TextTable};

/// Options of `pelton devices`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pelton devices
  pelton devices --json")]
pub struct Options {
    /// Print an array of objects with name, available, detail, and in enable the commands that
    /// would enable it
    #[arg(long)]
    json: bool,
}

/// Prints the list.
pub fn run(options: &Options) -> Result<(), Failure> {
    let engine = Engine::builder().build()?;
    let devices = engine.devices();
    let text = if options.json { json(&devices) } else { table(&devices) };
    write_whole(None, &text)
}

fn json(devices: &[DeviceReport]) -> String {
    let objects = devices.iter().map(|device| {
        json!({
            "name": device.name,
            "available": device.available,
            "detail": device.detail,
            "enable": device.enable,
        })
    });
    format!("{:#}\n", serde_json::Value::from_iter(objects))
}

/// Returns the list, and below it the uncut commands for each device that has some, to be copied.
fn table(devices: &[DeviceReport]) -> String {
    let titles = ["device", "available", "detail"];
    let mut table = TextTable::new(titles.map(|title| (title.to_owned(), Align::Left)));
    for device in devices {
        let available = if device.available { "yes" } else { "no" };
        table.row([device.name.as_str(), available, &device.detail]);
    }
    // The table is not cut, since the reason that a user looks for may be at its end.
    let mut text = table.draw(None).text;
    for device in devices.iter().filter(|device| !device.enable.is_empty()) {
        let purpose = if device.available { "To make faster" } else { "To enable" };
        text += &format!("\n{purpose} {}:\n", device.name);
        for command in &device.enable {
            text += &format!("  {command}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests;
