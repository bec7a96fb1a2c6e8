"""Was anything else running? For benchmarks that run programs and want the machine to themselves (Linux)."""
import os, resource, time

TICK = os.sysconf("SC_CLK_TCK")


def busy_seconds():
    """Of all cores, since the machine started: user, nice, system, interrupts and what a hypervisor took."""
    with open("/proc/stat", encoding="ascii") as stat:
        numbers = [int(n) for n in stat.readline().split()[1:]]
    return (sum(numbers[:3]) + sum(numbers[5:8])) / TICK


def own_seconds():
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def alone(work, patience_s=60, share=0.05):
    """(result, whether others took less than `share` of a core meanwhile): work() again until so, or so long at most."""
    end = time.monotonic() + patience_s
    while True:
        begin, busy, own = time.monotonic(), busy_seconds(), own_seconds()
        result = work()
        spent = time.monotonic() - begin
        others = busy_seconds() - busy - (own_seconds() - own)
        undisturbed = others <= share * spent + 2 / TICK
        if undisturbed or time.monotonic() > end:
            return result, undisturbed
        time.sleep(0.2)
