//! `pelton completions` and `pelton man`: scripts for shells and manual pages, made from the
//! declaration of the command line.

use std::path::{Path, PathBuf};

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man as Page;

use crate::failure::Failure;
use crate::output::write_whole;

/// Options of `pelton completions`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pelton completions bash > ~/.local/share/bash-completion/completions/pelton
  pelton completions zsh > ~/.zfunc/_pelton
  pelton completions fish > ~/.config/fish/completions/pelton.fish")]
pub struct Completions {
    /// The shell
    shell: Shell,
}

/// Options of `pelton man`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pelton man sql | man -l -
  pelton man --output ~/.local/share/man/man1")]
pub struct Man {
    /// Print the page of a command, such as sql
    command: Option<String>,
    /// Write the pages of all commands into a folder
    #[arg(short, long, value_name = "FOLDER", conflicts_with = "command")]
    output: Option<PathBuf>,
}

/// Prints the script for a command.
pub fn completions(options: &Completions, mut command: Command) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(options.shell, &mut command, "pelton", &mut text);
    write_whole(None, &String::from_utf8_lossy(&text))
}

/// Prints or writes the pages of a command.
pub fn man(options: &Man, mut command: Command) -> Result<(), Failure> {
    command.build();
    if let Some(folder) = &options.output {
        return all(&command, folder);
    }
    let page = match &options.command {
        None => page(&command, "pelton")?,
        Some(name) => {
            let found = command.get_subcommands().find(|sub| sub.get_name() == name);
            let found = found.ok_or_else(|| {
                let names = command.get_subcommands().map(Command::get_name);
                let hint = pelton::settings::did_you_mean(name, names);
                let hint = hint.unwrap_or_else(|| "pelton --help lists them".to_owned());
                Failure::Usage(format!("there is no command {name}: {hint}"))
            })?;
            page(found, &title(found))?
        }
    };
    write_whole(None, &page)
}

fn all(command: &Command, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, &error))?;
    write_whole(Some(&folder.join("pelton.1")), &page(command, "pelton")?)?;
    command.get_subcommands().filter(|sub| sub.get_name() != "help").try_for_each(|sub| {
        let title = title(sub);
        write_whole(Some(&folder.join(format!("{title}.1"))), &page(sub, &title)?)
    })
}

/// Returns the name of a command's page.
fn title(command: &Command) -> String {
    format!("pelton-{}", command.get_name())
}

fn page(command: &Command, title: &str) -> Result<String, Failure> {
    let mut text = Vec::new();
    let page = Page::new(command.clone()).title(title.to_uppercase());
    page.render(&mut text).map_err(Failure::error)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
