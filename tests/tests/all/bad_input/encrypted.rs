//! Encrypted files, with an encrypted footer and with a plain one.

use parquet::basic::Compression;
use pelton_tests::document::file_metadata;
use pelton_tests::thrift::{Struct, Value};

use super::{plain_document, refused, sample_file};

const MESSAGE: &str = "the file is encrypted, which Pelton does not read";

#[test]
fn an_encrypted_footer_is_refused() {
    let mut file = sample_file(Compression::SNAPPY);
    let length = file.len();
    file[..4].copy_from_slice(b"PARE");
    file[length - 4..].copy_from_slice(b"PARE");
    refused(&file, &[MESSAGE]);
}

#[test]
fn a_plain_footer_that_says_so_is_refused() {
    let mut document = plain_document(Compression::SNAPPY);
    // EncryptionAlgorithm is a union of AesGcmV1 (1) and AesGcmCtrV1 (2), whose fields are all
    // optional
    let algorithm = Struct(vec![(1, Value::Struct(Struct::default()))]);
    document.footer.set(file_metadata::ENCRYPTION_ALGORITHM, Value::Struct(algorithm));
    refused(&document.write(), &[MESSAGE]);
}
