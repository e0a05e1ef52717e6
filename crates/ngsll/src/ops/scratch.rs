//! Buffers that each thread uses again and again.

use std::cell::RefCell;

thread_local! {
    static BUFFERS: RefCell<[Vec<f32>; 3]> = RefCell::default();
}

/// Hands out buffers of these lengths; what they hold is left over from earlier work. The work
/// must not wait for other threads' work, which might ask for the same buffers.
pub(super) fn with_scratch<const N: usize>(
    lengths: [usize; N],
    work: impl FnOnce([&mut [f32]; N]),
) {
    BUFFERS.with_borrow_mut(|buffers| {
        let mut buffers = buffers.iter_mut();
        work(lengths.map(|length| {
            let buffer = buffers.next().expect("there are as many buffers as any work asks for");
            if buffer.len() < length {
                buffer.resize(length, 0.0);
            }
            &mut buffer[..length]
        }));
    });
}
