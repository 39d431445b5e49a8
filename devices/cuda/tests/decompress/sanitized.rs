//! The same tests under AddressSanitizer and UndefinedBehaviorSanitizer, which see each access beyond a page.

use pelton_device_cuda::sanitizer;

use crate::{damage, sound};

#[test]
fn all_of_it() {
    if !sanitizer::enter("sanitized::all_of_it") {
        return;
    }
    sound::every_format_size_and_shape();
}
