"""What Python 3.6 lacks of what the launcher uses."""


def run(coroutine):
    """asyncio.run."""
    import asyncio

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        return loop.run_until_complete(coroutine)
    finally:
        try:
            left = [task for task in asyncio.Task.all_tasks(loop) if not task.done()]
            for task in left:
                task.cancel()
            loop.run_until_complete(asyncio.gather(*left, loop=loop, return_exceptions=True))
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            asyncio.set_event_loop(None)
            loop.close()


def from_iso(kind, text):
    """fromisoformat of a datetime, date or time."""
    from datetime import datetime

    day, clock = ("1900-01-01", text) if kind.__name__ == "time" else (text[:10], text[11:])
    sign = "+" if "+" in clock else "-"
    moment, sign, offset = (clock or "00:00").partition(sign)
    shape = "%Y-%m-%d %H:%M"
    shape += ":%S" * (moment.count(":") > 1) + ".%f" * ("." in moment) + "%z" * bool(sign)
    whole = datetime.strptime(day + " " + moment + sign + offset.replace(":", ""), shape)
    return {"date": whole.date, "time": whole.timetz}.get(kind.__name__, lambda: whole)()
