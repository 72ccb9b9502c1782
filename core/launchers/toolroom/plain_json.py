"""JSON by the standard library, for an interpreter without its quick half."""

import json


def decode(text):
    return json.loads(text, strict=False)


def dump(value, default):
    return json.dumps(
        value,
        default=default,
        ensure_ascii=False,
        allow_nan=False,
        separators=(",", ":"),
    )
