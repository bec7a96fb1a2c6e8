"""Random MATLAB programs for `traffic`: straight lines, branches and loops over numbers, vectors and matrices.

Bounds. Bytes are whole numbers: 0. Each line is compared, the region's sums, and what was loaded in products of two
matrices. Orders are at most 36, where a dense product reads each operand once (docs/models/traffic.md).

Two kinds of expressions are not made, in which the product differs from the rules (docs/design/oracles.md): an element
of an array in front of what may be the array itself, and `*` between two transposed matrices.
"""

import slamm

def text(e):
    """As MATLAB is written; every operation in parentheses, which a reader of programs must see through."""
    kind = e[0]
    if kind == "number":
        return f"{e[1]:g}"
    if kind == "variable":
        return e[1]
    if kind == "transposed":
        return text(e[1]) + "'"
    if kind == "minus":
        return f"(-{text(e[1])})"
    if kind == "element":
        return f"{e[1]}({text(e[2])})"
    if kind == "slice":
        return f"{e[1]}({e[2]}:{e[3]})"
    if kind == "each":
        return f"({text(e[2])} {e[1]} {text(e[3])})"
    if kind == "product":
        return f"({text(e[1])}*{text(e[2])})"
    if kind == "call":
        return f"{e[1]}({', '.join(map(text, e[2]))})"
    return f"[{', '.join(map(text, e[1]))}]"


def without_elements(e):
    """The same with a plain number for each element of an array."""
    if e[0] == "element":
        return ("variable", "s")
    return tuple(without_elements(part) if isinstance(part, tuple) else
                 [without_elements(one) for one in part] if isinstance(part, list) else part for part in e)


