"""Made-up profiles with a whole grid of benchmark matrices, and matrices for `predict` and `plan` with the papers'
models.

Bounds. A forecast is two or three least-squares lines, extended up to some hundred times their own length: 1e-7, where
double precision gives 1e-10. The papers leave the benchmark matrix M, I and P1 of their lines open: the product has to
say what the formula says for one of the choices. Times of cuts are sums of forecasts: the same bound.
"""

import collections
import functools

import guo_wang as rules

BOUND = 1e-7
SHORT, LONG = (4, 16, 64, 256, 1024), (1536, 2048)  # row lengths of the grid on either side of the break
KINDS = {"guo": "constant", "wang-normal": "normal", "wang-uniform": "uniform"}
MODELS = ("guo", "guo", "wang-normal", "wang-uniform")  # Guo's has HYB beside what all have
KERNELS = {"cuda": ("csr-vector", "csr-half", "csr-scalar", "ell", "jad", "coo"),
           "host": ("csr", "ell", "jad", "coo")}


def slots(lengths, slice_rows, sort_rows):
    """What sliced ELL stores: rows sorted by length within a window, each slice as wide as its longest row."""
    ordered = []
    for first in range(0, len(lengths), sort_rows):
        ordered += sorted(lengths[first:first + sort_rows], reverse=True)
    return sum(slice_rows * max(ordered[first:first + slice_rows]) for first in range(0, len(ordered), slice_rows))


def structure(lengths):
    """What a matrix with these row lengths shows to the papers' models."""
    counted = collections.Counter(lengths)
    return {"name": "made", "rows": len(lengths), "cols": max(len(lengths), *lengths), "nonzeros": sum(lengths),
            "row_min": min(lengths), "row_max": max(lengths), "row_mode": rules.mode(lengths),
            "row_mean": sum(lengths) / len(lengths), "row_histogram": sorted(map(list, counted.items()))}


def target(lengths):
    """The same with what the host's sliced formats would store, which `predict` wants to know of a host."""
    slices = [{"slice_rows": c, "sort_rows": s, "slots": slots(lengths, c, s)}
              for c, s in ((8, 1), (8, 1024), (16, 1024), (32, 1), (32, 1024), (64, 1), (64, 1024))]
    return {**structure(lengths), "slices": slices}


def random_properties(random):
    if random.random() < 0.5:
        return {"name": "made", "kind": "host", "compute_units": 2, "threads_per_unit": 1,
                "max_threads_per_block": 1024, "rows_per_chunk": random.choice([2, 5, 8]), "memory_bytes": 1 << 36}
    return {"name": "made", "kind": "cuda", "compute_units": random.randint(1, 3), "warp_size": 32,
            "warps_per_unit": random.choice([2, 3, 5]), "threads_per_unit": random.choice([7, 16, 20]),
            "max_threads_per_block": 1024, "memory_bytes": 1 << 36}


def lengths_of(random, kind, rows, mean):
    """Guo's rows are all of one length; Wang's mean is what the row lengths are drawn with."""
    if kind == "constant":
        return [mean] * rows
    if kind == "uniform":
        return [random.randint(1, 2 * mean - 1) for _ in range(rows)]
    return [max(0, round(random.gauss(mean, mean / 4))) for _ in range(rows)]


def random_time(random, kernel, noise):
    """Seconds of I strips of P per row: by the papers' own forms, disturbed by up to that share."""
    a, b, c, d = (random.uniform(0.5, 2) for _ in range(4))
    c *= random.choice([0.02, 1])  # what a product takes beside its strips decides whether cuts pay
    break_at, steeper = (1024, random.uniform(1, 3)) if kernel in rules.MODE_KERNELS else (1e9, 1)

    def time(i, p):
        if kernel in rules.MODE_KERNELS:
            slope = b * (steeper if p > break_at else 1)
            exact = 1e-7 * (a + slope * p) * (c + d * i)
        else:
            exact = 1e-8 * ((a + b * i) * p + 100 * c + 50 * d * i)
        return exact * (1 + noise * random.uniform(-1, 1))

    return time


class MadeUpProfile:
    """The document for the product, and the same numbers for the rules: records[kind, kernel] = [(I, P, T)]."""

    def __init__(self, random, model, noise):
        self.properties = random_properties(random)
        self.threads = 2 if self.properties["kind"] == "host" else 0
        self.kernels = KERNELS[self.properties["kind"]]
        self.records = {}
        matrices, records = [], []
        for kind in sorted({"constant", KINDS[model]}):
            for kernel in self.kernels:
                if kernel == "coo" and kind != "constant":
                    continue  # Wang has no COO
                time, size = random_time(random, kernel, noise), self.strip(kernel)
                for i, p in self.grid(random, kernel):
                    seconds = time(i, p)
                    matrices.append({"spec": {"kind": kind, "strips": i, "row_length": p, "rows": i * size,
                                              "cols": max(i * size, 2 * p), "seed": 1, "parameters": ""},
                                     "structure": structure(lengths_of(random, kind, i * size, p))})
                    records.append({"matrix": len(matrices) - 1, "kernel": kernel, "precision": "double",
                                    "threads": self.threads, "seconds": seconds})
                    key = (i * p, p, seconds) if kernel == "coo" else (i, p, seconds)  # COO's strips are of non-zeros
                    self.records.setdefault((kind, kernel), []).append(key)
        # Guo's HYB takes ELL's and COO's records alone. One of its own, which no line passes through, is the least of
        # all and so the product's launch: no formula is at a launch but for rounding.
        records.append({**records[0], "kernel": "hyb", "seconds": 0.9 * min(record["seconds"] for record in records)})
        self.document = {"schema": "sparsecast/profile/1", "name": "made", "properties": self.properties,
                         "matrices": matrices, "records": records}
        # Nothing is told to be faster than what starting a product takes: of a profile without curves its least record.
        self.launch = min(record["seconds"] for record in records)

    def strip(self, kernel):
        return rules.strip(self.properties, kernel, self.threads)

    def grid(self, random, kernel):
        if kernel == "coo":
            return [(1, p) for p in range(10, 101, 10)]
        most = random.choice([3, 4, 5, 10])
        lengths = sorted(random.sample(SHORT, random.randint(2, len(SHORT)))) + list(LONG)
        return [(i, p) for i in range(1, most + 1) for p in lengths]

    def answers(self, model, kernel, lengths):
        """What the rules say of a matrix, for every choice that they leave open; None where they say nothing."""
        of = lambda kernel: self.records.get((KINDS[model], kernel))
        i0 = rules.strips(len(lengths), self.strip(kernel))
        if kernel == "hyb":
            return of("coo") and rules.hyb(of("ell"), of("coo"), i0, lengths, self.strip("coo"))
        if not of(kernel):
            return None
        if kernel == "coo":
            return [rules.coo(of("coo"), rules.strips(sum(lengths), self.strip("coo")))]
        return rules.all_answers(kernel, of(kernel), i0,
                                 rules.mode(lengths) if kernel in rules.MODE_KERNELS else max(lengths))


