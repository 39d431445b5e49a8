//! The `pelton` command as a program.

use std::process::ExitCode;

use pelton_bench::allocator::{self, MiMalloc};

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    allocator::keep_freed_memory();
    pelton_cli::main(std::env::args_os()).into()
}
