"""Random MATLAB programs for `traffic`: straight lines, branches and loops over numbers, vectors and matrices.

Bounds. Bytes are whole numbers: 0. Each line is compared, the region's sums, and what was loaded in products of two
matrices. Orders are at most 36, where a dense product reads each operand once (docs/models/traffic.md).

What decides a branch is known without the arrays' values: numbers, shapes, and norms, which are not below 0.
"""

import os
import re

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
    if kind == "end":
        return "end"
    if kind == "column":
        return f"{e[1]}(:, {text(e[2])})"
    if kind == "entry":
        return f"{e[1]}({text(e[2])}, {text(e[3])})"
    if kind == "each":
        return f"({text(e[2])} {e[1]} {text(e[3])})"
    if kind == "both":
        return f"({text(e[2])} {e[1]} {text(e[3])})"
    if kind == "product":
        return f"({text(e[1])}*{text(e[2])})"
    if kind in ("call", "own"):
        return f"{e[1]}({', '.join(map(text, e[2]))})"
    return f"[{', '.join(map(text, e[1]))}]"


class Writer:
    """Writes a program line by line, and the same as statements that know their line."""

    def __init__(self, random):
        self.random, self.lines = random, []
        self.n = random.randint(4, 36)
        self.numbers = ["a", "b", "c"]  # known: they may decide a branch
        self.results = ["s", "t"]  # numbers that come of arrays
        self.vectors, self.matrices = ["u", "v", "w", "x"], ["A", "B", "C"]
        self.sparse = ["S", "T"]
        self.functions = {}
        self.loops = []  # counters of the loops around, which stay within 1 to 4

    def put(self, line):
        self.lines.append("  " * len(self.loops) + line)
        return len(self.lines)

    def variables(self):
        shapes = {name: slamm.Value(1, 1, number=float(k + 1)) for k, name in enumerate(self.numbers)}
        shapes.update({name: slamm.Value(1, 1) for name in self.results})
        shapes.update({name: slamm.Value(self.n, 1) for name in self.vectors})
        shapes.update({name: slamm.Value(self.n, self.n) for name in self.matrices})
        shapes.update({name: slamm.Value(self.n, self.n, nonzeros=self.n - k) for k, name in enumerate(self.sparse)})
        return shapes

    def put_function(self):
        """Of two vectors or numbers, in their own shape."""
        def part(names):
            e = ("each", self.random.choice(["+", "-", ".*"]), *(("variable", self.random.choice(names)) for _ in "ab"))
            return self.random.choice([e, ("call", self.random.choice(["sin", "abs"]), [e])])

        self.put("1;")
        self.put("%SLM IncFunc f;")
        self.put("function y = f(p, q)")
        body = []
        for name, names in (("h", "pq"), ("y", "pqh")):
            e = part(names)
            body.append((self.put(f"{name} = {text(e)};"), "assign", name, e))
        self.put("end")
        self.functions["f"] = ("pq", body, "y")

    def begin(self):
        if self.random.random() < 0.5:
            self.put_function()
        for k, name in enumerate(self.numbers):
            self.put(f"{name} = {k + 1};")
        for name in self.results:
            self.put(f"{name} = 0.5;")
        for name in self.vectors:
            self.put(f"{name} = rand({self.n}, 1);")
        for name in self.matrices:
            self.put(f"{name} = rand({self.n}, {self.n});")
        for k, name in enumerate(self.sparse):  # a diagonal
            self.put(f"{name} = sparse(1:{self.n - k}, {1 + k}:{self.n}, 2, {self.n}, {self.n});")
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
        kind = (r.choice(["known", "result", "inner", "reduced", "element", "parts", "shape", "each"]) if depth
                else "result")
        if kind == "known":
            return self.known(1)
        if kind == "inner":
            return ("product", ("transposed", self.vector(depth - 1)), self.vector(depth - 1))
        if kind == "reduced":
            name = r.choice(["sum", "norm", "max", "dot"])
            return ("call", name, [self.vector(depth - 1) for _ in range(2 if name == "dot" else 1)])
        if kind == "element":
            return r.choice([("element", r.choice(self.vectors), self.index()),
                             ("entry", r.choice(self.matrices), self.index(), self.index())])
        if kind == "shape":
            return ("call", r.choice(["numel", "length"]), [self.vector(depth - 1)])
        if kind == "each":
            return ("each", r.choice(["+", "-", ".*"]), self.number(depth - 1), self.number(depth - 1))
        if kind == "parts":
            count = r.randint(2, self.n)
            left, right = (self.slice(count) for _ in range(2))
            both = ("each", r.choice(["+", "-", ".*"]), left, right)
            return r.choice([("call", r.choice(["sum", "norm", "max"]), [r.choice([left, both])]),
                             ("call", "dot", [left, right]), ("product", ("transposed", left), right)])
        return ("variable", r.choice(self.results))

    def slice(self, count):
        first = self.random.randint(1, self.n - count + 1)
        return ("slice", self.random.choice(self.vectors), first, first + count - 1)

    def comparison(self):
        return ("each", self.random.choice("<>"), self.known(1), self.known(1))

    def condition(self):
        """Its value does not hang on the arrays'."""
        r = self.random
        known = self.comparison()
        least = ("each", "<", ("call", "norm", [self.vector(1)]), ("minus", ("number", 1.0)))
        return r.choice([known, known, known, least, ("each", r.choice("<>"), ("call", "numel", [self.vector(0)]),
                                                      ("number", float(r.randint(1, 40))))])

    def index(self):
        if self.loops and self.random.random() < 0.7:
            return ("variable", self.random.choice(self.loops))
        return self.random.choice([("number", float(self.random.randint(1, 4))), ("end",)])

    def vector(self, depth):
        r = self.random
        kind = (r.choice(["variable", "each", "each", "scaled", "minus", "function", "product", "column"]) if depth
                else "variable")
        if kind == "column":
            return ("column", r.choice(self.matrices), self.index())
        if kind == "each":
            return ("each", r.choice(["+", "-", ".*", "./"]), self.vector(depth - 1), self.vector(depth - 1))
        if kind == "scaled":
            return ("product", self.number(depth - 1), self.vector(depth - 1))
        if kind == "minus":
            return ("minus", self.vector(depth - 1))
        if kind == "function":
            return ("call", r.choice(["sin", "abs", "cos"]), [self.vector(depth - 1)])
        if kind == "product":
            return ("product", r.choice([self.matrix(depth - 1), self.diagonal()]), self.vector(depth - 1))
        return ("variable", r.choice(self.vectors))

    def diagonal(self):
        name = ("variable", self.random.choice(self.sparse))
        return self.random.choice([name, ("transposed", name)])

    def matrix(self, depth):
        r = self.random
        kind = r.choice(["variable", "transposed", "each", "product", "outer"]) if depth else "variable"
        if kind == "transposed":
            return ("transposed", ("variable", r.choice(self.matrices)))
        if kind == "each":
            return ("each", r.choice(["+", "-", ".*"]), self.matrix(depth - 1), self.matrix(depth - 1))
        if kind == "product":
            left, right = self.matrix(depth - 1), self.matrix(depth - 1)
            return ("product", *r.choice([(left, right), (left, right), (left, self.diagonal()),
                                          (self.diagonal(), right)]))
        if kind == "outer":
            column, row = (("variable", r.choice(self.vectors)) for _ in range(2))
            return ("product", column, ("transposed", row))
        return ("variable", r.choice(self.matrices))

    # Statements.

    def statement(self, depth):
        r = self.random
        kinds = ["number", "result", "vector", "vector", "matrix", "element", "slice", "copy", "update", "own", "column"]
        kind = r.choice(kinds + (["if", "for", "while"] if depth else []) + (["leave"] if self.loops else []))
        if kind in ("if", "for", "while"):
            return getattr(self, "put_" + kind)(depth)
        if kind == "element":
            name, index, e = r.choice(self.vectors), self.index(), self.number(1)
            return (self.put(f"{name}({text(index)}) = {text(e)};"), "assign element", name, index, e)
        if kind == "column":
            name, index, e = r.choice(self.matrices), self.index(), self.vector(2)
            return (self.put(f"{name}(:, {text(index)}) = {text(e)};"), "assign column", name, index, e)
        if kind == "slice":
            name, count = r.choice(self.vectors), r.randint(2, self.n)
            first, e = r.randint(1, self.n - count + 1), self.slice(count)
            return (self.put(f"{name}({first}:{first + count - 1}) = {text(e)};"), "assign slice", name, first,
                    first + count - 1, e)
        if kind == "own" and self.functions:
            of, argument = r.choice([(self.vectors, self.vector), (self.results, lambda depth: self.known(depth))])
            name, e = r.choice(of), ("own", "f", [argument(1), argument(0)])
            if r.random() < 0.3:
                e = ("each", "+", ("variable", r.choice(of)), e)
            return (self.put(f"{name} = {text(e)};"), "assign", name, e)
        if kind in ("update", "own"):
            name, e = r.choice([(r.choice(self.vectors), self.vector(1)), (r.choice(self.results), self.number(1))])
            sign = r.choice("+-")
            return (self.put(f"{name} {sign}= {text(e)};"), "update", name, sign, e)
        if kind == "leave":
            condition = self.condition()
            line = self.put(f"if {text(condition)}")
            leave = self.put("break")
            self.put("end")
            return (line, "if", condition, [(leave, "break")], [])
        names, e = {"number": lambda: (self.numbers, self.known(2)), "result": lambda: (self.results, self.number(2)),
                    "vector": lambda: (self.vectors, self.vector(3)), "matrix": lambda: (self.matrices, self.matrix(2)),
                    "copy": lambda: (lambda of: (of, ("variable", r.choice(of))))(
                        r.choice([self.numbers, self.results, self.vectors, self.matrices, self.sparse]))}[kind]()
        name = r.choice(names)
        return (self.put(f"{name} = {text(e)};"), "assign", name, e)

    def body(self, depth):
        return [self.statement(depth) for _ in range(self.random.randint(1, 3))]

    def put_if(self, depth):
        condition = self.condition()
        if self.random.random() < 0.2:
            condition = ("both", self.random.choice(["&&", "||"]), condition, self.comparison())
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


