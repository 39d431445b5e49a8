//! Footers of any bytes, and the page index in front of them, behind the pages of a sound file.

use std::sync::OnceLock;

use pelton_tests::document::{Document, column, footer};

use super::pages;

/// Returns a sound file, and where its pages end.
fn files() -> &'static [(Vec<u8>, usize)] {
    static FILES: OnceLock<Vec<(Vec<u8>, usize)>> = OnceLock::new();
    let with_end = |file: Vec<u8>| {
        let end = pages_end(&file);
        (file, end)
    };
    FILES.get_or_init(|| pages::seeds().into_iter().map(with_end).collect())
}

fn pages_end(file: &[u8]) -> usize {
    let (_, start) = footer(file);
    let mut document = Document::parse(file);
    let ends = document.row_groups.iter_mut().flatten().map(|chunk| {
        let meta = chunk.meta();
        let dictionary = meta.get(column::DICTIONARY_PAGE_OFFSET).map(|offset| offset.int());
        let first = dictionary.unwrap_or_else(|| meta.int(column::DATA_PAGE_OFFSET));
        (first + meta.int(column::COMPRESSED_SIZE)) as usize
    });
    ends.max().unwrap_or(start)
}

/// Inputs: the number of a file, then the bytes after its pages, without the trailer.
pub fn seeds() -> Vec<Vec<u8>> {
    let seed = |(number, (file, end)): (usize, &(Vec<u8>, usize))| {
        [&[number as u8][..], &file[*end..file.len() - TRAILER]].concat()
    };
    files().iter().enumerate().map(seed).collect()
}

/// The footer's length in four bytes, and "PAR1".
const TRAILER: usize = 8;

/// Reads the file with these bytes, as the target `pages` does. The footer begins at the same
/// offset as in the sound file, so that its offsets stay true.
pub fn run(input: &[u8]) {
    let Some((number, rest)) = input.split_first() else { return };
    let (sound, end) = &files()[usize::from(*number) % files().len()];
    let index = footer(sound).1 - end;
    let length = rest.len().saturating_sub(index) as u32;
    pages::run(&[&sound[..*end], rest, &length.to_le_bytes(), b"PAR1"].concat());
}
