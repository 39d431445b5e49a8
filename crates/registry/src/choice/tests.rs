use pelton_device_iaa::Windows;

use super::*;

fn parse(text: &str) -> Result<DeviceChoice, ChoiceError> {
    text.parse()
}

#[test]
fn names_and_settings() {
    assert_eq!(parse("cpu").unwrap().wanted(), [Wanted::Cpu]);
    let choice = parse(" iaa , cpu").unwrap();
    assert_eq!(choice.wanted(), [Wanted::Iaa(IaaSettings::default()), Wanted::Cpu]);
    assert!(choice.has_cpu());
    let settings = ModelSettings {
        devices: 4.try_into().unwrap(),
        fault_every: 7.try_into().ok(),
        ..Default::default()
    };
    let choice = parse("iaa-model:devices=4:fault-every=7").unwrap();
    assert_eq!(choice.wanted(), [Wanted::IaaModel(settings)]);
    assert!(!choice.has_cpu());
    assert_eq!(choice.to_string(), "iaa-model");
    let iaa = IaaSettings { windows: Windows::Try };
    assert_eq!(parse("iaa:windows=try").unwrap().wanted(), [Wanted::Iaa(iaa)]);
    let settings = ModelSettings { windows: Windows::Try, ..Default::default() };
    assert_eq!(parse("iaa-model:windows=known:windows=try").unwrap().wanted(), [Wanted::IaaModel(settings)]);
    let settings =
        DfltccModelSettings { fault_every: 7.try_into().ok(), again_every: 2.try_into().ok(), seed: 5 };
    let choice = parse("dfltcc-model:fault-every=7:cc3-every=2:seed=5,dfltcc").unwrap();
    assert_eq!(choice.wanted(), [Wanted::DfltccModel(settings), Wanted::Dfltcc]);
    assert_eq!(choice.to_string(), "dfltcc-model,dfltcc");
    let choice = parse("cuda:memory=8GB:spill=1GiB:ordinal=1,cpu").unwrap();
    let settings = CudaSettings { ordinal: 1, memory: Some(8_000_000_000), spill: Some(1 << 30) };
    assert_eq!(choice.wanted(), [Wanted::Cuda(settings), Wanted::Cpu]);
    let choice = parse("cuda-host:threads=2:memory=1MiB:fault-every=3:passes=5:spill=none").unwrap();
    let (threads, fault_every) = (2.try_into().unwrap(), 3.try_into().ok());
    let passes = 5.try_into().unwrap();
    let settings = CudaHostSettings { memory: Some(1 << 20), threads, fault_every, passes, spill: Some(0) };
    assert_eq!(choice.wanted(), [Wanted::CudaHost(settings)]);
    assert_eq!(parse("cuda,cpu").unwrap().to_string(), "cuda,cpu");
    let settings = NxModelSettings { engines: 2.try_into().unwrap(), fault_every: 7.try_into().ok() };
    let choice = parse("nx,nx-model:engines=2:fault-every=7").unwrap();
    assert_eq!(choice.wanted(), [Wanted::Nx, Wanted::NxModel(settings)]);
    assert_eq!(choice.to_string(), "nx,nx-model");
}

#[test]
fn what_is_none_is_an_error_that_says_what_there_is() {
    for (text, start) in [
        (
            "gpu",
            "there is no device \"gpu\"; there are cpu, iaa, nx, cuda, dfltcc, iaa-model, nx-model, dfltcc-model and cuda-host",
        ),
        ("nx:engines=2", "nx has no setting \"engines=2\"; it has none"),
        ("nx-model:engines=17", "nx-model has no setting \"engines=17\"; it has engines=N, 1 to 16"),
        ("cpu,", "there is no device \"\""),
        ("CPU", "there is no device \"CPU\""),
        (" ", "no device is named"),
        ("cpu,cpu", "cpu is named twice"),
        ("iaa:devices=2", "iaa has no setting \"devices=2\""),
        ("iaa:windows=all", "iaa has no setting \"windows=all\"; it has windows=known"),
        ("iaa-model:devices", "iaa-model has no setting \"devices\""),
        ("iaa-model:devices=0", "iaa-model has no setting \"devices=0\""),
        ("iaa-model:devices=65", "iaa-model has no setting \"devices=65\""),
        ("dfltcc-model:cc3-every=0", "dfltcc-model has no setting \"cc3-every=0\"; it has fault-every=N"),
        ("dfltcc:seed=1", "dfltcc has no setting \"seed=1\"; it has none"),
        ("cuda:ordinal=-1", "cuda has no setting \"ordinal=-1\"; it has ordinal=N"),
        ("cuda:memory=much", "cuda has no setting \"memory=much\""),
        ("cuda:spill=0", "cuda has no setting \"spill=0\"; it has ordinal=N"),
        ("cuda:fault-every=2", "cuda has no setting \"fault-every=2\""),
        ("cuda-host:threads=0", "cuda-host has no setting \"threads=0\""),
        ("cuda-host:passes=9", "cuda-host has no setting \"passes=9\""),
        ("cuda,cuda-host", "cuda and cuda-host can't be used together"),
        ("iaa-model:speed=9", "iaa-model has no setting \"speed=9\""),
    ] {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.starts_with(start), "{text:?}: {error}");
    }
}
