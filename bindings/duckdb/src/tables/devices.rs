//! `pelton_devices()`: what this machine has.

use super::{Cell, Listing};
use crate::machine::machine;
use crate::settings::Settings;
use crate::sys::{Bind, Type};

pub(super) struct Devices;

impl Listing for Devices {
    const NAME: &'static str = "pelton_devices";
    const COLUMNS: &'static [(&'static str, Type)] = &[
        ("name", Type::Varchar),
        ("available", Type::Boolean),
        ("detail", Type::Varchar),
        ("enable", Type::Varchar),
    ];

    fn rows(bind: &dyn Bind) -> Result<Vec<Vec<Cell>>, String> {
        let machine = machine(&Settings::of(bind, None)?)?;
        let all = machine.reports.iter().cloned().chain(pelton_registry::accelerators(&machine.reports));
        let row = |report: pelton_registry::DeviceReport| {
            let enable = match report.enable.is_empty() {
                true => Cell::Null,
                false => Cell::Text(report.enable.join("\n")),
            };
            vec![Cell::Text(report.name), Cell::Flag(report.available), Cell::Text(report.detail), enable]
        };
        Ok(all.map(row).collect())
    }
}