class Writer:
    """Writes a program line by line, and the same as statements that know their line."""

    def __init__(self, random):
        self.random, self.lines = random, []
        self.n = random.randint(4, 36)
        self.numbers = ["a", "b", "c"]  # known: they may decide a branch
        self.results = ["s", "t"]  # numbers that come of arrays
        self.vectors, self.matrices = ["u", "v", "w", "x"], ["A", "B", "C"]
        self.loops = []  # counters of the loops around, which stay within 1 to 4

    def put(self, line):
        self.lines.append("  " * len(self.loops) + line)
        return len(self.lines)

    def variables(self):
        shapes = {name: slamm.Value(1, 1, number=float(k + 1)) for k, name in enumerate(self.numbers)}
        shapes.update({name: slamm.Value(1, 1) for name in self.results})
        shapes.update({name: slamm.Value(self.n, 1) for name in self.vectors})
        shapes.update({name: slamm.Value(self.n, self.n) for name in self.matrices})
        return shapes

    def begin(self):
        for k, name in enumerate(self.numbers):
            self.put(f"{name} = {k + 1};")
        for name in self.results:
            self.put(f"{name} = 0.5;")
        for name in self.vectors:
            self.put(f"{name} = rand({self.n}, 1);")
        for name in self.matrices:
            self.put(f"{name} = rand({self.n}, {self.n});")
        self.put("%SLM start region;")

    # Expressions of a given shape.

    def known(self, depth):
        """A number whose value is known without the arrays."""
        r = self.random
        if depth == 0 or r.random() < 0.4:
            return r.choice([("number", float(r.randint(1, 9))), ("variable", r.choice(self.numbers + self.loops))])
        return ("each", r.choice(["+", "-", ".*"]), self.known(depth - 1), self.known(depth - 1))

    def number(self, depth):
        r = self.random
        kind = r.choice(["known", "result", "inner", "reduced", "element", "shape", "each"]) if depth else "result"
        if kind == "known":
            return self.known(1)
        if kind == "inner":
            return ("product", ("transposed", self.vector(depth - 1)), self.vector(depth - 1))
        if kind == "reduced":
            name = r.choice(["sum", "norm", "max", "dot"])
            return ("call", name, [self.vector(depth - 1) for _ in range(2 if name == "dot" else 1)])
        if kind == "element":
            return ("element", r.choice(self.vectors), self.index())
        if kind == "shape":
            return ("call", r.choice(["numel", "length"]), [self.vector(depth - 1)])
        if kind == "each":
            left = without_elements(self.number(depth - 1))
            return ("each", r.choice(["+", "-", ".*"]), left, self.number(depth - 1))
        return ("variable", r.choice(self.results))

    def index(self):
        if self.loops and self.random.random() < 0.7:
            return ("variable", self.random.choice(self.loops))
        return ("number", float(self.random.randint(1, 4)))

    def vector(self, depth):
        r = self.random
        kind = r.choice(["variable", "each", "each", "scaled", "minus", "function", "product"]) if depth else "variable"
        if kind == "each":
            return ("each", r.choice(["+", "-", ".*", "./"]), self.vector(depth - 1), self.vector(depth - 1))
        if kind == "scaled":
            return ("product", without_elements(self.number(depth - 1)), self.vector(depth - 1))
        if kind == "minus":
            return ("minus", self.vector(depth - 1))
        if kind == "function":
            return ("call", r.choice(["sin", "abs", "cos"]), [self.vector(depth - 1)])
        if kind == "product":
            return ("product", self.matrix(depth - 1), self.vector(depth - 1))
        return ("variable", r.choice(self.vectors))

    def matrix(self, depth):
        r = self.random
        kind = r.choice(["variable", "transposed", "each", "product", "outer"]) if depth else "variable"
        if kind == "transposed":
            return ("transposed", ("variable", r.choice(self.matrices)))
        if kind == "each":
            return ("each", r.choice(["+", "-", ".*"]), self.matrix(depth - 1), self.matrix(depth - 1))
        if kind == "product":
            left, right = self.matrix(depth - 1), self.matrix(depth - 1)
            return ("product", left, right[1] if left[0] == right[0] == "transposed" else right)
        if kind == "outer":
            column, row = (("variable", r.choice(self.vectors)) for _ in range(2))
            return ("product", column, ("transposed", row))
        return ("variable", r.choice(self.matrices))

    # Statements.

    def statement(self, depth):
        r = self.random
        kinds = ["number", "result", "vector", "vector", "matrix", "element", "slice", "copy"]
        kind = r.choice(kinds + (["if", "for", "while"] if depth else []))
        if kind in ("if", "for", "while"):
            return getattr(self, "put_" + kind)(depth)
        if kind == "element":
            name, index, e = r.choice(self.vectors), self.index(), self.number(1)
            return (self.put(f"{name}({text(index)}) = {text(e)};"), "assign element", name, index, e)
        if kind == "slice":
            name, count = r.choice(self.vectors), r.randint(2, self.n)
            first, other = r.randint(1, self.n - count + 1), r.randint(1, self.n - count + 1)
            e = ("slice", r.choice(self.vectors), other, other + count - 1)
            return (self.put(f"{name}({first}:{first + count - 1}) = {text(e)};"), "assign slice", name, first,
                    first + count - 1, e)
        names, e = {"number": lambda: (self.numbers, self.known(2)), "result": lambda: (self.results, self.number(2)),
                    "vector": lambda: (self.vectors, self.vector(3)), "matrix": lambda: (self.matrices, self.matrix(2)),
                    "copy": lambda: (lambda of: (of, ("variable", r.choice(of))))(
                        r.choice([self.numbers, self.results, self.vectors, self.matrices]))}[kind]()
        name = r.choice(names)
        return (self.put(f"{name} = {text(e)};"), "assign", name, e)

    def body(self, depth):
        return [self.statement(depth) for _ in range(self.random.randint(1, 3))]

    def put_if(self, depth):
        condition = ("each", self.random.choice("<>"), self.known(1), self.known(1))
        line = self.put(f"if {text(condition)}")
        body = self.body(depth - 1)
        self.put("else")
        otherwise = self.body(depth - 1)
        self.put("end")
        return (line, "if", condition, body, otherwise)

    def put_for(self, depth):
        counter, first = f"k{len(self.loops)}", self.random.randint(1, 2)
        last = self.random.randint(first - 1, 4)
        line = self.put(f"for {counter} = {first}:{last}")
        self.loops.append(counter)
        body = self.body(depth - 1)
        self.loops.pop()
        self.put("end")
        return (line, "for", counter, first, last, body)

    def put_while(self, depth):
        """Counts a variable of its own up to a bound."""
        name, bound = f"r{len(self.lines)}", self.random.randint(0, 3)
        start = (self.put(f"{name} = 0;"), "assign", name, ("number", 0.0))
        condition = ("each", "<", ("variable", name), ("number", float(bound)))
        line = self.put(f"while {text(condition)}")
        body = self.body(depth - 1)
        e = ("each", "+", ("variable", name), ("number", 1.0))
        body.append((self.put(f"{name} = {text(e)};"), "assign", name, e))
        self.put("end")
        return (line, "both", [start, (line, "while", condition, body)])


def flat(statements):
    for line, kind, *rest in statements:
        if kind == "both":
            yield from flat(rest[0])
        else:
            yield (line, kind, *(list(flat(part)) if isinstance(part, list) and part and isinstance(part[0], tuple)
                                 and isinstance(part[0][0], int) else part for part in rest))


def case(random, product):
    writer = Writer(random)
    writer.begin()
    first = len(writer.lines)
    program = list(flat([writer.statement(3) for _ in range(random.randint(20, 40))]))
    writer.put("%SLM end region;")
    document = product.ask("traffic", product.write("program.m", "\n".join(writer.lines) + "\n"))
    run = slamm.Run(writer.variables())
    run.run(program)
    (region,) = document["regions"]
    told = {line["line"]: line for line in document["lines"]}
    for line in range(first + 1, len(writer.lines) + 1):
        of = told.get(line, {"wsl_bytes": 0, "wss_bytes": 0})
        yield f"loads of line {line}, {writer.lines[line - 1].strip()}", of["wsl_bytes"], run.loads.get(line, 0), 0
        yield f"stores of line {line}, {writer.lines[line - 1].strip()}", of["wss_bytes"], run.stores.get(line, 0), 0
    yield "WSL", region["wsl_bytes"], sum(run.loads.values()), 0
    yield "WSS", region["wss_bytes"], sum(run.stores.values()), 0
    yield "SR", region["sr_bytes"], run.storage(program), 0
    yield "DGEMM", region["dgemm_bytes"], run.dense_bytes, 0
    yield "nothing is left unanalysed", document["unanalysed"], [], 0
