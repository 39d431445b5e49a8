//! The same tests under AddressSanitizer and UndefinedBehaviorSanitizer, which see each access
//! beyond a page: every page and every output is an allocation of its own.

use pelton_device_cuda::sanitizer;

use crate::{damage, sound};

#[test]
fn pages_sound_and_damaged() {
    if !sanitizer::enter("sanitized::pages_sound_and_damaged") {
        return;
    }
    sound::every_format_size_and_shape();
    sound::members_and_frames_follow_each_other();
    sound::gzip_headers_with_all_fields();
    sound::too_little_and_too_much_room();
    damage::every_changed_byte();
    damage::every_truncation();
    damage::random_bytes();
    damage::damage_anywhere();
}
