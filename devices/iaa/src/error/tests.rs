use super::*;

const FORMAT: Format = Format::Gzip;

/// Every status and error byte has an error with an advice.
#[test]
fn every_byte_means_something() {
    for status in 0..=255 {
        for code in 0..=255 {
            let record = RecordView::from_bytes([0; 64]).with_status_byte(status).with_error_byte(code);
            let error = IaaError::of_record(&record);
            let _ = error.advice();
            assert!(!error.to_string().is_empty() && !error.to_string().contains('\n'));
            match (Status::from_byte(status), &error) {
                (None, IaaError::UnknownStatus(said)) => assert_eq!(*said, status),
                (None, other) => panic!("status {status:#x}: {other:?}"),
                (Some(Status::AnalyticsError), error) => {
                    let unknown = AnalyticsError::from_byte(code).is_none();
                    assert_eq!(*error == IaaError::UnknownError(code), unknown, "error {code}");
                }
                (Some(_), error) => {
                    assert!(!matches!(error, IaaError::UnknownStatus(_) | IaaError::UnknownError(_)))
                }
            }
        }
    }
}

#[test]
fn write_faults_are_told_from_read_faults() {
    let record = |byte| RecordView::from_bytes([0; 64]).with_status_byte(byte).with_fault_address(0x1234);
    let fault = |access| IaaError::PageFault { address: 0x1234, access };
    assert_eq!(IaaError::of_record(&record(0x03)), fault("read"));
    assert_eq!(IaaError::of_record(&record(0x83)), fault("write"));
    assert_eq!(IaaError::of_record(&record(0x84)), fault("write"));
}

/// Bad data is checked on the CPU, limits are unsupported, and the rest are failures of the device.
#[test]
fn failures_are_of_the_right_kind() {
    let failure = |error: IaaError| error.failure(Some(FORMAT), 10);
    let too_small = Error::OutputTooSmall { format: FORMAT, room: 10 };
    assert!(matches!(failure(IaaError::OutputFull), Failure::Data(error) if error == too_small));
    let truncated = Error::Truncated { format: FORMAT };
    assert!(
        matches!(failure(IaaError::Data(AnalyticsError::EobNotSeen)), Failure::Data(error) if error == truncated)
    );
    assert!(matches!(failure(IaaError::WindowTooFar), Failure::Unsupported(_)));
    assert!(matches!(failure(IaaError::Unanswered), Failure::Lost(_)));
    assert!(matches!(failure(IaaError::Hardware(Status::Watchdog)), Failure::Fault(_)));
    assert!(matches!(failure(IaaError::Data(AnalyticsError::InvalidAecs)), Failure::Fault(_)));
    // A job without a format has no bad data.
    assert!(matches!(IaaError::OutputFull.failure(None, 10), Failure::Fault(_)));
}
