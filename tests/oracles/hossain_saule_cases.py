"""Made-up cluster profiles and matrices for `cluster predict --model linear` and `--model microbench`.

On one process any matrix will do. On several the block of a process is known without METIS and without the random
permutation where the matrix is full: every block of it is full, whichever rows it has.

Bounds. Cores are sums of products of exact counts: 1e-9. Lines and polynomials go through normal equations, those of
a cubic with a condition number of some 10^8: 1e-6. Messages are made up as exact polynomials of logarithms where there
are several process counts, since the paper does not tell the polynomial's terms.
"""

import math

import hossain_saule as rules

EXACT, FITTED = 1e-9, 1e-6
CORES_PER_NODE = 4
PATTERNS = ("grid", "grid_reduce", "grid_bcast", "allgatherv", "bcast", "reduce", "ping_pong_near", "ping_pong_far")
NO_FEATURES = [0] * 10


def nodes_of(processes):
    return -(-processes // CORES_PER_NODE)


def random_node(random, least, most):
    """Curves with points below, among and above the sizes of the data, which are between these bytes."""
    curves = []
    points = sorted(least / 9 * (81 * most / least) ** random.random() for _ in range(random.randint(2, 30)))
    for value_bytes in (4, 8):
        rates = sorted((random.uniform(1e9, 4e10) for _ in points), reverse=True)
        curves.append({"value_bytes": value_bytes, "busy": 1, "bytes": points, "rate": rates})
    rings = sorted(least / 9 * (81 * most / least) ** random.random() for _ in range(random.randint(2, 30)))
    seconds = sorted(random.uniform(1e-9, 2e-7) for _ in rings)
    return {"bandwidth": curves, "latency": {"bytes": rings, "seconds": seconds}, "fma_s": random.uniform(1e-11, 1e-9)}


def random_messages(random, counts):
    """seconds = a power of processes and nodes times a growing cubic of the logarithm of the size, in the logarithm;
    with noise where one count alone was measured, which leaves the cubic alone to fit."""
    messages = []
    noise = random.choice([0, 0.1]) if len(counts) == 1 else 0
    sizes = [8.0 * 4**k for k in range(random.randint(7, 10))]
    for pattern in PATTERNS + ("halo",):
        low = 1e-9 if pattern.startswith("ping_pong") else random.uniform(1e-6, 1e-5)  # floors stay far below
        a, b, c = random.uniform(0.1, 0.5), random.uniform(0, 0.03), random.uniform(0, 0.001)
        of_processes, of_nodes = random.uniform(0, 1), random.uniform(0, 1)
        for processes in counts:
            for size in sizes:
                s = math.log(size)
                seconds = low * math.exp(a * s + b * s**2 + c * s**3) * processes**of_processes
                seconds *= nodes_of(processes) ** of_nodes * (1 + noise * random.uniform(-1, 1))
                if pattern != "halo":
                    messages.append([pattern, processes, size, 0, seconds])
                elif processes > 1:  # to several neighbours, one after another
                    messages += [[pattern, processes, size, k, k * seconds] for k in (1, 2, 3)]
    keys = ("pattern", "processes", "bytes", "neighbours", "seconds")
    return [{**dict(zip(keys, m)), "nodes": nodes_of(m[1])} for m in messages]


def random_runs(random, counts):
    """Of random matrices: the linear model's records, lines with noise."""
    runs = []
    for processes in counts:
        for rows in sorted(random.sample(range(10, 400), random.randint(2, 5))):
            offset, slope = random.uniform(1e-4, 1e-3) * rows, random.uniform(1e-6, 1e-4) * rows
            for length in (1, 2, 4, 8, 16, 32)[:random.randint(2, 6)]:
                features = [rows, rows, rows * length] + [0] * 7
                seconds = (offset + slope * length) * random.uniform(0.9, 1.1)
                runs.append({"matrix": f"random-{rows}-{length}", "random": True, "way": "2du", "format": "csr",
                             "processes": processes, "nodes": nodes_of(processes), "rows": rows,
                             "nonzeros": rows * length, "row_std": 0.0, "seconds": seconds, "core_s": seconds / 2,
                             "attributes": [0] * 5, "load": [0] * 5,
                             "ranks": [{"own": features, "remote": NO_FEATURES, "received": 0, "sent": 0, "sources": 0}
                                       for _ in range(processes)]})
    return runs


def random_profile(random, counts, least, most):
    return {"schema": "sparsecast/cluster-profile/1", "name": "made", "source": "measured", "launcher": "mpirun",
            "software": "none", "taken": "2026-01-01T00:00:00Z", "cores_per_node": CORES_PER_NODE,
            "cache_share_bytes": [256, 512, 64 * random.choice([8, 16, 100, 10000])],
            "node": random_node(random, least, most), "messages": random_messages(random, counts), "blocks": [],
            "runs": random_runs(random, counts)}


def write_matrix(product, rows, entries):
    text = "".join(f"{i + 1} {j + 1} 1\n" for i, j in entries)
    return product.write("matrix.mtx", f"%%MatrixMarket matrix coordinate real general\n{rows} {rows} {len(entries)}\n"
                                       f"{text}")


def full(rows, cols):
    return [(i, j) for i in range(rows) for j in range(cols)]


def message(profile, pattern, size, processes):
    """One message of that kind; of an exchange with neighbours, with one."""
    return rules.message([(m["bytes"], m["seconds"]) for m in profile["messages"] if m["pattern"] == pattern
                          and m["processes"] == processes and m["neighbours"] <= 1], size)


def micro_benchmarks(random, profile, product, processes, rows, entries):
    precision, value_bytes = random.choice([("double", 8), ("single", 4)])
    cache = profile["cache_share_bytes"][2]
    document = product.ask("cluster", "predict", "matrix.mtx", "--cluster", "cluster.json", "--model", "microbench",
                           "--processes", processes, "--precision", precision)
    told = {(f["way"], f["format"]): f for f in document["forecasts"]}
    side = -(-rows // math.isqrt(processes))
    reduce, bcast = (message(profile, of, side * value_bytes, processes) for of in ("grid_reduce", "grid_bcast"))
    gather = message(profile, "allgatherv", rows * value_bytes, processes)
    for storage in ("csr", "coo"):
        def core(block, block_rows, block_cols=rows):
            return rules.core(storage, block, block_rows, block_cols, profile["node"], cache, value_bytes)

        if processes > 1 or cache > rows * value_bytes:  # on one process rows are permuted at random, misses with them
            forecast, of_core = told["2du", storage], core(entries if processes == 1 else full(side, side), side, side)
            yield f"2du {storage} core", forecast["core_s"], of_core, EXACT
            yield f"2du {storage} messages", forecast["communication_s"], reduce + bcast, FITTED
            yield f"2du {storage}", forecast["seconds"], of_core + reduce + bcast, FITTED
        gathering, exchanging = told["g1dr", storage], told["l1dr", storage]
        yield f"g1dr {storage} messages", gathering["communication_s"], gather, FITTED
        if processes == 1:  # no other process, no message
            yield f"g1dr {storage} core", gathering["core_s"], core(entries, rows), EXACT
            yield f"l1dr {storage}", exchanging["seconds"], core(entries, rows), EXACT
            continue
        equal = rows // processes
        cores = {mine: core(full(mine, rows), mine) for mine in range(equal, equal + 3)}  # METIS's heaviest part
        mine = min(cores, key=lambda mine: abs(cores[mine] - gathering["core_s"]))
        yield f"g1dr {storage} core", gathering["core_s"], cores[mine], EXACT
        # The columns of its own rows first, then all others', each a product of its own.
        apart = core(full(mine, mine), mine, mine) + core(full(mine, rows - mine), mine, rows - mine)
        yield f"l1dr {storage} core", exchanging["core_s"], apart, EXACT
        # Parts that are not equal send otherwise, and ranks of a node that is not full have more neighbours elsewhere.
        if mine == equal and processes % CORES_PER_NODE == 0:
            halo = (processes - 1) * message(profile, "halo", mine * value_bytes, processes)
            yield f"l1dr {storage} messages", exchanging["communication_s"], halo, FITTED


def linear(profile, product, processes, rows, entries):
    document = product.ask("cluster", "predict", "matrix.mtx", "--cluster", "cluster.json", "--model", "linear",
                           "--way", "2du", "--format", "csr", "--processes", processes)
    runs = [(run["rows"], run["nonzeros"] / run["rows"], run["seconds"]) for run in profile["runs"]
            if run["processes"] == processes]
    (told,) = document["forecasts"]
    yield "linear", told["seconds"], rules.linear(runs, rows, len(entries) / rows), FITTED


def sizes(processes, rows, entries):
    """The least and the most bytes that a process may hold, by any count of arrays and either precision."""
    blocks = [(rows, rows, len(entries))]
    if processes > 1:
        side, mine = -(-rows // math.isqrt(processes)), -(-rows // processes)
        blocks = [(side, side, side * side), (mine, rows, mine * rows), (mine, mine, mine * mine)]
    return (min(8 * nonzeros for _, _, nonzeros in blocks),
            max(rules.data_bytes("coo", *block, 8) + 8 * block[0] for block in blocks))


def case(random, product):
    counts = random.choice([[1], [4], [1, 4, 16], [1, 4, 9, 16, 25]])
    processes = random.choice(counts)
    if processes == 1:
        rows = random.randint(20, 300)
        entries = [(i, j) for i in range(rows) for j in sorted(random.sample(range(rows), random.randint(1, 9)))]
    else:
        rows = processes * random.randint(2, 60 // math.isqrt(processes))
        entries = full(rows, rows)
    profile = random_profile(random, counts, *sizes(processes, rows, entries))
    product.write("cluster.json", profile)
    write_matrix(product, rows, entries)
    yield from micro_benchmarks(random, profile, product, processes, rows, entries)
    measured = [run["rows"] for run in profile["runs"] if run["processes"] == processes]
    rows = random.randint(min(measured), max(measured))
    entries = [(i, j) for i in range(rows) for j in random.sample(range(rows), random.randint(1, 9))]
    write_matrix(product, rows, entries)
    yield from linear(profile, product, processes, rows, entries)
