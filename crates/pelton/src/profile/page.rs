//! Page of profiles: HTML without external files.

use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};

use super::lanes::lanes;
use super::run::Run;
use super::span::Kind;
use super::table::sums;

const HEAD: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Returns one HTML page for some queries. It needs no other files, and has the main facts without
/// its script, too.
pub fn page(title: &str, runs: &[Run]) -> String {
    let mut sections = String::new();
    for (index, run) in runs.iter().enumerate() {
        sections += &section(index, run);
    }
    let data: Vec<Value> = runs.iter().map(data).collect();
    // only the start of a tag can end a script
    let data = Value::from(data).to_string().replace('<', "\\u003c");
    let parts = [
        ("{{title}}", escape(title)),
        ("{{style}}", STYLE.to_owned()),
        ("{{title}}", escape(title)),
        ("{{sections}}", sections),
        ("{{data}}", data),
        ("{{script}}", SCRIPT.to_owned()),
    ];
    // Each placeholder is filled once, from the front, so that a query's title is never taken for
    // one.
    let (mut page, mut rest) = (String::new(), HEAD);
    for (place, text) in parts {
        let (before, after) = rest.split_once(place).unwrap_or((rest, ""));
        page += before;
        page += &text;
        rest = after;
    }
    page + rest
}

fn section(index: usize, run: &Run) -> String {
    let mut text = String::new();
    let open = if index == 0 { " open" } else { "" };
    let (title, time) = (escape(&run.title), milliseconds(run.time));
    // writing to a string can't fail
    let _ = write!(
        text,
        "<details class=\"run\" data-run=\"{index}\"{open}><summary>{title} <span>{time} ms</span>"
    );
    text += "</summary>\n";
    for note in &run.notes {
        let _ = writeln!(text, "<p class=\"note\">{}</p>", escape(note));
    }
    if run.left_out > 0 {
        let _ = writeln!(text, "<p class=\"note\">{} more pieces of work are not shown</p>", run.left_out);
    }
    let _ = writeln!(text, "<pre class=\"query\">{}</pre>", escape(run.query.trim()));
    text += &table(run);
    text += "<div class=\"chart\"><canvas></canvas><div class=\"tip\" hidden></div></div>\n";
    let _ = writeln!(text, "<h3>Plan</h3>\n<pre>{}</pre>\n</details>", escape(run.plan.trim_end()));
    text
}

fn table(run: &Run) -> String {
    let sums = sums(&run.spans);
    if sums.is_empty() {
        return "<p>Nothing was recorded: the query read no files.</p>\n".to_owned();
    }
    let titles =
        ["", "pieces", "ms, all together", "ms, at least one", "of these beside others", "MB", "GB/s"];
    let mut text = "<table><thead><tr>".to_owned();
    titles.iter().for_each(|title| text += &format!("<th>{title}</th>"));
    text += "</tr></thead><tbody>\n";
    for sum in sums {
        let share = sum.overlapped.as_secs_f64() / sum.busy.as_secs_f64().max(f64::MIN_POSITIVE);
        let bytes = if sum.bytes == 0 { "–".to_owned() } else { format!("{:.1}", sum.bytes as f64 / 1e6) };
        let rate = sum.gigabytes_per_second().map_or("–".to_owned(), |rate| format!("{rate:.2}"));
        let name = sum.kind.name();
        let cells = [
            sum.count.to_string(),
            milliseconds(sum.total),
            milliseconds(sum.busy),
            format!("{:.0}%", share * 100.0),
            bytes,
            rate,
        ];
        let _ = write!(text, "<tr><th><i class=\"{name}\"></i>{name}</th>");
        cells.iter().for_each(|cell| text += &format!("<td>{cell}</td>"));
        text += "</tr>\n";
    }
    text + "</tbody></table>\n"
}

/// Returns the data that the script draws: times in microseconds, kinds and labels by number.
fn data(run: &Run) -> Value {
    let mut labels: Vec<&str> = run.spans.iter().map(|span| span.label.as_str()).collect();
    labels.sort_unstable();
    labels.dedup();
    let micros = |time: Duration| time.as_nanos() as f64 / 1e3;
    let lanes = lanes(&run.spans).into_iter().map(|lane| {
        let spans = lane.spans.iter().map(|(row, span)| {
            let kind = Kind::ALL.iter().position(|kind| *kind == span.kind).unwrap_or_default();
            let label = labels.binary_search(&span.label.as_str()).unwrap_or_default();
            json!([row, kind, label, micros(span.start), micros(span.end), span.bytes])
        });
        json!({ "name": lane.name, "rows": lane.rows, "spans": spans.collect::<Vec<_>>() })
    });
    let lanes: Vec<Value> = lanes.collect();
    let kinds = Kind::ALL.map(Kind::name);
    json!({ "time": micros(run.time), "kinds": kinds, "labels": labels, "lanes": lanes })
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}

/// Escapes text for HTML elements and attributes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            c => escaped.push(c),
        }
    }
    escaped
}
