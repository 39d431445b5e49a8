//! A gzip header that `inflateGetHeader` fills in.

use libz_rs_sys::gz_header;

/// The structure and the buffers it points to, none of which may move.
pub struct Header {
    /// What the library is given.
    pub fields: Box<gz_header>,
    buffers: [Vec<u8>; 3],
}

impl Header {
    /// One with so much room for each field; with no buffers if that is 255.
    pub fn new(room: u8) -> Self {
        let mut buffers = [0; 3].map(|_| vec![0xAA; room.into()]);
        // SAFETY: all zeros are null pointers and numbers.
        let mut fields: Box<gz_header> = Box::new(unsafe { std::mem::zeroed() });
        if room < 255 {
            let [extra, name, comment] = &mut buffers;
            (fields.extra, fields.extra_max) = (extra.as_mut_ptr(), room.into());
            (fields.name, fields.name_max) = (name.as_mut_ptr(), room.into());
            (fields.comment, fields.comm_max) = (comment.as_mut_ptr(), room.into());
        }
        Self { fields, buffers }
    }

    /// What a library left there.
    pub fn note(&self) -> String {
        let gz_header { text, time, xflags, os, extra, extra_len, name, comment, hcrc, done, .. } =
            *self.fields;
        let there = [extra, name, comment].map(|field| !field.is_null());
        let buffers = &self.buffers;
        format!(
            "text {text} time {time} xflags {xflags} os {os} extra {extra_len} hcrc {hcrc} done {done} \
             {there:?} {buffers:?}"
        )
    }
}
