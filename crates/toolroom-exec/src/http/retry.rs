//! When a request is sent again, and how long is waited before.
//!
//! The loop is our own and not a crate's: a wait here depends on what the server asked
//! for, on the time that is left, and on whether the request may be repeated at all.

use std::time::{Duration, SystemTime};

use reqwest::Method;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

use super::error::HttpError;

/// The longest wait that is of our own choosing.
const LONGEST_BACKOFF: Duration = Duration::from_secs(30);

/// The longest wait a server may ask for.
const LONGEST_ASKED: Duration = Duration::from_secs(3600);

/// How often and when a request is tried again.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// How often it is tried in all; at least once.
    pub attempts: u32,
    pub backoff: Backoff,
    /// The statuses after which it is tried again, in place of the usual ones.
    pub statuses: Option<Vec<u16>>,
    /// Whether it may be repeated though its method says otherwise.
    pub repeatable: bool,
}

/// How waits grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backoff {
    /// The first wait; each later one is twice as long.
    Exponential(Duration),
    Fixed(Duration),
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: 1,
            backoff: Backoff::Exponential(Duration::from_millis(500)),
            statuses: None,
            repeatable: false,
        }
    }
}

impl Retry {
    /// Whether an answer of this status is asked for again.
    pub(super) fn wants(&self, status: u16, method: &Method) -> bool {
        let listed = match &self.statuses {
            Some(statuses) => statuses.contains(&status),
            None => matches!(status, 408 | 425 | 429 | 500..=599),
        };
        listed && self.may_repeat(method)
    }

    /// Whether a request that failed like this is sent again. One that never left may be,
    /// whatever its method.
    pub(super) fn forgives(&self, error: &HttpError, method: &Method) -> bool {
        match error {
            HttpError::Connect { .. } | HttpError::ConnectTimeout { .. } => true,
            HttpError::Broken { .. } => self.may_repeat(method),
            _ => false,
        }
    }

    fn may_repeat(&self, method: &Method) -> bool {
        self.repeatable || method.is_idempotent()
    }

    /// The wait after so many attempts: half of it certain, half of it chance, so that
    /// many callers do not come back at once.
    pub(super) fn wait(&self, attempts: u32) -> Duration {
        let whole = match self.backoff {
            Backoff::Fixed(wait) => wait,
            Backoff::Exponential(first) => {
                first.saturating_mul(1_u32.checked_shl(attempts - 1).unwrap_or(u32::MAX))
            }
        };
        whole
            .min(LONGEST_BACKOFF)
            .mul_f64(0.5 + fastrand::f64() / 2.0)
    }
}

/// The wait a server asks for, in seconds or as a date. A date is taken by the server's
/// own clock, where it tells one.
pub(super) fn asked(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    let server = headers.get(DATE).and_then(|date| date.to_str().ok());
    let now = server
        .and_then(|date| httpdate::parse_http_date(date).ok())
        .unwrap_or(now);
    Some(date.duration_since(now).unwrap_or_default())
}

/// Whether a wait is worth it: it ends before the call must.
pub(super) fn is_worth(wait: Duration, left: Option<Duration>) -> bool {
    wait <= LONGEST_ASKED && left.is_none_or(|left| wait < left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_be_repeated_is_repeated() {
        let usual = Retry::default();
        for (status, method, wanted) in [
            (503, Method::GET, true),
            (429, Method::DELETE, true),
            (408, Method::PUT, true),
            (425, Method::HEAD, true),
            (503, Method::POST, false),
            (500, Method::PATCH, false),
            (404, Method::GET, false),
            (200, Method::GET, false),
        ] {
            assert_eq!(usual.wants(status, &method), wanted, "{status} {method}");
        }
        let declared = Retry {
            repeatable: true,
            statuses: Some(vec![404]),
            ..Retry::default()
        };
        assert!(declared.wants(404, &Method::POST));
        assert!(!declared.wants(503, &Method::POST));
    }

    #[test]
    fn waits_grow_and_stay_bounded() {
        let retry = Retry::default();
        let mut lowest = Duration::ZERO;
        for attempts in 1..6 {
            let wait = retry.wait(attempts);
            let whole = Duration::from_millis(500) * 2_u32.pow(attempts - 1);
            assert!(wait >= whole / 2 && wait <= whole && wait > lowest / 2);
            lowest = wait;
        }
        assert!(retry.wait(u32::MAX) <= LONGEST_BACKOFF);
        let fixed = Retry {
            backoff: Backoff::Fixed(Duration::from_secs(1)),
            ..retry
        };
        assert!(fixed.wait(9) <= Duration::from_secs(1));
    }

    #[test]
    fn the_wait_a_server_asks_for_is_seconds_or_a_date_by_its_own_clock() {
        let headers = |pairs: &[(&'static str, &'static str)]| -> HeaderMap {
            let pair = |(name, value): &(&'static str, &'static str)| {
                (name.parse().unwrap(), value.parse().unwrap())
            };
            pairs.iter().map(pair).collect()
        };
        let now = SystemTime::UNIX_EPOCH;
        type Case = (&'static [(&'static str, &'static str)], Option<u64>);
        let cases: [Case; 6] = [
            (&[("retry-after", " 7 ")], Some(7)),
            (&[("retry-after", "Thu, 01 Jan 1970 00:00:09 GMT")], Some(9)),
            (
                &[
                    ("retry-after", "Thu, 01 Jan 1970 01:00:09 GMT"),
                    ("date", "Thu, 01 Jan 1970 01:00:00 GMT"),
                ],
                Some(9),
            ),
            (
                &[
                    ("retry-after", "Thu, 01 Jan 1970 00:00:00 GMT"),
                    ("date", "Thu, 01 Jan 1970 01:00:00 GMT"),
                ],
                Some(0),
            ),
            (&[("retry-after", "soon")], None),
            (&[], None),
        ];
        for (pairs, wanted) in cases {
            let found = asked(&headers(pairs), now);
            assert_eq!(found, wanted.map(Duration::from_secs), "{pairs:?}");
        }
    }

    #[test]
    fn a_wait_past_the_end_of_the_call_is_not_begun() {
        let second = Duration::from_secs(1);
        assert!(is_worth(second, None));
        assert!(is_worth(second, Some(second * 2)));
        assert!(!is_worth(second, Some(second)));
        assert!(!is_worth(LONGEST_ASKED * 2, None));
    }
}
