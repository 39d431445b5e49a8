use super::*;

#[test]
fn bits_are_numbered_from_the_most_significant() {
    let functions = [Function::QueryAvailable, Function::GenerateTable, Function::Compress, Function::Expand];
    let mut block = AvailableFunctions::with(&functions);
    assert_eq!(block.bytes_mut()[..2], [0b1110_1000, 0]);
    assert_eq!(block.bytes_mut()[FORMATS..FORMATS + 2], [0x80, 0]);
    assert!(functions.into_iter().all(|function| block.has(function)));
    assert_eq!(block.missing(), None);
}

#[test]
fn missing_functions_have_names() {
    let without = AvailableFunctions::with(&[Function::QueryAvailable, Function::Compress]);
    assert!(!without.has(Function::Expand));
    assert_eq!(without.missing(), Some("the function GDHT"));
    assert_eq!(AvailableFunctions::default().missing(), Some("format 0 of the parameter block"));
}
