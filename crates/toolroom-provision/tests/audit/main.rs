//! The audit against the real thing: real environments with real packages, judged by
//! `packaging`, uv, npm, pnpm and yarn, and by us.
//!
//! Tools come from `$TOOLROOM_TEST_TOOLS`, as `scripts/test` sets it. What is missing is
//! skipped by name, and is a failure where `CI=true`.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

mod node;
mod python;
mod specifiers;
mod support;
