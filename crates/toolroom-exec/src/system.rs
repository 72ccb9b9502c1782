//! What only the system's own library can do: the one place with `unsafe` in it.
//!
//! Each function is safe to call by itself, or says in a line what its caller promises.
//! Nothing here decides anything.
#![allow(unsafe_code)]

#[cfg(unix)]
use std::io::{self, PipeReader};
#[cfg(unix)]
use std::os::fd::{BorrowedFd, IntoRawFd as _};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
#[cfg(unix)]
use std::sync::atomic::{AtomicI32, Ordering};

#[cfg(unix)]
use rustix::process::Pid;
#[cfg(unix)]
use tokio::io::Interest;
#[cfg(unix)]
use tokio::io::unix::AsyncFd;

/// Which of the two processes this is, after the copy was made.
#[cfg(unix)]
pub(crate) enum Side {
    Original(Pid),
    Copy,
}

/// Copies this process. Only for one with a single thread, and a copy that comes to
/// [`end`].
#[cfg(unix)]
pub(crate) fn fork() -> io::Result<Side> {
    // SAFETY: there is one thread, so the copy is whole, and it shares no memory with us.
    let pid = unsafe { libc::fork() };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Pid::from_raw(pid).map_or(Side::Copy, Side::Original))
}

/// Ends a copy past every destructor: what it was copied with is not its own.
#[cfg(unix)]
pub(crate) fn end(outcome: &io::Result<()>) -> ! {
    // SAFETY: ends the process, and nothing after it is ever reached.
    unsafe { libc::_exit(i32::from(outcome.is_err())) }
}

/// Has the system forget our children as they end. Whoever waits for his own asks to hear
/// of them first, which takes this back.
#[cfg(unix)]
pub(crate) fn forget_children() {
    // SAFETY: no handler is installed.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
}

/// Has the runtime tell when a socket has something to read, and of nothing else.
#[cfg(unix)]
pub(crate) fn readable(socket: UnixStream) -> io::Result<AsyncFd<UnixStream>> {
    // SAFETY: a socket owns its descriptor, keeps it for as long as it lives and always
    // names the same one.
    unsafe { AsyncFd::register_with_interest(socket, Interest::READABLE) }.map_err(Into::into)
}

/// Has these signals do nothing but write their number into the pipe whose other end this
/// gives. What this process starts meets them as any program does. For one who asks once.
#[cfg(unix)]
pub(crate) fn hear(signals: &[libc::c_int]) -> io::Result<PipeReader> {
    static PIPE: AtomicI32 = AtomicI32::new(-1);
    extern "C" fn write(signal: libc::c_int) {
        let number = signal.to_le_bytes();
        // SAFETY: the pipe is never closed once it is there.
        let pipe = unsafe { BorrowedFd::borrow_raw(PIPE.load(Ordering::Relaxed)) };
        // There is room: of a signal that has not been heard yet no second one waits.
        let _ = rustix::io::write(pipe, &number[..1]);
    }
    let (reader, writer) = io::pipe()?;
    rustix::io::ioctl_fionbio(&reader, true)?;
    rustix::io::ioctl_fionbio(&writer, true)?;
    PIPE.store(writer.into_raw_fd(), Ordering::Relaxed);
    let handler: extern "C" fn(libc::c_int) = write;
    let mut held_back = std::mem::MaybeUninit::uninit();
    // SAFETY: the set is made before it is used, and the handler only writes, which it may
    // at any moment.
    unsafe {
        libc::sigemptyset(held_back.as_mut_ptr());
        for signal in signals {
            libc::signal(*signal, handler as libc::sighandler_t);
            libc::sigaddset(held_back.as_mut_ptr(), *signal);
        }
        // Whoever started us may have held them back, and we would not hear.
        libc::sigprocmask(libc::SIG_UNBLOCK, held_back.as_ptr(), std::ptr::null_mut());
    }
    Ok(reader)
}

/// Whether whoever started us has us ignore a signal, as `nohup` does.
#[cfg(unix)]
pub(crate) fn is_ignored(signal: libc::c_int) -> bool {
    let mut found = std::mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: nothing is changed, and what is found is read only if it was written.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), found.as_mut_ptr()) == 0
            && found.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// Has a write past the limit on a file's size fail, where it would end this process. By a
/// handler that does nothing: that a signal is ignored would be passed on to tools. Whoever
/// started us so goes on as he was.
#[cfg(unix)]
pub(crate) fn outlive_file_limit() {
    extern "C" fn nothing(_: libc::c_int) {}
    let handler: extern "C" fn(libc::c_int) = nothing;
    // SAFETY: the handler does nothing, so it may come at any moment.
    let before = unsafe { libc::signal(libc::SIGXFSZ, handler as libc::sighandler_t) };
    if before == libc::SIG_IGN {
        // SAFETY: no handler is installed.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    }
}

#[cfg(not(unix))]
pub(crate) fn outlive_file_limit() {}

/// Has names looked up in the system's files and by DNS alone, in a program that the C
/// library is part of. For anything else that `nsswitch.conf` may list the library would
/// load plug-ins, and those are made for the library of this machine, not for ours.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn look_names_up_without_plugins() {
    unsafe extern "C" {
        fn __nss_configure_lookup(
            database: *const libc::c_char,
            services: *const libc::c_char,
        ) -> libc::c_int;
    }
    // SAFETY: reads a number that the process was started with: where its loader is.
    let has_loader = unsafe { libc::getauxval(libc::AT_BASE) } != 0;
    if !has_loader {
        // SAFETY: both texts end with a zero byte and live as long as the program. The
        // library takes a lock of its own.
        unsafe { __nss_configure_lookup(c"hosts".as_ptr(), c"files dns".as_ptr()) };
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn look_names_up_without_plugins() {}
