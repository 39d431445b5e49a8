//! Fields of the device's fixed layouts.

/// Reader and writer of one little-endian field of a struct that has the layout's bytes as its
/// first member.
macro_rules! field {
    ($(#[$doc:meta])* $get:ident, $set:ident, $type:ty, $offset:expr) => {
        $(#[$doc])*
        pub fn $get(&self) -> $type {
            let mut bytes = [0; size_of::<$type>()];
            bytes.copy_from_slice(&self.0[$offset..$offset + size_of::<$type>()]);
            <$type>::from_le_bytes(bytes)
        }

        $(#[$doc])*
        pub fn $set(mut self, value: $type) -> Self {
            self.0[$offset..$offset + size_of::<$type>()].copy_from_slice(&value.to_le_bytes());
            self
        }
    };
}

pub(super) use field;
