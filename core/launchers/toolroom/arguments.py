"""Arguments of the types that annotations name, where JSON has no such type."""

import sys

from toolroom import _PLAIN


def resolved(hint, names):
    """An annotation that is written as text, or as a name that comes later."""
    hint = getattr(hint, "__forward_arg__", hint)
    if not isinstance(hint, str):
        return hint
    try:
        return eval(hint, dict(names))
    except Exception:
        return None


def build(kind, value, depth):
    """A value as its type, if that is one of those known here; else the value itself."""
    if kind is None or kind in _PLAIN or value is None or depth > 100:
        return value
    if isinstance(kind, type) and not hasattr(kind, "__origin__"):
        return _instance(kind, value, depth + 1)
    items = getattr(kind, "__args__", ())
    origin = getattr(kind, "__origin__", None)
    if hasattr(kind, "__metadata__"):
        return build(origin, value, depth + 1)
    # Python 3.6 names typing's own classes, and says beside which builtin one is meant.
    origin = getattr(origin, "__extra__", None) or origin
    if origin is None or getattr(origin, "_name", None) == "Union" or str(origin) == "typing.Union":
        return _either(items, value, depth + 1) if items else value
    if not isinstance(origin, type):
        return value
    if isinstance(value, dict) and len(items) == 2:
        return {
            build(items[0], key, depth + 1): build(items[1], item, depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list) and items:
        is_fixed = origin is tuple and items[1:] != (Ellipsis,)
        each = items if is_fixed else items[:1] * len(value)
        built = [build(hint, item, depth + 1) for hint, item in zip(each, value)]
        value = built + value[len(built) :]
    return _instance(origin, value, depth + 1)


def _either(kinds, value, depth):
    """The first of several types that a value is, or else can be made to."""
    for kind in kinds:
        if isinstance(kind, type) and not hasattr(kind, "__origin__") and type(value) is kind:
            return value
    for kind in kinds:
        try:
            built = build(kind, value, depth)
        except (ValueError, TypeError, KeyError, ArithmeticError):
            continue
        if built is not value:
            return built
    return value


def _instance(kind, value, depth):
    if isinstance(value, kind):
        return value
    enum = sys.modules.get("enum")
    if enum is not None and issubclass(kind, enum.Enum):
        return _member(kind, value)
    if hasattr(kind, "__dataclass_fields__") and isinstance(value, dict):
        return _record(kind, value, depth)
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        if isinstance(value, dict):
            return kind(**value)
        return kind(*value) if isinstance(value, list) else value
    if kind in (set, frozenset, tuple):
        return kind(value) if isinstance(value, list) else value
    return _scalar(kind, value)


def _member(kind, value):
    members = kind.__members__
    try:
        return kind(tuple(value) if isinstance(value, list) else value)
    except ValueError:
        if isinstance(value, str) and value in members:
            return members[value]
        raise


def _record(kind, value, depth):
    names = getattr(sys.modules.get(kind.__module__), "__dict__", {})
    built = dict(value)
    for name, field in kind.__dataclass_fields__.items():
        if name in built:
            built[name] = build(resolved(field.type, names), built[name], depth)
    return kind(**built)


def _scalar(kind, value):
    """Types of the standard library that are written as text or a number."""
    module, name = kind.__module__.partition(".")[0], kind.__name__
    is_text = isinstance(value, str)
    if module == "pathlib" and is_text:
        return kind(value)
    if module == "datetime":
        if name == "timedelta" and isinstance(value, (int, float)):
            return kind(seconds=value)
        if name in ("datetime", "date", "time") and is_text:
            is_utc = name != "date" and value[-1:] in ("Z", "z")
            value = value[:-1] + "+00:00" if is_utc else value
            if not hasattr(kind, "fromisoformat"):
                from toolroom.before_3_7 import from_iso

                return from_iso(kind, value)
            return kind.fromisoformat(value)
    if (module, name) == ("uuid", "UUID") and is_text:
        return kind(value)
    if module in ("decimal", "_decimal", "_pydecimal") and name == "Decimal":
        return kind(str(value)) if isinstance(value, (str, int, float)) else value
    if (module, name) == ("fractions", "Fraction") and isinstance(value, (str, int, float)):
        return kind(str(value))
    if kind in (bytes, bytearray) and is_text:
        return kind(value.encode("utf-8"))
    return value
