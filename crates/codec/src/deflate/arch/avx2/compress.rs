//! Which elements a mask leaves, for shuffles.

/// Elements that one entry is about.
pub(super) const WIDTH: usize = 8;

/// By mask: the places of its ones, in order, and one entry more, as whoever loads 16 bytes gets two.
#[repr(align(64))]
pub(super) struct Places([[u8; WIDTH]; 257]);

impl Places {
    /// The entry of a mask, which is readable for 16 bytes.
    pub(super) fn of(&self, mask: u8) -> *const u8 {
        self.0[usize::from(mask)..].as_ptr().cast()
    }
}

pub(super) static PLACES: Places = {
    let mut places = [[0; WIDTH]; 257];
    let mut mask = 0;
    while mask < 256 {
        let (mut place, mut count) = (0, 0);
        while place < WIDTH {
            if mask >> place & 1 != 0 {
                places[mask][count] = place as u8;
                count += 1;
            }
            place += 1;
        }
        mask += 1;
    }
    Places(places)
};