def region_of(document):
    """The program's, beside that of its function."""
    (region,) = (one for one in document["regions"] if one["name"] == "region")
    return region


def case(random, product):
    writer = Writer(random)
    writer.begin()
    first = len(writer.lines)
    program = list(flat([writer.statement(3) for _ in range(random.randint(20, 40))]))
    writer.put("%SLM end region;")
    document = product.ask("traffic", product.write("program.m", "\n".join(writer.lines) + "\n"))
    run = slamm.Run(writer.variables(), writer.functions)
    run.run(program)
    region = region_of(document)
    told = {line["line"]: line for line in document["lines"]}
    of_functions = [statement[0] for _, body, _ in writer.functions.values() for statement in body]
    for line in (*of_functions, *range(first + 1, len(writer.lines) + 1)):
        of = told.get(line, {"wsl_bytes": 0, "wss_bytes": 0})
        yield f"loads of line {line}, {writer.lines[line - 1].strip()}", of["wsl_bytes"], run.loads.get(line, 0), 0
        yield f"stores of line {line}, {writer.lines[line - 1].strip()}", of["wss_bytes"], run.stores.get(line, 0), 0
    yield "WSL", region["wsl_bytes"], sum(run.loads.values()), 0
    yield "WSS", region["wss_bytes"], sum(run.stores.values()), 0
    yield "SR", region["sr_bytes"], run.storage(program), 0
    yield "DGEMM", region["dgemm_bytes"], run.dense_bytes, 0
    yield "sparse", region["sparse_bytes"], run.sparse_bytes, 0
    yield "nothing is left unanalysed", document["unanalysed"], [], 0
    if random.random() < 0.3:  # the same with other names, in another folder
        os.mkdir(os.path.join(product.folder, "other"))
        names = slamm.names_in(program) | set(run.variables)
        new = dict(zip(sorted(names), random.sample([f"q{k}" for k in range(3 * len(names))], len(names))))
        lines = [re.sub(r"\b[A-Za-z]\w*", lambda word: new.get(word[0], word[0]), line)
                 if not line.startswith("%") else line for line in writer.lines]
        again = product.ask("traffic", product.write("other/renamed.m", "\n".join(lines) + "\n"))
        for key in region:
            if key.endswith("bytes"):
                yield f"{key}, renamed", region_of(again)[key], region[key], 0
