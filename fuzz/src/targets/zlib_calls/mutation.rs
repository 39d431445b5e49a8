//! Damaged compressed streams.

use super::deflating::Written;
use super::script::Script;

/// Returns one of the streams, often changed; sometimes with another one or something else behind
/// it.
pub fn stream<'a>(script: &mut Script<'_>, written: &'a [Written]) -> (Vec<u8>, &'a [u8]) {
    let [first, second] = [0; 2].map(|_| &written[usize::from(script.byte()) % written.len()]);
    let mut compressed = first.compressed.clone();
    for _ in 0..script.pick(&[0, 0, 1, 1, 2, 5]) {
        let at = script.place(compressed.len());
        match script.byte() % 4 {
            0 => compressed.truncate(at),
            1 => compressed.splice(at..at, [script.byte()]).for_each(drop),
            _ => compressed.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << (script.byte() % 8)),
        }
    }
    match script.byte() % 8 {
        1 => compressed.extend_from_slice(&second.compressed),
        2 => compressed.extend_from_slice(&[0; 9]),
        // The pattern that inflateSync looks for.
        3 => compressed.extend([&[0, 0, 0xff, 0xff][..], &second.compressed].concat()),
        _ => {}
    }
    (compressed, &first.dictionary)
}
