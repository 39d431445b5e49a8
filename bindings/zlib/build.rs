//! Compiles `gzprintf` and `gzvprintf`, as stable Rust has no functions with a variable number of
//! arguments.

fn main() {
    println!("cargo::rerun-if-changed=src/gz/printf.c");
    cc::Build::new().file("src/gz/printf.c").compile("pelton_z_printf");
}
