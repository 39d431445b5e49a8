use super::*;

#[test]
fn every_operation_has_a_kind_of_its_own_with_its_names() {
    let mut operations = Vec::new();
    for format in Format::ALL {
        operations.push((Operation::Compress { format, level: format.default_level() }, format.name()));
        operations.push((Operation::Decompress { format }, format.name()));
        operations.push((Operation::TestMembership { format }, format.name()));
    }
    let level = Format::Deflate.default_level();
    operations.push((Operation::CompressPart { level }, Format::Deflate.name()));
    operations.extend(Checksum::ALL.map(|kind| (Operation::Checksum { kind }, kind.name())));
    assert_eq!(operations.len(), OperationKind::COUNT);
    let mut seen = [false; OperationKind::COUNT];
    for (operation, name) in operations {
        let kind = OperationKind::of(operation);
        assert!(!seen[kind.index()], "{operation:?} shares a kind");
        seen[kind.index()] = true;
        let expected = match operation {
            Operation::Compress { .. } => "compress",
            Operation::Decompress { .. } => "decompress",
            Operation::TestMembership { .. } => "members",
            Operation::CompressPart { .. } => "compress part",
            Operation::Checksum { .. } => "checksum",
        };
        assert_eq!(kind.names(), (expected, name));
    }
}
