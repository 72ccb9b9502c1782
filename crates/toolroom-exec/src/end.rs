//! How calls end, whatever makes them.

/// Why a call is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum End {
    /// It came to its own end: the program exited, the server answered.
    #[default]
    Itself,
    TimedOut,
    Cancelled,
}

/// How a program ended. One that was made to end may still have exited in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// With the status it gave itself.
    Code(i32),
    Signal(i32),
}
