"""Arguments of the types that annotations name, where JSON has no such type."""

import sys

from toolroom import _PLAIN

# Wrappers that say something of a field and nothing of its type.
_MARKS = ("Required", "NotRequired", "ReadOnly", "Final", "ClassVar")


def inspected(function):
    """The positional names, all names, and how many take no name at all."""
    from inspect import signature

    found = signature(function).parameters.values()
    named = [each for each in found if each.kind in (0, 1, 3)]
    positional = [each.name for each in named if each.kind != 3]
    only = sum(each.kind == 0 for each in named)
    return positional, [each.name for each in named], only


def resolved(hint, names):
    """An annotation that is written as text, or as a name that comes later."""
    hint = getattr(hint, "__forward_arg__", hint)
    if not isinstance(hint, str):
        return hint
    try:
        return eval(hint, dict(names))
    except Exception:
        return None


def build(kind, value, names, depth):
    """A value as its type, if that is one of those known here; else the value itself.

    `names` are those that an annotation written as text may speak of.
    """
    kind = _meant(resolved(kind, names))
    if _is_one_of(kind, _PLAIN) or value is None or depth > 100:
        return value
    if isinstance(kind, type) and not hasattr(kind, "__origin__"):
        return _instance(kind, value, depth + 1)
    items = getattr(kind, "__args__", None) or ()
    origin = getattr(kind, "__origin__", None)
    if hasattr(kind, "__metadata__"):
        return build(origin, value, names, depth + 1)
    # Python 3.6 names typing's own classes, and says beside which builtin one is meant.
    origin = getattr(origin, "__extra__", None) or origin
    name = getattr(origin, "_name", None) or getattr(origin, "__name__", None)
    if name in _MARKS and items:
        return build(items[0], value, names, depth + 1)
    if origin is None or name == "Union" or str(origin) == "typing.Union":
        return _either(items, value, names, depth + 1) if items else value
    if not isinstance(origin, type):
        return value
    if isinstance(value, dict) and len(items) == 2 and hasattr(origin, "keys"):
        return {
            build(items[0], key, names, depth + 1): build(items[1], item, names, depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list) and items:
        is_fixed = origin is tuple and items[1:] != (Ellipsis,)
        each = items if is_fixed else items[:1] * len(value)
        built = [build(hint, item, names, depth + 1) for hint, item in zip(each, value)]
        value = built + value[len(built) :]
    return _instance(origin, value, depth + 1)


def _meant(kind):
    """The type that a new name was given to: by NewType, or by `type X = ...`."""
    for _ in range(20):
        try:
            if isinstance(kind, type):
                break
            kind = kind.__supertype__ if hasattr(kind, "__supertype__") else kind.__value__
        except AttributeError:
            break
        except Exception:
            return None
    return kind


def _is_one_of(kind, kinds):
    """Whether a type is among others; what annotations hold may not bear being compared."""
    return any(kind is each for each in kinds)


def _either(kinds, value, names, depth):
    """The first of several types that a value is, or else can be made to."""
    for kind in kinds:
        if isinstance(kind, type) and not hasattr(kind, "__origin__") and type(value) is kind:
            return value
    for kind in kinds:
        try:
            built = build(kind, value, names, depth)
        except (ValueError, TypeError, KeyError, ArithmeticError):
            continue
        if built is not value:
            return built
    return value


def _is_instance(value, kind):
    """isinstance, for which a TypedDict and most protocols may not be asked."""
    try:
        return isinstance(value, kind)
    except Exception:
        return False


def _instance(kind, value, depth):
    if _is_instance(value, kind):
        return value
    bases = kind.__mro__
    enum = sys.modules.get("enum")
    if enum is not None and enum.Enum in bases:
        return _member(kind, value)
    if hasattr(kind, "__dataclass_fields__") and isinstance(value, dict):
        types = {name: field.type for name, field in kind.__dataclass_fields__.items()}
        return kind(**_fields(kind, types, value, depth))
    if hasattr(kind, "__total__") and isinstance(value, dict):
        return _fields(kind, _annotations(kind), value, depth)
    if tuple in bases and hasattr(kind, "_fields"):
        return _named_tuple(kind, value, depth)
    if _is_one_of(kind, (set, frozenset, tuple)):
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


def _fields(kind, types, value, depth):
    """The fields of a record, each as its own type."""
    names = getattr(sys.modules.get(kind.__module__), "__dict__", {})
    return {
        name: build(types[name], item, names, depth) if name in types else item
        for name, item in value.items()
    }


def _named_tuple(kind, value, depth):
    types = _annotations(kind)
    if isinstance(value, list):
        fields = _fields(kind, types, dict(zip(kind._fields, value)), depth)
        return kind(*(list(fields.values()) + value[len(fields) :]))
    return kind(**_fields(kind, types, value, depth)) if isinstance(value, dict) else value


def _annotations(kind):
    try:
        return kind.__annotations__
    except Exception:
        return {}


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
    if _is_one_of(kind, (bytes, bytearray)) and is_text:
        return kind(value.encode("utf-8"))
    return value
