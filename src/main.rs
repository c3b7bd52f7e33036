//! The command line program: words and tables around the library.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
