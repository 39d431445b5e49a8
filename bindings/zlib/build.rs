//! Compiles `gzprintf` and `gzvprintf`: functions with a variable number of arguments can't be
//! written in stable Rust.

fn main() {
    println!("cargo::rerun-if-changed=src/gz/printf.c");
    cc::Build::new().file("src/gz/printf.c").compile("pelton_z_printf");
}
