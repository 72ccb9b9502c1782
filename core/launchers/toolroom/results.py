"""What a tool returns, as JSON: the values that the fast way of writing does not know."""

import sys

from toolroom import _dump as dump


class UnsupportedResult(TypeError):
    """A result holds something that JSON has no form for."""


def _unsupported(value, path):
    kind = type(value)
    name = kind.__qualname__
    if kind.__module__ != "builtins":
        name = kind.__module__ + "." + name
    return UnsupportedResult(
        "%s cannot be written as JSON: %s" % ("result" + path, name)
    )


def plain(value, path, inside):
    """Build the JSON form of a value, or say which part of it has none."""
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return str.__str__(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        return _finite(value)
    if len(inside) > 200:
        raise UnsupportedResult("result%s is nested too deeply" % path[:200])
    if id(value) in inside:
        raise UnsupportedResult("result%s contains itself" % path)
    inside = inside + (id(value),)
    if isinstance(value, dict):
        return {
            _key(key, path): plain(item, "%s[%r]" % (path, key), inside)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [
            plain(item, "%s[%d]" % (path, index), inside)
            for index, item in enumerate(value)
        ]
    return plain(natural(value, path), path, inside)


def _whole(value):
    """An integer of any size, past the interpreter's own limit on digits."""
    value = int(value)
    if value.bit_length() > 10000 and hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    return value


def _finite(value):
    """JSON has no number for these, and a name is better than a loss."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return float(value)


def _key(key, path):
    if isinstance(key, str):
        return plain(key, path, ())
    if key is None or isinstance(key, (bool, int, float)):
        return dump(plain(key, path, ()), None).strip('"')
    nearest = natural(key, "%s (the key %r)" % (path, key))
    if isinstance(nearest, (str, int, float)):
        return _key(nearest, path)
    raise _unsupported(key, "%s (the key %r)" % (path, key))


def _is(value, module, name):
    """Whether a value is of a class whose module only its own use can have loaded."""
    loaded = sys.modules.get(module)
    kind = getattr(loaded, name, None)
    return kind is not None and isinstance(value, kind)


def natural(value, path):
    """The nearest thing JSON can hold."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _bytes(bytes(value))
    if isinstance(value, (set, frozenset)):
        try:
            return sorted(value)
        except TypeError:
            return list(value)
    if _is(value, "enum", "Enum"):
        return value.value
    if hasattr(type(value), "__dataclass_fields__"):
        names = type(value).__dataclass_fields__
        return {name: getattr(value, name) for name in names}
    if _is(value, "datetime", "timedelta"):
        return value.total_seconds()
    if any(_is(value, "datetime", name) for name in ("date", "time")):
        return value.isoformat()
    if _is(value, "decimal", "Decimal") or _is(value, "uuid", "UUID"):
        return str(value)
    if _is(value, "fractions", "Fraction"):
        return str(value)
    if hasattr(value, "__fspath__"):
        return value.__fspath__()
    for method in ("model_dump", "tolist", "_asdict"):
        if callable(getattr(value, method, None)) and not isinstance(value, type):
            return getattr(value, method)()
    if callable(getattr(value, "keys", None)) and hasattr(value, "__getitem__"):
        return {key: value[key] for key in value.keys()}
    if hasattr(value, "__iter__") and hasattr(value, "__len__"):
        return list(value)
    raise _unsupported(value, path)


def _bytes(value):
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        from binascii import b2a_base64

        return {"base64": b2a_base64(value, newline=False).decode("ascii")}
