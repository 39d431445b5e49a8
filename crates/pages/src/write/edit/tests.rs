use super::*;

/// Returns a struct with fields of several types, and with gaps between their ids.
fn sample() -> Vec<u8> {
    let mut writer = Writer::default();
    writer.field(1, &Field::I32(-5));
    writer.field(3, &Field::Bool(true));
    writer.raw(20, kind::BINARY, b"\x03abc");
    writer.field(21, &list(&[texts(["a", "b"]), texts(["c", "d"])]));
    writer.raw(300, kind::DOUBLE, b"12345678");
    writer.finish()
}

fn edited(bytes: &[u8], missing: &[(i16, Field)], change: impl Fn(i16) -> Field) -> Vec<u8> {
    edit(&mut Reader::new(bytes), missing, |_, id, _| Ok(change(id))).expect("it is well-formed")
}

/// Returns ids and types in the order of the bytes.
fn fields(bytes: &[u8]) -> Vec<(i16, u8)> {
    let mut reader = Reader::new(bytes);
    let (mut last, mut found) = (0, Vec::new());
    while let Some((id, kind)) = reader.field(&mut last).expect("it is well-formed") {
        found.push((id, kind));
        reader.skip(kind).expect("it is well-formed");
    }
    assert_eq!(reader.position(), bytes.len(), "nothing follows");
    found
}

#[test]
fn what_is_kept_is_kept_to_the_byte() {
    assert_eq!(edited(&sample(), &[], |_| Field::Keep), sample());
    // the bytes are those of the specification: a header of delta and type, then the value
    let mut writer = Writer::default();
    writer.field(1, &Field::I32(-5));
    writer.field(16, &Field::Bool(false));
    writer.field(32, &Field::I64(64));
    assert_eq!(writer.finish(), [0x15, 9, 0xf2, 6, 64, 0x80, 1, 0]);
}

#[test]
fn fields_change_go_and_come() {
    let missing = [(2, Field::I64(7)), (3, Field::Bool(false)), (400, Field::I32(1))];
    let new = edited(&sample(), &missing, |id| match id {
        1 => Field::I32(i32::MAX),
        20 => Field::Drop,
        _ => Field::Keep,
    });
    let expected = [
        (1, kind::I32),
        (2, kind::I64),
        (3, kind::TRUE),
        (21, kind::LIST),
        (300, kind::DOUBLE),
        (400, kind::I32),
    ];
    assert_eq!(fields(&new), expected);
    let mut found = 0;
    edit(&mut Reader::new(&new), &[], |reader, id, kind| {
        if id == 1 {
            found = reader.i32(kind)?;
        }
        Ok(Field::Keep)
    })
    .expect("it is well-formed");
    assert_eq!(found, i32::MAX);
}

#[test]
fn lists_of_any_length_are_copied() {
    for length in [0, 1, 14, 15, 200] {
        let structs: Vec<_> = (0..length).map(|index| texts(["key", &index.to_string()])).collect();
        let mut writer = Writer::default();
        writer.field(4, &list(&structs));
        let bytes = writer.finish();
        let mut seen = 0;
        let copy = edit(&mut Reader::new(&bytes), &[], |reader, _, kind| {
            edit_list(reader, kind, |reader, index| {
                assert_eq!(index, seen);
                seen += 1;
                edit(reader, &[], |_, _, _| Ok(Field::Keep))
            })
        });
        assert_eq!((copy, seen), (Ok(bytes), length));
    }
}

#[test]
fn bad_bytes_are_an_error() {
    let whole = sample();
    for end in 0..whole.len() {
        let result = edit(&mut Reader::new(&whole[..end]), &[], |_, _, _| Ok(Field::Keep));
        assert_eq!(result, Err(ThriftError::Truncated), "{end} bytes");
    }
    let one = |reader: &mut Reader<'_>, _| edit(reader, &[], |_, _, _| Ok(Field::Keep));
    assert_eq!(edit_list(&mut Reader::new(&[0]), kind::MAP, one), Err(ThriftError::BadType(kind::MAP)));
    assert_eq!(
        edit_list(&mut Reader::new(&[0x15, 2]), kind::LIST, one),
        Err(ThriftError::BadType(kind::I32))
    );
}
