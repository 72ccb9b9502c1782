def plain(path, *others, limit=10):
    """Has everything that is taken for plain."""
    import os, json as text
    from . import here
    from ..there.and_back import (one, two as three,)
    global counted
    found = other = []
    first, second = second, first
    found[0], found.last = 1, 2.5
    size: int = 0x1f
    total: float
    total += 1_000 // 3 ** -2 << 1
    total @= found
    for line in text.splitlines():
        if PATTERN.search(line, pos=1) and not line.startswith(("#", "'")):
            found.append(line.strip()[1:-1][::2][a:, b])
        elif line is not None and line not in found or len(line) >= limit: break
        else:
            continue
    else:
        pass
    for key, (left, right) in sorted(found.items(), key=lambda item: item[1]):
        print(f"{key!r:>10} {left['a']} {right=} {{}} {1 + 2:.2f}" "more", end="\n")
    while (chunk := path.read(1024)) and limit > 0:
        yield chunk
    while rest := next(found, None):
        yield from rest
    with open(path) as file, open(other, "rb") as found.file:
        data = {"a": [1, 2, *found], **other, "b": {x for x in y if x if z}}
    try:
        values = [call(*found, a, b=1, **more) for a in b for c in d if (e := c)]
    except (OSError, ValueError) as error:
        raise RuntimeError(f'no {path}') from error
    except KeyError:
        raise
    except:
        assert values, "none"
    else:
        del values[0], found.first
    finally:
        async with lock as held:
            await held.wait()
        async for item in stream:
            nothing = (), [], {}, ..., b"\x00" b'a', r"\d", u"\u00e9", -~+1
    table = {key: value for key, value in pairs}
    number = sum(x * 2 for x in range(10)) if table else None
    match = type.match(type(number) is True)
    return table, number,
