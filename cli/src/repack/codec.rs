//! Choice of the codec by options.

use clap::ValueEnum;
use pelton::Packing;
use pelton::codec::{Format, Level, Window};

use crate::failure::Failure;
use pelton::Size;

/// Codecs by the names that they have elsewhere in this command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Codec {
    None,
    Snappy,
    Gzip,
    Zstd,
    #[value(name = "lz4_raw")]
    Lz4Raw,
}

impl Codec {
    /// Returns the packing with these options; the codec has to support them.
    pub fn packing(self, window: Option<Size>, level: Option<i32>) -> Result<Packing, Failure> {
        if window.is_some() && self != Codec::Gzip {
            return Err(Failure::Usage("only gzip has a window; leave --window out".into()));
        }
        if level.is_some() && !matches!(self, Codec::Gzip | Codec::Zstd) {
            return Err(Failure::Usage("only gzip and zstd have levels; leave --level out".into()));
        }
        let level = |format: Format| match level {
            None => Ok(format.default_level()),
            Some(level) => Level::new(format, level).map_err(|error| Failure::Usage(error.to_string())),
        };
        Ok(match self {
            Codec::None => Packing::Uncompressed,
            Codec::Snappy => Packing::Snappy,
            Codec::Gzip => Packing::Gzip { window: self::window(window)?, level: level(Format::Gzip)? },
            Codec::Zstd => Packing::Zstd { level: level(Format::Zstd)? },
            Codec::Lz4Raw => Packing::Lz4Raw,
        })
    }
}

fn window(size: Option<Size>) -> Result<Window, Failure> {
    let Some(Size(bytes)) = size else { return Ok(Window::FULL) };
    let window = Some(bytes).filter(|bytes| bytes.is_power_of_two());
    window.and_then(|bytes| Window::of_bits(bytes.ilog2())).ok_or_else(|| {
        Failure::Usage(format!("gzip has no window of {bytes} bytes; use a power of two from 512 to 32k"))
    })
}

#[cfg(test)]
mod tests;
