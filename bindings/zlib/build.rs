//! Compiles what stable Rust has no means for: `gzprintf` and `gzvprintf`, with their variable
//! number of arguments, and the functions that run when the library is loaded and unloaded.

fn main() {
    println!("cargo::rerun-if-changed=src/gz/printf.c");
    println!("cargo::rerun-if-changed=src/process/load.c");
    cc::Build::new().files(["src/gz/printf.c", "src/process/load.c"]).compile("pelton_z_c");
}