def random_lengths(random, rows):
    short, long = random.choice([(1, 8), (3, 60), (0, 2), (30, 900), (1000, 1300)]), random.randint(1, 2500)
    lengths = [random.randint(*short) for _ in range(rows)]
    for _ in range(random.choice([0, 0, 1, 3])):
        lengths[random.randrange(rows)] = long
    return lengths if any(lengths) else [1] * rows


def nearest(told, answers):
    return min(answers, key=lambda answer: abs(answer - told))


def write_matrix(product, random, lengths):
    """Matrix Market text with these row lengths; columns are of no account."""
    cols = max(len(lengths), *lengths)
    entries = [(row + 1, col + 1) for row, length in enumerate(lengths)
               for col in sorted(random.sample(range(cols), length))]
    text = "".join(f"{row} {col} 1\n" for row, col in entries)
    return product.write("matrix.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                       f"{len(lengths)} {cols} {len(entries)}\n{text}")


def predictions(random, product):
    model = random.choice(MODELS)
    profile = MadeUpProfile(random, model, random.choice([0, 0.02, 0.1]))
    product.write("profile.json", profile.document)
    for least, most in ((1, 300), (4096, 12288), (12288, 30000)):  # HYB's width changes its rule at 4096 and 12288 rows
        lengths = random_lengths(random, random.randint(least, most))
        document = product.ask("predict", product.write("matrix.json", target(lengths)), "--profile", "profile.json",
                               "--model", model, "--threads", "2", "--no-store", "--no-probe", "--all")
        told = {forecast["kernel"]: forecast for forecast in document["forecasts"]}
        for kernel in (*profile.kernels, "hyb"):
            answers = profile.answers(model, kernel, lengths)
            if answers is None:
                yield f"{model} {kernel}, which it does not know", kernel in told, False, 0
            elif told[kernel].get("beyond") == "launch":
                yield f"{model} {kernel}, below a launch", told[kernel]["seconds"], profile.launch, 0
                yield f"{model} {kernel}, formula below a launch", min(answers) < profile.launch, True, 0
            else:
                yield f"{model} {kernel}", told[kernel]["seconds"], nearest(told[kernel]["seconds"], answers), BOUND


def cuts(random, product):
    """Records without noise, so that all choices that the paper leaves open say the same of every block."""
    model = random.choice(MODELS)
    profile = MadeUpProfile(random, model, 0)
    product.write("profile.json", profile.document)
    strip_rows, count = random.choice([3, 10, profile.strip("ell"), 3 * profile.strip("ell")]), random.randint(1, 8)
    lengths = []
    while len(lengths) < strip_rows * count:  # stretches of unlike rows
        least, most = random.choice([(1, 4), (8, 8), (1, 90), (60, 61)])
        lengths += [random.randint(least, most) for _ in range(random.randint(1, 3) * strip_rows)]
    lengths = lengths[:strip_rows * count - random.randrange(strip_rows)]  # the last strip may be begun

    @functools.cache
    def block_time(first, last):
        rows = lengths[(first - 1) * strip_rows:last * strip_rows]
        times = [answers[0] for answers in (profile.answers(model, kernel, rows)
                                            for kernel in (*profile.kernels, "hyb")) if answers]
        known = [time for time in times if time >= profile.launch]  # what is below a launch is not taken beside others
        return min(known) if known else profile.launch

    least, best = rules.best_cut(count, block_time)
    plan = product.ask("plan", write_matrix(product, random, lengths), "--profile", "profile.json", "--model", model,
                       "--threads", "2", "--strip-rows", strip_rows, "--reorder",
                       "never", "--no-store", "--no-probe", "--all")
    cut = [(block["first_strip"], block["last_strip"]) for block in plan["strategy"]]
    yield "strips", plan["strips"], count, 0
    yield f"{model} best cut", plan["predicted_s"], least, BOUND
    yield f"{model} best single kernel", plan["best_single"]["seconds"], block_time(1, count), BOUND
    for block, (first, last) in zip(plan["strategy"], cut):
        yield f"{model} block", block["seconds"], block_time(first, last), BOUND
        yield "first row", block["first_row"], (first - 1) * strip_rows, 0
        yield "last row", block["last_row"], min(last * strip_rows, len(lengths)) - 1, 0
    yield f"blocks, of {len(best)} best cuts", cut in best and len(cut) == min(map(len, best)), True, 0


def case(random, product):
    yield from (predictions if random.random() < 0.5 else cuts)(random, product)
