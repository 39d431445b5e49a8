//! Generated sets: kinds of data that the corpora lack.

use pelton_random::Random;

/// Bytes of each set.
const LEN: usize = 2 << 20;

/// Name of the set with long repeats of few symbols.
pub const LONG_REPEATS: &str = "long-repeats";

/// Returns all sets with their names.
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    let mut random = Random::new(2020);
    vec![
        (LONG_REPEATS, long_repeats(&mut random)),
        ("logs", logs(&mut random)),
        ("doubles", doubles(&mut random)),
        ("noise", (0..LEN).map(|_| random.below(256) as u8).collect()),
    ]
}

/// Returns runs of few symbols, half of them copies from far back: every short token is frequent,
/// so that its entries in the hash table are young, and only long tokens are rare enough to be
/// found where the copy came from.
fn long_repeats(random: &mut Random) -> Vec<u8> {
    const SYMBOLS: &[u8] = b"ACGT";
    let mut bytes: Vec<u8> = Vec::with_capacity(LEN + 256);
    while bytes.len() < LEN {
        let len = 24 + random.below(40);
        let reach = bytes.len().min(14_000);
        if reach > 2048 && random.chance(0.6) {
            let from = bytes.len() - 600 - random.below(reach - 600 - len);
            bytes.extend_from_within(from..from + len);
        } else {
            bytes.extend((0..len).map(|_| *random.pick(SYMBOLS)));
        }
    }
    bytes.truncate(LEN);
    bytes
}

/// Returns log lines of a web service as JSON.
fn logs(random: &mut Random) -> Vec<u8> {
    let mut text = String::with_capacity(LEN + 256);
    let mut time = 1_700_000_000_000_u64;
    while text.len() < LEN {
        time += random.below(200) as u64;
        let level = *random.pick(&["info", "info", "info", "warn"]);
        let path = *random.pick(&["orders", "deposits", "accounts", "packages", "requests"]);
        let (service, request, id) = (random.below(12), random.next(), random.below(100_000));
        let status = *random.pick(&[200, 200, 200, 404, 500]);
        text += &format!(
            "{{\"time\":{time},\"level\":\"{level}\",\"service\":\"api-{service}\",\
             \"request\":\"{request:016x}\",\"path\":\"/v1/{path}/{id}\",\"status\":{status}}}\n"
        );
    }
    text.truncate(LEN);
    text.into_bytes()
}

/// Returns doubles with two decimals that walk at random.
fn doubles(random: &mut Random) -> Vec<u8> {
    let mut cents = 1_000_000_i64;
    let mut next = || {
        cents += random.below(2001) as i64 - 1000;
        (cents as f64 / 100.0).to_le_bytes()
    };
    (0..LEN / 8).flat_map(|_| next()).collect()
}
