//! The kinds of work that are counted: an operation and a format, or a checksum.

use pelton_codec::{Checksum, Format};

use crate::job::Operation;

const FORMATS: usize = Format::ALL.len();

/// Parts of streams, which only DEFLATE has, come after three classes for each format.
const PART: usize = 3 * FORMATS;

/// How many classes there are: three for each format, one for parts, one for each checksum.
pub(crate) const CLASSES: usize = PART + 1 + Checksum::ALL.len();

/// An operation's place in a table of [`CLASSES`] rows. Levels share a class.
pub(crate) fn class(operation: Operation) -> usize {
    match operation {
        Operation::Compress { format, .. } => format as usize,
        Operation::Decompress { format } => FORMATS + format as usize,
        Operation::TestMembership { format } => 2 * FORMATS + format as usize,
        Operation::CompressPart { .. } => PART,
        Operation::Checksum { kind } => PART + 1 + kind as usize,
    }
}

/// The class's operation and its format or checksum, as counters print them.
pub(crate) fn names(class: usize) -> (&'static str, &'static str) {
    if class < FORMATS {
        ("compress", Format::ALL[class].name())
    } else if class < 2 * FORMATS {
        ("decompress", Format::ALL[class - FORMATS].name())
    } else if class < PART {
        ("members", Format::ALL[class - 2 * FORMATS].name())
    } else if class == PART {
        ("compress part", Format::Deflate.name())
    } else {
        ("checksum", Checksum::ALL[class - PART - 1].name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_a_class_of_its_own_with_its_names() {
        let mut operations = Vec::new();
        for format in Format::ALL {
            operations.push((Operation::Compress { format, level: format.default_level() }, format.name()));
            operations.push((Operation::Decompress { format }, format.name()));
            operations.push((Operation::TestMembership { format }, format.name()));
        }
        let level = Format::Deflate.default_level();
        operations.push((Operation::CompressPart { level }, Format::Deflate.name()));
        operations.extend(Checksum::ALL.map(|kind| (Operation::Checksum { kind }, kind.name())));
        assert_eq!(operations.len(), CLASSES);
        let mut seen = [false; CLASSES];
        for (operation, name) in operations {
            let class = class(operation);
            assert!(!seen[class], "{operation:?} shares a class");
            seen[class] = true;
            let expected = match operation {
                Operation::Compress { .. } => "compress",
                Operation::Decompress { .. } => "decompress",
                Operation::TestMembership { .. } => "members",
                Operation::CompressPart { .. } => "compress part",
                Operation::Checksum { .. } => "checksum",
            };
            assert_eq!(names(class), (expected, name));
        }
    }
}
