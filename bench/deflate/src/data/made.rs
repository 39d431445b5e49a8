//! Synthetic data.

use pelton_random::Random;

const WORDS: [&str; 16] = [
    "furiously",
    "regular",
    "deposits",
    "sleep",
    "carefully",
    "final",
    "accounts",
    "above",
    "the",
    "quickly",
    "express",
    "packages",
    "haggle",
    "blithely",
    "ironic",
    "requests",
];

/// Log lines as a web service writes them, cut off at `bytes`.
pub fn json(random: &mut Random, bytes: usize) -> Vec<u8> {
    let mut lines = String::new();
    let mut time = 1_700_000_000_000_u64;
    while lines.len() < bytes {
        time += random.below(200) as u64;
        let level = *random.pick(&["info", "info", "info", "warn"]);
        let (service, request) = (random.below(12), random.next());
        let (path, id) = (random.pick(&WORDS), random.below(100_000));
        let (status, micros) = (*random.pick(&[200, 200, 200, 404, 500]), random.below(1_000_000));
        let message: Vec<&str> = (0..6).map(|_| *random.pick(&WORDS)).collect();
        lines += &format!(
            "{{\"time\":{time},\"level\":\"{level}\",\"service\":\"api-{service}\",\"request\":\"{request:016x}\",\
             \"path\":\"/v1/{path}/{id}\",\"status\":{status},\"micros\":{micros},\"message\":\"{}\"}}\n",
            message.join(" "),
        );
    }
    lines.truncate(bytes);
    lines.into_bytes()
}

/// Returns a random walk of doubles with two decimals, little-endian.
pub fn floats(random: &mut Random, bytes: usize) -> Vec<u8> {
    let mut cents = 1_000_000_i64;
    (0..bytes / 8)
        .flat_map(|_| {
            cents += random.below(2001) as i64 - 1000;
            (cents as f64 / 100.0).to_le_bytes()
        })
        .collect()
}
