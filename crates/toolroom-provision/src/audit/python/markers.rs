//! What an environment answers to markers.

use std::path::Path;

use pep508_rs::{MarkerEnvironment, MarkerEnvironmentBuilder};

/// The machine an environment runs on, in the words of markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Platform {
    pub os_name: String,
    pub sys_platform: String,
    pub platform_system: String,
    pub platform_machine: String,
    pub platform_release: String,
    pub platform_version: String,
}

impl Platform {
    /// The machine this binary was built for.
    #[must_use]
    pub fn current() -> Self {
        let kernel = |name: &str| {
            fs_err::read_to_string(Path::new("/proc/sys/kernel").join(name))
                .map(|text| text.trim().to_owned())
                .unwrap_or_default()
        };
        let (os_name, sys_platform, platform_system) = match std::env::consts::OS {
            "windows" => ("nt", "win32", "Windows"),
            "macos" => ("posix", "darwin", "Darwin"),
            "freebsd" => ("posix", "freebsd", "FreeBSD"),
            _ => ("posix", "linux", "Linux"),
        };
        let platform_machine = match (std::env::consts::OS, std::env::consts::ARCH) {
            ("windows", "x86_64") => "AMD64",
            ("windows", "aarch64") => "ARM64",
            ("macos", "aarch64") => "arm64",
            (_, "x86") => "i686",
            (_, other) => other,
        };
        Self {
            os_name: os_name.to_owned(),
            sys_platform: sys_platform.to_owned(),
            platform_system: platform_system.to_owned(),
            platform_machine: platform_machine.to_owned(),
            platform_release: kernel("osrelease"),
            platform_version: kernel("version"),
        }
    }

    /// The answers of an interpreter on this machine; `None` if its version is no version.
    pub(super) fn markers(&self, version: &str, implementation: &str) -> Option<MarkerEnvironment> {
        let mut numbers = version.splitn(3, '.');
        let minor = format!("{}.{}", numbers.next()?, leading_digits(numbers.next()?));
        MarkerEnvironment::try_from(MarkerEnvironmentBuilder {
            implementation_name: &implementation.to_ascii_lowercase(),
            implementation_version: version,
            os_name: &self.os_name,
            platform_machine: &self.platform_machine,
            platform_python_implementation: implementation,
            platform_release: &self.platform_release,
            platform_system: &self.platform_system,
            platform_version: &self.platform_version,
            python_full_version: version,
            python_version: &minor,
            sys_platform: &self.sys_platform,
        })
        .ok()
    }
}

fn leading_digits(text: &str) -> &str {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    &text[..end]
}
