"""Calls that give their value step by step: coroutines and generators."""

from toolroom import log, progress


def settled(value):
    """The value of a coroutine, or what a generator of either kind gives in the end."""
    if hasattr(value, "__await__") or hasattr(value, "__anext__"):
        import asyncio

        if not hasattr(asyncio, "run"):
            from toolroom.before_3_7 import run

            return run(_settle_async(value))
        return asyncio.run(_settle_async(value))
    return _exhaust(value)


async def _settle_async(value):
    if hasattr(value, "__await__"):
        value = await value
    if not hasattr(value, "__anext__"):
        return value
    steps = _Steps()
    async for item in value:
        steps.take(item)
    return steps.values


def _exhaust(generator):
    steps = _Steps()
    while True:
        try:
            steps.take(next(generator))
        except StopIteration as end:
            return steps.values if end.value is None else end.value


class _Steps:
    """What a generator yields: events are told at once, other values are collected."""

    def __init__(self):
        self.items = []
        self.events = 0

    def take(self, item):
        if isinstance(item, dict) and item.get("event") in ("progress", "log"):
            self.events += 1
            if item["event"] == "log":
                log(item.get("level", "info"), item.get("message", ""))
            else:
                progress(item.get("done", 0), item.get("total"), item.get("message"))
        elif isinstance(item, dict) and set(item) <= {"progress", "total", "message"} and "progress" in item:
            self.events += 1
            progress(item["progress"], item.get("total"), item.get("message"))
        else:
            self.items.append(item)
            if isinstance(item, str):
                log("info", item)

    @property
    def values(self):
        return self.items if self.items or not self.events else None
