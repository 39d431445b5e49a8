//! Fuzz target: a request with its lists, parameters and memory, made from arbitrary bytes.

use pelton_device_nx::hw::{Completion, Cpb, Crb, Csb, Dde, Function, Status};

use super::config::Config;
use super::execute::Engine;
use super::memory::Submitted;

/// Memory of a request.
const ARENA: usize = 64 << 10;
/// Maximum length of a part. A part that begins in the first [`STARTS`] bytes of the data ends in
/// the arena.
const MAX_LEN: usize = 8 << 10;
/// Descriptors of a list.
const PARTS: usize = 4;
/// Offset of the lists of source and target, after status and parameters.
const LISTS: [usize; 2] = [2048, 2048 + PARTS * Dde::BYTES];
/// Offset of the data.
const DATA: usize = 4096;
const STARTS: u64 = (ARENA - DATA - MAX_LEN) as u64;

/// Bytes of the input before the data: the request, the parameters, and the lists.
const HEAD: usize = Crb::BYTES + Cpb::BYTES + 2 * PARTS * Dde::BYTES;

/// Memory aligned like the blocks of a request.
#[repr(C, align(2048))]
struct Arena([u8; ARENA]);

/// Runs the request in the first bytes, with the parameters and lists after it. Its addresses are
/// offsets in memory that begins with the remaining bytes. Returns the status.
///
/// # Panics
/// The status is inconsistent, or memory changed that the request does not allow to be written.
pub fn request(bytes: &[u8]) -> Status {
    let mut head = [0; HEAD];
    let (first, data) = bytes.split_at(bytes.len().min(HEAD));
    head[..first.len()].copy_from_slice(first);
    let (crb, rest) = head.split_at(Crb::BYTES);
    let (parameters, lists) = rest.split_at(Cpb::BYTES);
    let mut arena = Box::new(Arena([0; ARENA]));
    let base = arena.0.as_mut_ptr().expose_provenance() as u64;
    arena.0[Csb::BYTES..Csb::BYTES + Cpb::BYTES].copy_from_slice(parameters);
    let len = data.len().min(ARENA - DATA);
    arena.0[DATA..DATA + len].copy_from_slice(&data[..len]);
    // A part of the data, in the place of a descriptor with any address and length.
    let part = |bytes: &[u8]| {
        let mut placed = [0; Dde::BYTES];
        placed.copy_from_slice(bytes);
        let dde = Dde::from_bytes(placed);
        let at = base + DATA as u64 + dde.address() % STARTS;
        placed[4..8].copy_from_slice(&(dde.len() % (MAX_LEN as u32 + 1)).to_be_bytes());
        placed[8..].copy_from_slice(&at.to_be_bytes());
        placed
    };
    let mut written = vec![(Csb::BYTES, Cpb::BYTES)];
    let mut placed = [0; Crb::BYTES];
    placed.copy_from_slice(crb);
    let flags = placed[15] & 0xf;
    placed[8..16].copy_from_slice(&base.to_be_bytes());
    placed[15] |= flags;
    for (number, at) in [16, 32].into_iter().enumerate() {
        let count = placed[at + 2] % (PARTS as u8 + 1);
        placed[at + 2] = count;
        let list = &lists[number * PARTS * Dde::BYTES..][..PARTS * Dde::BYTES];
        let entries: Vec<[u8; Dde::BYTES]> = match count {
            0 => vec![part(&placed[at..at + Dde::BYTES])],
            _ => list.chunks_exact(Dde::BYTES).map(part).collect(),
        };
        match count {
            0 => placed[at..at + Dde::BYTES].copy_from_slice(&entries[0]),
            _ => {
                // The address keeps its lowest bits, which may not be aligned.
                let address = base + LISTS[number] as u64 + u64::from(placed[at + 15] & 1);
                placed[at + 8..at + 16].copy_from_slice(&address.to_be_bytes());
                arena.0[LISTS[number]..][..list.len()].copy_from_slice(entries.as_flattened());
            }
        }
        if number == 1 {
            let offset = |dde: Dde| ((dde.address() - base) as usize, dde.len() as usize);
            written.extend(entries.into_iter().map(Dde::from_bytes).map(offset));
        }
    }
    let before = arena.0;
    // SAFETY: all addresses are of the arena, which has no other user and is dropped later. A list
    // that is not aligned is refused before it is read.
    #[allow(unsafe_code)]
    let submitted = unsafe { Submitted::new(Crb::from_bytes(placed)) };
    let config = Config::default();
    let status = Engine::new(&config, 0).run(&submitted, None, &config).status;
    check(&status, &before, &arena.0, &written);
    status
}

fn check(status: &Status, before: &[u8], after: &[u8], written: &[(usize, usize)]) {
    assert!(status.completion().is_some(), "{status:?}");
    let changed = before.iter().zip(after).enumerate().filter(|(_, (before, after))| before != after);
    for (at, _) in changed {
        let is_in = |(start, len): &(usize, usize)| (*start..start + len).contains(&at);
        assert!(written.iter().any(is_in) && !status.is_terminated(), "byte {at} changed: {status:?}");
    }
    let capacity: usize = written[1..].iter().map(|(_, len)| len).sum();
    assert!(status.target_bytes as usize <= capacity, "{status:?}");
    let is_done = [Completion::Done, Completion::Partial, Completion::Expanded].map(|code| code as u8);
    assert!(status.is_terminated() || is_done.contains(&status.code), "{status:?}");
}

/// Returns valid requests with their memory, to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    let source: &[u8] = b"carefully final requests, carefully final deposits";
    // "ab" with the fixed table (a test of the model derives its bytes).
    let stream: &[u8] = &[0x4b, 0x4c, 0x02, 0x00];
    let part = |address: u64, len: usize| Dde::direct(address, len as u32);
    let seed = |function: Function, bytes: &[u8], count: u8| {
        let mut seed = Vec::with_capacity(HEAD + bytes.len());
        let to_dde = |dde: Dde| if count == 0 { dde } else { Dde::list(0, count, dde.len()) };
        let (from, to) = (to_dde(part(0, bytes.len())), to_dde(part(1024, 512)));
        seed.extend(Crb::new(function, false, 0, from, to).as_bytes());
        let mut cpb = Cpb::new();
        cpb.input_mut().set_checksums(pelton_device_nx::hw::Checksums::START);
        seed.extend(cpb.as_bytes());
        // The first part has all bytes but one, the second has it.
        let parts = [part(0, bytes.len() - 1), part(bytes.len() as u64 - 1, 1), part(0, 1), part(0, 1)];
        let targets = [part(1024, 1), part(1025, 511), part(4096, 1), part(4097, 1)];
        for dde in parts.iter().chain(&targets) {
            seed.extend(dde.as_bytes());
        }
        seed.extend(bytes);
        seed
    };
    let bytes = |function: Function| match function {
        Function::Decompress { .. } => stream,
        Function::Compress { .. } | Function::Wrap => source,
    };
    Function::all().flat_map(|function| [0, 2].map(|count| seed(function, bytes(function), count))).collect()
}

#[cfg(test)]
mod tests;
