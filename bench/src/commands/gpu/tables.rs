//! Tables of the measurements, for a terminal and for a record.

use pelton_device_cuda::Properties;

use super::copies::Copies;
use super::formats::FormatFigures;
use super::queries::{Phase, Place};
use super::{Figures, ScaleFactor};
use pelton_report::numbers::{megabytes, ms};
use pelton_report::table::markdown as table;

/// Returns the title, which identifies a host build as such.
pub fn title(properties: &Properties) -> String {
    let Properties { name, architecture: (major, minor), multiprocessors, memory, queues, is_host } =
        properties;
    match is_host {
        true => format!("{name}: figures of the host build and of no GPU; a check that everything runs"),
        false => format!(
            "{name}, compute capability {major}.{minor}, {multiprocessors} multiprocessors, {:.1} GB, {queues} queues",
            *memory as f64 / 1e9
        ),
    }
}

/// Returns rates of copies.
pub fn copies(copies: &Copies) -> String {
    let Copies { bytes, pinned, pageable, memory } = copies;
    let rows = [
        ("host to device, pinned", pinned),
        ("host to device, pageable", pageable),
        ("device memory, read and written", memory),
    ];
    let rows = rows.map(|(name, rate)| vec![name.to_owned(), format!("{rate:.2}"), String::new()]);
    let titles = ["copy".to_owned(), "GB/s".to_owned(), format!("{} MB each", megabytes(*bytes as u64))];
    table(&titles, &rows)
}

/// Decompression.
pub fn formats(formats: &[FormatFigures]) -> String {
    let titles = [
        "format",
        "data",
        "ratio",
        "our kernels GB/s",
        "1 MiB alone ms",
        "with nvCOMP allowed GB/s",
        "nvCOMP",
    ];
    let rows: Vec<Vec<String>> = formats
        .iter()
        .map(|figures| {
            vec![
                figures.format.to_owned(),
                figures.data.to_owned(),
                format!("{:.2}", figures.ratio),
                format!("{:.3}", figures.ours),
                format!("{:.3}", figures.alone_ms),
                figures.with_nvcomp.map_or("-".to_owned(), |rate| format!("{rate:.3}")),
                figures.nvcomp_version.map_or("not installed".to_owned(), |version| version.to_string()),
            ]
        })
        .collect();
    table(&titles.map(String::from), &rows)
}

/// Queries, compilation and arithmetic at a scale factor.
pub fn scale_factor(measured: &ScaleFactor) -> String {
    let ScaleFactor { scale_factor, first_runs, phases, bounds } = measured;
    let mut text = format!("TPC-H scale factor {scale_factor}, milliseconds\n\n{}", queries(phases));
    for phase in phases {
        if let Some(fault) = &phase.fault {
            text += &format!("\nNot run from {}: {fault}\n", phase.place.name());
        }
    }
    let titles = ["query", "first run, nothing compiled", "first run of the next process", "difference", ""]
        .map(String::from);
    let rows: Vec<Vec<String>> = first_runs
        .iter()
        .map(|run| {
            let cells = [run.empty_ms, run.filled_ms, run.compile_ms()].map(ms);
            let name = format!("Q{}", run.query);
            [vec![name], cells.to_vec(), vec![String::new()]].concat()
        })
        .collect();
    text += &format!("\nFirst runs: the difference is what compiling takes\n\n{}", table(&titles, &rows));
    let titles = [
        "query",
        "MB read",
        "pruned",
        "copy ms",
        "measured, of that",
        "MB decompressed",
        "memory ms",
        "measured, of that",
        "",
    ]
    .map(String::from);
    let or_dash = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    let rows: Vec<Vec<String>> = bounds
        .iter()
        .map(|bound| {
            vec![
                format!("Q{}", bound.query),
                megabytes(bound.bytes_read),
                format!("{:.0}%", bound.pruned * 100.0),
                format!("{:.3}", bound.copy_ms),
                or_dash(bound.of_copy),
                megabytes(bound.plain_bytes),
                format!("{:.3}", bound.memory_ms),
                or_dash(bound.of_memory),
                String::new(),
            ]
        })
        .collect();
    text + &format!("\nBytes over bandwidth\n\n{}\n", table(&titles, &rows))
}

/// Returns a row a query and one for the totals, a column a place.
fn queries(phases: &[Phase]) -> String {
    let mut titles = vec!["query".to_owned()];
    for phase in phases {
        titles.push(format!("from {}", phase.place.name()));
        titles.extend(["DuckDB", "of DuckDB"].map(String::from));
    }
    titles.push("on the GPU; faults".to_owned());
    let longest = phases.iter().max_by_key(|phase| phase.queries.len());
    let numbers = longest.map(|phase| phase.queries.len()).unwrap_or_default();
    let mut rows = Vec::new();
    for index in 0..numbers {
        let figures = |phase: &Phase| phase.queries.get(index).cloned();
        let Some(first) = phases.iter().find_map(figures) else { continue };
        let mut row = vec![format!("Q{}", first.query)];
        let mut notes = vec![first.on_gpu.map_or("nothing".to_owned(), |part| part.to_string())];
        for phase in phases {
            let figures = figures(phase);
            let (ours, rival) = figures.as_ref().map_or((None, None), |one| (one.ms, one.rival_ms));
            row.extend(cells(ours, rival));
            notes.extend(
                figures.and_then(|one| one.fault).map(|fault| format!("{}: {fault}", phase.place.name())),
            );
        }
        row.push(notes.join("; "));
        rows.push(row);
    }
    let mut totals = vec!["total".to_owned()];
    for phase in phases {
        let sum = |times: Vec<Option<f64>>| times.into_iter().sum::<Option<f64>>().filter(|sum| *sum > 0.0);
        let ours = sum(phase.queries.iter().map(|one| one.ms).collect());
        let rival = sum(phase.queries.iter().map(|one| one.rival_ms).collect());
        totals.extend(cells(ours, rival));
    }
    totals.push(String::new());
    rows.push(totals);
    table(&titles, &rows)
}

fn cells(ours: Option<f64>, rival: Option<f64>) -> [String; 3] {
    let text = |value: Option<f64>| value.map_or("-".to_owned(), ms);
    let ratio = ours.zip(rival).map_or("-".to_owned(), |(ours, rival)| format!("{:.3}", ours / rival));
    [text(ours), text(rival), ratio]
}

/// Everything, for the record.
pub fn markdown(title: &str, figures: &Figures) -> String {
    let mut text = format!("## {title}\n\n");
    if figures.is_host_build {
        text += "**None of these figures is a GPU's.** The kernels ran on the processor, as tests have them run.\n\n";
    }
    text += &format!("{}\n{}\n", copies(&figures.copies), formats(&figures.formats));
    for measured in &figures.scale_factors {
        text += &format!("### Scale factor {}\n\n{}", measured.scale_factor, scale_factor(measured));
    }
    let places: Vec<&str> = Place::ALL.iter().map(|place| place.name()).collect();
    text += &format!(
        "Data was in {}: one configuration for all queries. Medians, engines in turn; DuckDB ran on the CPU with all threads.\n",
        places.join(", then in ")
    );
    text
}
