//! What a server says on the side, to whoever started it: no part of the protocol.

use std::collections::HashSet;
use std::sync::Mutex;

/// Where remarks go, and which of them need not be made again.
pub struct Talk {
    say: Box<dyn Fn(&str) + Send + Sync>,
    settings: Box<dyn Fn() -> Option<String> + Send + Sync>,
    said: Mutex<HashSet<String>>,
}

impl Talk {
    /// By whom remarks are taken, and who knows why the settings cannot be read any more.
    pub fn new(
        say: impl Fn(&str) + Send + Sync + 'static,
        settings: impl Fn() -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            say: Box::new(say),
            settings: Box::new(settings),
            said: Mutex::default(),
        }
    }

    pub fn say(&self, remark: &str) {
        (self.say)(remark);
    }

    /// Why the settings cannot be read any more, if they cannot.
    pub fn settings_fault(&self) -> Option<String> {
        (self.settings)()
    }

    /// Says what every call would repeat, the first time alone.
    pub fn once(&self, remark: String) {
        let Ok(mut said) = self.said.lock() else {
            return;
        };
        if !said.contains(&remark) {
            self.say(&remark);
            said.insert(remark);
        }
    }
}

impl std::fmt::Debug for Talk {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Talk")
    }
}
