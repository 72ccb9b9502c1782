//! Reads the parts of a filled-in config: texts, lists, seconds, limits.

use std::time::Duration;

use serde_json::{Map, Value};
use toolroom_kernel::near;

use crate::subprocess::Limits;

/// Everything that `limits` may hold.
const LIMITS: [&str; 7] = [
    "memory",
    "cpu_seconds",
    "open_files",
    "processes",
    "file_size",
    "umask",
    "nice",
];

/// The number of seconds under a key; texts are taken as numbers, since a template may
/// have given one.
pub fn seconds(config: &Map<String, Value>, key: &str) -> Result<Option<Duration>, String> {
    let seconds = match config.get(key) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(_) => None,
    };
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|duration| !duration.is_zero())
        .map(Some)
        .ok_or_else(|| "is not a number of seconds above zero".to_owned())
}

/// The truth value under a key, or what holds if there is none.
pub fn truth(config: &Map<String, Value>, key: &str, usual: bool) -> Result<bool, String> {
    match config.get(key) {
        None | Some(Value::Null) => Ok(usual),
        Some(value) => value
            .as_bool()
            .ok_or_else(|| "is neither true nor false".to_owned()),
    }
}

/// The whole number under a key; none is zero.
pub fn count(config: &Map<String, Value>, key: &str) -> Result<usize, String> {
    match config.get(key) {
        None | Some(Value::Null) => Ok(0),
        Some(value) => value
            .as_u64()
            .and_then(|count| usize::try_from(count).ok())
            .ok_or_else(|| "is not a whole number".to_owned()),
    }
}

/// The list under a key, as arguments: numbers and truth values are written as text.
pub fn arguments(config: &Map<String, Value>, key: &str) -> Result<Vec<String>, String> {
    match config.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => items.iter().map(argument).collect(),
        Some(_) => Err("is not a list".to_owned()),
    }
}

fn argument(value: &Value) -> Result<String, String> {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if text.contains('\0') {
        return Err("has an argument with NUL in it".to_owned());
    }
    Ok(text)
}

/// What a process may use: `limits`, and `umask` and `nice` beside it.
pub fn limits(config: &Map<String, Value>) -> Result<Limits, String> {
    let empty = Map::new();
    let written = match config.get("limits") {
        None | Some(Value::Null) => &empty,
        Some(Value::Object(limits)) => limits,
        Some(_) => return Err("is not a mapping".to_owned()),
    };
    if let Some(other) = written.keys().find(|name| !LIMITS.contains(&name.as_str())) {
        return Err(unknown_limit(other));
    }
    let given = |map: &'_ Map<String, Value>, name: &str| {
        map.get(name).filter(|value| !value.is_null()).cloned()
    };
    let size = |name: &str| given(written, name).as_ref().map(bytes).transpose();
    let either = |name: &str| given(written, name).or_else(|| given(config, name));
    Ok(Limits {
        memory: size("memory")?,
        cpu_seconds: size("cpu_seconds")?,
        open_files: size("open_files")?,
        processes: size("processes")?,
        file_size: size("file_size")?,
        umask: either("umask").as_ref().map(octal).transpose()?,
        nice: either("nice").as_ref().map(nice).transpose()?,
    })
}

fn unknown_limit(name: &str) -> String {
    match near::best(name, LIMITS) {
        Some(meant) => format!("has no limit {name:?}; did you mean {meant}?"),
        None => format!("has no limit {name:?}; there are {}", LIMITS.join(", ")),
    }
}

/// How much less a process is to be preferred.
fn nice(value: &Value) -> Result<i32, String> {
    let nice = value.as_i64().and_then(|nice| i32::try_from(nice).ok());
    nice.filter(|nice| (-20..=19).contains(nice))
        .ok_or_else(|| format!("has the nice {value}, which is not a whole number from -20 to 19"))
}

/// A count, or a size such as `512MB` or `2GiB`.
pub fn bytes(value: &Value) -> Result<u64, String> {
    let fault = || format!("has {value}, which is neither a number nor a size such as 512MB");
    if let Some(number) = value.as_u64() {
        return Ok(number);
    }
    let text = value.as_str().ok_or_else(fault)?.trim();
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let number: u64 = text[..digits].parse().map_err(|_| fault())?;
    let factor = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        _ => return Err(fault()),
    };
    number.checked_mul(factor).ok_or_else(fault)
}

/// A file mode mask. Its digits are octal whether it is a text or a number: YAML takes
/// 022 for the number 22, and nobody who writes 22 means 026.
fn octal(value: &Value) -> Result<u32, String> {
    let digits = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let digits = digits.strip_prefix("0o").unwrap_or(&digits);
    let mask = u32::from_str_radix(digits, 8)
        .ok()
        .filter(|_| !digits.starts_with('+'));
    mask.filter(|mask| *mask <= 0o777)
        .ok_or_else(|| format!("has the umask {value}, which is not one such as \"022\""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            other => panic!("{other} is not an object"),
        }
    }

    #[test]
    fn seconds_may_be_a_number_or_its_text() {
        for (value, wanted) in [(json!(2), 2.0), (json!(0.5), 0.5), (json!("30"), 30.0)] {
            let found = seconds(&object(json!({"timeout": value})), "timeout").unwrap();
            assert_eq!(found, Some(Duration::from_secs_f64(wanted)));
        }
        for value in [json!(0), json!(-1), json!("soon"), json!([]), json!(1e300)] {
            assert!(
                seconds(&object(json!({"timeout": value})), "timeout").is_err(),
                "{value}"
            );
        }
    }

    #[test]
    fn sizes_have_units() {
        let config = object(
            json!({"limits": {"memory": "512MB", "file_size": "1 GiB", "open_files": 64}, "umask": "027"}),
        );
        let limits = limits(&config).unwrap();
        assert_eq!(limits.memory, Some(512_000_000));
        assert_eq!(limits.file_size, Some(1 << 30));
        assert_eq!(limits.open_files, Some(64));
        assert_eq!(limits.umask, Some(0o027));
    }

    #[test]
    fn a_umask_has_octal_digits_however_it_is_written() {
        for value in [json!("022"), json!("0o22"), json!(22), json!("22")] {
            let found = limits(&object(json!({"umask": value}))).unwrap();
            assert_eq!(found.umask, Some(0o022), "{value}");
        }
        for value in [
            json!(18),
            json!("089"),
            json!(-1),
            json!(1000),
            json!([]),
            json!("+22"),
        ] {
            assert!(
                limits(&object(json!({"limits": {"umask": value}}))).is_err(),
                "{value}"
            );
        }
    }

    #[test]
    fn a_limit_that_would_be_ignored_is_an_error() {
        let cases = [
            (json!({"limits": {"procs": 5}}), "did you mean processes?"),
            (json!({"limits": {"files": 5}}), "did you mean open_files?"),
            (json!({"limits": {"x": 5}}), "there are memory, cpu_seconds"),
            (json!({"nice": "5"}), "has the nice \"5\""),
            (json!({"limits": {"nice": 40}}), "from -20 to 19"),
        ];
        for (config, wanted) in cases {
            let reason = limits(&object(config.clone())).unwrap_err();
            assert!(reason.contains(wanted), "{config}: {reason}");
        }
        assert_eq!(
            limits(&object(json!({"nice": 5, "umask": null})))
                .unwrap()
                .nice,
            Some(5)
        );
    }
}
