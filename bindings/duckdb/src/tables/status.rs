//! `pelton_devices()`, `pelton_stats()` and `pelton_interface()`: devices, their work, and the
//! interface of DuckDB in use.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Cell, StatusTable};
use crate::interface::{Interface, last};
use crate::resources::{all_resources, resources};
use crate::settings::Settings;
use crate::sys::{Bind, Type, has_names};

pub(super) struct Devices;

impl StatusTable for Devices {
    const NAME: &'static str = "pelton_devices";
    const COLUMNS: &'static [(&'static str, Type)] = &[
        ("name", Type::Varchar),
        ("available", Type::Boolean),
        ("detail", Type::Varchar),
        ("enable", Type::Varchar),
    ];

    fn rows(bind: &dyn Bind) -> Result<Vec<Vec<Cell>>, String> {
        let resources = resources(&Settings::of(bind, None)?)?;
        let all = resources.reports.iter().cloned().chain(pelton_registry::accelerators(&resources.reports));
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

pub(super) struct Stats;

/// Sums over the resources of all settings.
#[derive(Default)]
struct Sum {
    tried: u64,
    done: u64,
    side_by_side: u64,
    failed: u64,
    cancelled: u64,
    refused: BTreeMap<&'static str, u64>,
    fell_back: BTreeMap<&'static str, u64>,
    bytes_in: u64,
    bytes_out: u64,
    time: Duration,
}

impl StatusTable for Stats {
    const NAME: &'static str = "pelton_stats";
    const COLUMNS: &'static [(&'static str, Type)] = &[
        ("device", Type::Varchar),
        ("operation", Type::Varchar),
        ("format", Type::Varchar),
        ("tried", Type::UBigInt),
        ("done", Type::UBigInt),
        ("side_by_side", Type::UBigInt),
        ("failed", Type::UBigInt),
        ("cancelled", Type::UBigInt),
        ("refused", Type::UBigInt),
        ("fell_back", Type::UBigInt),
        ("reasons", Type::Varchar),
        ("bytes_in", Type::UBigInt),
        ("bytes_out", Type::UBigInt),
        ("seconds", Type::Double),
    ];

    fn rows(_: &dyn Bind) -> Result<Vec<Vec<Cell>>, String> {
        let mut sums: BTreeMap<(String, &str, &str), Sum> = BTreeMap::new();
        for device in all_resources().iter().flat_map(|resources| resources.router.counters().devices) {
            for row in &device.rows {
                let sum = sums.entry((device.device.to_string(), row.operation, row.format)).or_default();
                sum.tried += row.tried;
                sum.done += row.done;
                sum.side_by_side += row.interleaved;
                sum.failed += row.failed;
                sum.cancelled += row.cancelled;
                sum.bytes_in += row.bytes_in;
                sum.bytes_out += row.bytes_out;
                sum.time += row.time;
                row.refused
                    .iter()
                    .for_each(|(reason, count)| *sum.refused.entry(reason).or_default() += count);
                row.fell_back
                    .iter()
                    .for_each(|(reason, count)| *sum.fell_back.entry(reason).or_default() += count);
            }
        }
        let row = |((device, operation, format), sum): ((String, &str, &str), Sum)| {
            let reasons = sum.refused.iter().map(|(reason, count)| format!("refused {count}: {reason}"));
            let fell_back =
                sum.fell_back.iter().map(|(reason, count)| format!("fell back {count}: {reason}"));
            let reasons: Vec<String> = reasons.chain(fell_back).collect();
            vec![
                Cell::Text(device),
                Cell::Text(operation.to_owned()),
                Cell::Text(format.to_owned()),
                Cell::Count(sum.tried),
                Cell::Count(sum.done),
                Cell::Count(sum.side_by_side),
                Cell::Count(sum.failed),
                Cell::Count(sum.cancelled),
                Cell::Count(sum.refused.values().sum()),
                Cell::Count(sum.fell_back.values().sum()),
                if reasons.is_empty() { Cell::Null } else { Cell::Text(reasons.join("; ")) },
                Cell::Count(sum.bytes_in),
                Cell::Count(sum.bytes_out),
                Cell::Number(sum.time.as_secs_f64()),
            ]
        };
        Ok(sums.into_iter().map(row).collect())
    }
}

/// The interface that the extension was last loaded by and the reason for not using a better one;
/// whether dictionaries have names, which only the native layer gives.
pub(super) struct InterfaceTable;

impl StatusTable for InterfaceTable {
    const NAME: &'static str = "pelton_interface";
    const COLUMNS: &'static [(&'static str, Type)] =
        &[("interface", Type::Varchar), ("reason", Type::Varchar), ("dictionaries", Type::Varchar)];

    fn rows(_: &dyn Bind) -> Result<Vec<Vec<Cell>>, String> {
        let Interface { name, reason } = last();
        let reason = reason.map_or(Cell::Null, Cell::Text);
        let dictionaries = if has_names() { "named" } else { "unnamed" };
        Ok(vec![vec![Cell::Text(name.to_owned()), reason, Cell::Text(dictionaries.to_owned())]])
    }
}
