use super::*;

#[test]
fn streams_are_opened_by_the_method_that_is_bound_last() {
    let positions = [
        (SET_DICTIONARY, "setDictionary"),
        (SET_DICTIONARY_BUFFER, "setDictionaryBuffer"),
        (BYTES_BYTES, "flateBytesBytes"),
        (BYTES_BUFFER, "flateBytesBuffer"),
        (BUFFER_BYTES, "flateBufferBytes"),
        (BUFFER_BUFFER, "flateBufferBuffer"),
        (GET_ADLER, "getAdler"),
        (RESET, "reset"),
        (END, "end"),
        (INIT, "init"),
    ];
    assert_eq!(INIT, DEFLATER.len() - 1);
    for table in [&DEFLATER, &INFLATER] {
        for (position, name) in positions {
            assert!(table[position].0.to_bytes().ends_with(name.as_bytes()), "{name}");
            assert!(table[position].2.to_bytes().ends_with(table[position].0.to_bytes()), "{name}");
        }
    }
}
