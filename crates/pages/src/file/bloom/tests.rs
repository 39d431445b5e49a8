use super::*;

/// Returns a filter of ten integers, with its header.
fn filter() -> Vec<u8> {
    let mut filter = Sbbf::new_with_num_of_bytes(64);
    (0..10i64).for_each(|value| filter.insert(&value));
    let mut bytes = Vec::new();
    filter.write(&mut bytes).expect("a vector takes all bytes");
    bytes
}

fn read(bytes: &[u8]) -> Option<BloomFilter> {
    BloomFilter::new(bytes, parquet::basic::Type::INT64)
}

#[test]
fn a_sound_filter_holds_its_values() {
    let filter = read(&filter()).expect("a sound filter");
    assert!((0..10).all(|value| filter.may_contain(BloomValue::I64(value))));
    assert!((10..1000).any(|value| !filter.may_contain(BloomValue::I64(value))));
}

#[test]
fn damaged_filters_are_left_out() {
    let sound = filter();
    let header = sound.len() - 64;
    assert!(read(&[]).is_none());
    for end in 0..sound.len() {
        assert!(read(&sound[..end]).is_none(), "cut at {end}");
    }
    assert!(read(&[&sound[..], &[0]].concat()).is_none(), "a byte behind it");
    // a header without bits, and bits that end within a block
    assert!(read(&[&[0x15, 0], &sound[2..header]].concat()).is_none());
    assert!(read(&[&[0x15, 80], &sound[header - 10..header], &[0xff; 40]].concat()).is_none());
    // a word without a bit among words with bits
    let mut damaged = sound.clone();
    damaged[header..header + WORD].fill(0);
    assert!(read(&damaged).is_none());
}

/// A changed byte in the header causes no panic, and no filter with other bits.
#[test]
fn no_header_breaks_the_reader() {
    let sound = filter();
    for at in 0..sound.len() - 64 {
        for byte in 0..=u8::MAX {
            let mut damaged = sound.clone();
            damaged[at] = byte;
            if let Some(filter) = read(&damaged) {
                assert!((0..10).all(|value| filter.may_contain(BloomValue::I64(value))), "{at}: {byte}");
            }
        }
    }
}
