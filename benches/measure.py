"""Runs commands and says what they cost: wall and CPU time, and peak memory."""

import os
import resource
import statistics
import sys
import time


class Cost:
    """What a command took; of many runs the medians, and the least CPU time of all.

    What else a machine does can only add to a command's time, so on a busy one the least is
    the better measure, and the median says how busy it was.
    """

    def __init__(self, wall, cpu, peak_kb, least=None):
        self.wall = wall
        self.cpu = cpu
        self.peak_kb = peak_kb
        self.least = cpu if least is None else least


def run_once(argv, cwd=None, env=None):
    """One run, with its own CPU time as the kernel counts it."""
    if cwd:
        os.chdir(cwd)
    null = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in (0, 1, 2)]
    started = time.perf_counter()
    # Not fork: copying this process would be counted against the command.
    pid = os.posix_spawnp(argv[0], argv, env or os.environ, file_actions=null)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"failed: {argv}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)


def run(argv, rounds=30, warm_up=2, **options):
    """Medians over many runs."""
    for _ in range(warm_up):
        run_once(argv, **options)
    costs = [run_once(argv, **options) for _ in range(rounds)]
    return median(costs)


def interleaved(commands, rounds=30, warm_up=2):
    """Medians of several commands, taken round robin so that noise hits all alike.

    `commands` maps a name to (argv, options).
    """
    costs = {name: [] for name in commands}
    for turn in range(rounds + warm_up):
        for name, (argv, options) in commands.items():
            cost = run_once(argv, **options)
            if turn >= warm_up:
                costs[name].append(cost)
    return {name: median(taken) for name, taken in costs.items()}


def median(costs):
    return Cost(
        statistics.median(cost.wall for cost in costs),
        statistics.median(cost.cpu for cost in costs),
        max(cost.peak_kb for cost in costs),
        min(cost.cpu for cost in costs),
    )


def row(name, cost, extra=""):
    print(f"{name:<44} {cost.cpu * 1000:8.2f} [{cost.least * 1000:7.2f}] ms CPU {cost.wall * 1000:8.2f} ms wall {cost.peak_kb / 1024:7.1f} MB  {extra}")


def over(cost, bare):
    """The CPU time beyond another's, median and least, in milliseconds."""
    return f"{(cost.cpu - bare.cpu) * 1000:+6.2f} [{(cost.least - bare.least) * 1000:+6.2f}] ms CPU"


def own_cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
