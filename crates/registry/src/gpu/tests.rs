use super::*;

#[test]
fn what_linux_says() {
    let text = "MemTotal:       24 kB\nMemFree:        1 kB\nMemAvailable:   18 kB\nBuffers: 2 kB\n";
    assert_eq!(in_text(text), Some(18 << 10));
    assert_eq!(in_text("MemTotal: 24 kB\n"), None);
    assert_eq!(in_text("MemAvailable: many kB\n"), None);
}
