//! The `subprocess` primitive by itself, with real processes.

mod capture;
mod ends;
mod ready;
mod starts;
