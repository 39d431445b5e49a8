use super::*;
use crate::call::{Answer, Operands};
use crate::hw::{AvailableFunctions, ParameterBlock};

/// An implementation that only says what it has.
struct Has(AvailableFunctions);

impl Call for Has {
    fn available(&self) -> AvailableFunctions {
        self.0.clone()
    }

    fn call(&self, function: Function, _: &mut ParameterBlock, _: Operands<'_>) -> Answer {
        panic!("{function:?} is not called during discovery")
    }
}

fn checked(available: AvailableFunctions) -> Result<(), String> {
    check(Arc::new(Has(available))).map(drop)
}

#[test]
fn missing_functions_have_names() {
    let all = [Function::QueryAvailable, Function::GenerateTable, Function::Compress, Function::Expand];
    assert_eq!(checked(AvailableFunctions::with(&all)), Ok(()));
    let without = checked(AvailableFunctions::with(&all[..3])).unwrap_err();
    assert!(without.contains("no function XPND"), "{without}");
    let without = checked(AvailableFunctions::default()).unwrap_err();
    assert!(without.contains("format 0"), "{without}");
}

#[cfg(not(target_arch = "s390x"))]
#[test]
fn another_architecture_is_the_reason() {
    let row = report();
    assert!(!row.usable && row.name == "dfltcc" && row.detail.contains("another architecture"), "{row:?}");
    let why = open().err().expect("an error");
    assert!(why.starts_with("dfltcc: ") && why.ends_with(&row.detail), "{why}");
}
