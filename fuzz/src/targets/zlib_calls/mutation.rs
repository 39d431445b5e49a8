//! Compressed streams with something wrong in them.

use super::deflating::Written;
use super::script::Script;

/// One of the streams, often changed; sometimes with another one or something else behind it.
pub fn stream<'a>(script: &mut Script<'_>, written: &'a [Written]) -> (Vec<u8>, &'a [u8]) {
    let [first, second] = [0; 2].map(|_| &written[usize::from(script.byte()) % written.len()]);
    let mut packed = first.packed.clone();
    for _ in 0..script.pick(&[0, 0, 1, 1, 2, 5]) {
        let at = script.place(packed.len());
        match script.byte() % 4 {
            0 => packed.truncate(at),
            1 => packed.splice(at..at, [script.byte()]).for_each(drop),
            _ => packed.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << (script.byte() % 8)),
        }
    }
    match script.byte() % 8 {
        1 => packed.extend_from_slice(&second.packed),
        2 => packed.extend_from_slice(&[0; 9]),
        // The pattern that inflateSync looks for.
        3 => packed.extend([&[0, 0, 0xff, 0xff][..], &second.packed].concat()),
        _ => {}
    }
    (packed, &first.dictionary)
}
