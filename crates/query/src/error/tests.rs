use super::*;

#[test]
fn too_many_open_files_say_what_to_do() {
    let io = || std::io::Error::from_raw_os_error(24);
    let arrow = arrow::error::ArrowError::IoError("spill".to_owned(), io());
    let of_path = std::io::Error::other("Too many open files (os error 24) at path \"/tmp/.tmpX\"");
    for error in [
        DataFusionError::IoError(io()),
        DataFusionError::IoError(of_path),
        DataFusionError::ArrowError(Box::new(arrow), None),
    ] {
        assert_eq!(
            Error::from(error).to_string(),
            "out of memory within the limit that was set: rows were written to more files than the process \
             may open (ulimit -n); raise the limit (--memory), or use fewer threads"
        );
    }
    let other = DataFusionError::IoError(std::io::Error::from_raw_os_error(28));
    assert!(matches!(Error::from(other), Error::Execution(_)));
}
