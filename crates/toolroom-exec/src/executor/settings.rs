//! Reads the parts of a filled-in config: texts, lists, seconds, limits.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::subprocess::Limits;

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
    let size = |name: &str| written.get(name).map(bytes).transpose();
    let either = |name: &str| written.get(name).or_else(|| config.get(name));
    Ok(Limits {
        memory: size("memory")?,
        cpu_seconds: size("cpu_seconds")?,
        open_files: size("open_files")?,
        processes: size("processes")?,
        file_size: size("file_size")?,
        umask: either("umask").map(octal).transpose()?,
        nice: either("nice")
            .and_then(Value::as_i64)
            .and_then(|nice| i32::try_from(nice).ok()),
    })
}

/// A count, or a size such as `512MB` or `2GiB`.
pub fn bytes(value: &Value) -> Result<u64, String> {
    let fault = || format!("has {value}, which is neither a number nor a size such as 512MB");
    if let Some(number) = value.as_u64() {
        return Ok(number);
    }
    let text = value.as_str().ok_or_else(fault)?.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
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

/// A file mode mask: the text `022` is octal, the number 18 is itself.
fn octal(value: &Value) -> Result<u32, String> {
    let mask = match value {
        Value::String(text) => u32::from_str_radix(text.trim_start_matches("0o"), 8).ok(),
        other => other.as_u64().and_then(|mask| u32::try_from(mask).ok()),
    };
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
            assert!(seconds(&object(json!({"timeout": value})), "timeout").is_err(), "{value}");
        }
    }

    #[test]
    fn sizes_have_units() {
        let config = object(json!({"limits": {"memory": "512MB", "file_size": "1 GiB", "open_files": 64}, "umask": "027"}));
        let limits = limits(&config).unwrap();
        assert_eq!(limits.memory, Some(512_000_000));
        assert_eq!(limits.file_size, Some(1 << 30));
        assert_eq!(limits.open_files, Some(64));
        assert_eq!(limits.umask, Some(0o027));
    }
}
