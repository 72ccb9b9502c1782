//! Where memory comes from: the system's allocator, and a faster one for bulk work.
//!
//! A short command is over before a fast allocator has paid for its own start, and reading
//! ten thousand files spends a quarter of its time in the slow one. So commands that read
//! much say so, and what is allocated from then on comes from the other. Each piece goes
//! back to where it came from.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

use mimalloc::MiMalloc;

#[global_allocator]
static MEMORY: Memory = Memory;

static IS_BULK: AtomicBool = AtomicBool::new(false);

/// Says that much is about to be read. It stays so: there is no way back to take.
pub fn expect_bulk() {
    IS_BULK.store(true, Ordering::Relaxed);
}

unsafe extern "C" {
    /// Part of the allocator's own interface that its crate does not pass on by itself.
    fn mi_is_in_heap_region(piece: *const c_void) -> bool;
}

struct Memory;

impl Memory {
    fn is_bulk() -> bool {
        IS_BULK.load(Ordering::Relaxed)
    }

    /// Whether a piece came from the fast allocator; none did before it was called for.
    fn is_fast(piece: *mut u8) -> bool {
        // SAFETY: it only looks the address up, and takes any.
        Self::is_bulk() && unsafe { mi_is_in_heap_region(piece.cast()) }
    }
}

// SAFETY: every call is passed on as it came. A piece is given back to, or resized by, the
// allocator it is from: the fast one knows its own addresses, and all others are the
// system's. Whoever frees a piece on another thread got it from the thread that allocated
// it, and so has also seen that bulk work has begun.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Self::is_bulk() {
            unsafe { MiMalloc.alloc(layout) }
        } else {
            unsafe { System.alloc(layout) }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if Self::is_bulk() {
            unsafe { MiMalloc.alloc_zeroed(layout) }
        } else {
            unsafe { System.alloc_zeroed(layout) }
        }
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        if Self::is_fast(piece) {
            unsafe { MiMalloc.dealloc(piece, layout) }
        } else {
            unsafe { System.dealloc(piece, layout) }
        }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if Self::is_fast(piece) {
            unsafe { MiMalloc.realloc(piece, layout, size) }
        } else {
            unsafe { System.realloc(piece, layout, size) }
        }
    }
}
