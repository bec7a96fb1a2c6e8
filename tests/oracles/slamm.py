"""The bytes that a MATLAB program loads and stores by the rules of SLAMM (Dennis, Jessup & Waite, ENTCS 253, 2010),
found by executing it: arrays are shapes, numbers that decide where it goes have values.

A program is a list of statements, an expression a tuple:

  ("number", 2.5) ("variable", "u") ("transposed", e) ("minus", e) ("element", "u", index) ("slice", "u", first, last)
  ("column", "A", index) ("entry", "A", index, index)    A(:, index), A(index, index); an index may be ("end",)
  ("each", ".*", e, f)       + - .* ./ < > and what else goes element by element
  ("product", e, f)          the matrix product
  ("call", "sum", [e, ...])  a built-in function
  ("own", "f", [e, ...])     a function of the program's
  ("both", "&&", e, f)       f without calls, of which one that is not made would not count
  ("list", [e, ...])         [e, ...]

  ("assign", "u", e) ("assign element", "u", index, e) ("assign slice", "u", first, last, e)
  ("assign column", "A", index, e)
  ("update", "u", "+", e)    u += e
  ("for", "k", first, last, body) ("while", condition, body) ("if", condition, body, otherwise) ("break",)

What the paper leaves open, "the rules of the model's card" (docs/models/traffic.md), is marked so.
"""

import dataclasses
import operator
from typing import Optional

OPERATORS = {"+": operator.add, "-": operator.sub, ".*": operator.mul, "<": operator.lt, ">": operator.gt}
INDEX_BYTES = 4  # the card: of a sparse matrix's rows and of its column pointers
SMALL = 1  # elements: an assignment of more is a pointer, of a number a copy (2.2, copy correction)
ASKS_FOR_SHAPE = {"numel", "length"}  # functions without notable data movement
REDUCES = {"sum", "norm", "max", "dot"}


@dataclasses.dataclass(frozen=True)
class Value:
    rows: int
    cols: int
    each: int = 8  # bytes of an element: a double, or a logical
    number: Optional[float] = None
    nonzeros: Optional[int] = None  # of a sparse matrix

    @property
    def elements(self):
        return self.rows * self.cols

    @property
    def sparse(self):
        return self.nonzeros is not None

    @property
    def bytes(self):
        if self.sparse:  # the card: compressed by columns
            return self.nonzeros * (self.each + INDEX_BYTES) + (self.cols + 1) * INDEX_BYTES
        return self.elements * self.each

    @property
    def scalar(self):
        return self.elements == 1


class Statement:
    """What one statement reads. A variable counts once however often it occurs (2.2, duplicate correction)."""

    def __init__(self):
        self.whole = {}  # variable: its bytes
        self.parts, self.most = {}, {}  # variable: {part: bytes}, all its elements being one part; its bytes
        self.temporaries = 0  # bytes stored and loaded again
        self.dense, self.dense_temporaries = {}, 0  # of both, what products of two matrices read
        self.sparse = 0  # of both, what products with a sparse matrix read
        self.sparse_parts = []  # (variable, bytes) of parts that such a product reads first

    def reads(self, name, value):
        self.whole[name] = value.bytes

    def reads_part(self, name, value, part, amount):
        self.parts.setdefault(name, {})[part] = amount
        self.most[name] = value.bytes

    @property
    def loads(self):
        """The card: several parts of a variable at most the variable."""
        parts = sum(min(sum(amounts.values()), self.most[name]) for name, amounts in self.parts.items()
                    if name not in self.whole)
        return sum(self.whole.values()) + parts + self.temporaries


class Break(Exception):
    """Out of a loop."""


class Run:
    """Executes; `lines` holds loads and stores by the line at which a statement was printed, `dense` DGEMM's."""

    def __init__(self, variables, functions=None):
        """functions: {name: (parameters, statements, result)}"""
        self.variables, self.functions = dict(variables), functions or {}
        self.called_storage = 0  # of a function's own variables, in the call that had most
        self.loads, self.stores = {}, {}
        self.dense_bytes = self.sparse_bytes = 0

    # Expressions. `direct`: the expression is itself an argument of a call, or an index.

    def value(self, e, statement, direct=False):
        return getattr(self, "of_" + e[0])(e, statement, direct)

    def of_number(self, e, statement, direct):
        return Value(1, 1, number=e[1])

    def of_variable(self, e, statement, direct):
        value = self.variables[e[1]]
        if not direct:  # 2.2, function call correction
            statement.reads(e[1], value)
        return value

    def of_transposed(self, e, statement, direct):
        value = self.value(e[1], statement)
        return dataclasses.replace(value, rows=value.cols, cols=value.rows)

    def of_minus(self, e, statement, direct):
        value = self.value(e[1], statement)
        return Value(value.rows, value.cols, number=None if value.number is None else -value.number)

    def of_element(self, e, statement, direct):
        index = self.value(e[2], statement, direct=True)
        assert index.scalar
        of = self.variables[e[1]]
        statement.reads_part(e[1], of, "element", of.each)  # several elements count as one: the identifier loads once
        return Value(1, 1, each=of.each)

    def of_slice(self, e, statement, direct):
        count = e[3] - e[2] + 1
        of = self.variables[e[1]]
        if not direct:
            statement.reads_part(e[1], of, e[2:], count * of.each)  # the card: a slice loads its own size
        return Value(count, 1, each=of.each) if of.cols == 1 else Value(1, count, each=of.each)

    def of_end(self, e, statement, direct):
        return Value(1, 1)

    def of_entry(self, e, statement, direct):
        for index in e[2:]:
            self.value(index, statement, direct=True)
        statement.reads_part(e[1], self.variables[e[1]], "element", 8)
        return Value(1, 1)

    def of_column(self, e, statement, direct):
        self.value(e[2], statement, direct=True)
        of = self.variables[e[1]]
        if not direct:
            statement.reads_part(e[1], of, e[2:], of.rows * of.each)
        return Value(of.rows, 1, each=of.each)

    def of_each(self, e, statement, direct):
        return self.each(e[1], self.value(e[2], statement), self.value(e[3], statement))

    def each(self, sign, left, right):
        shape = right if left.scalar else left
        number = None
        if left.number is not None and right.number is not None:
            number = float(OPERATORS[sign](left.number, right.number))
        return Value(shape.rows, shape.cols, each=1 if sign in "<>" else 8, number=number)

    def of_own(self, e, statement, direct):
        """Variables are handed on as they are; the function counts in its own lines what it reads, its result with it."""
        parameters, body, result = self.functions[e[1]]
        given = [self.value(argument, statement, direct=True) for argument in e[2]]
        outside, self.variables = self.variables, dict(zip(parameters, given))
        self.run(body)
        inside, self.variables = self.variables, outside
        own = sum(value.bytes for name, value in inside.items() if name not in parameters)
        self.called_storage = max(self.called_storage, own)
        return inside[result]

    def of_both(self, e, statement, direct):
        """The paper counts identifiers by the text: the second's as well where the first decides."""
        first, second = (bool(self.value(part, statement).number) for part in e[2:])
        return Value(1, 1, each=1, number=float(first and second if e[1] == "&&" else first or second))

    def of_product(self, e, statement, direct):
        seen = lambda: (set(statement.whole), {(name, part) for name, of in statement.parts.items() for part in of})
        before = [seen()]
        left = self.value(e[1], statement)
        before.append(seen())
        right = self.value(e[2], statement)
        if left.scalar or right.scalar:
            return self.each(".*", left, right)
        if left.rows == right.cols == 1:  # the card: an inner product adds up as its operands come
            return Value(1, 1)
        sparse = left.sparse or right.sparse
        dense = min(left.rows, left.cols, right.rows, right.cols) > 1 and not sparse
        for operand, value, (read, parts) in ((e[1], left, before[0]), (e[2], right, before[1])):
            name, part = name_of(operand), part_of(operand)
            if part:  # in memory where it is; its load is the statement's
                if sparse and part not in parts:
                    statement.sparse_parts.append((part[0], value.bytes))
            elif name is None:  # the card: an operand that is an expression is stored and loaded again
                statement.temporaries += value.bytes
                statement.dense_temporaries += value.bytes if dense else 0
                statement.sparse += value.bytes if sparse else 0
            elif name not in read:  # its one load is where it stands first
                if dense:
                    statement.dense[name] = value.bytes
                elif sparse:
                    statement.sparse += value.bytes
        return Value(left.rows, right.cols)

    def of_call(self, e, statement, direct):
        name, arguments = e[1], e[2]
        if name in ASKS_FOR_SHAPE:
            for argument in arguments:
                of = self.value(argument, statement, direct=True)
            return Value(1, 1, number=float({"numel": of.elements, "length": max(of.rows, of.cols)}[name]))
        values = [self.value(argument, statement) for argument in arguments]  # a profiled function reads them
        if name in REDUCES:
            return Value(1, 1, number=1.0 if name == "norm" else None)  # not below 0, which is all that is asked of one
        return Value(values[0].rows, values[0].cols)

    def of_list(self, e, statement, direct):
        values = [self.value(part, statement) for part in e[1]]
        return Value(1, sum(value.cols for value in values))

    # Statements.

    def count(self, line, statement, stored=0):
        self.loads[line] = self.loads.get(line, 0) + statement.loads
        self.stores[line] = self.stores.get(line, 0) + statement.temporaries + stored
        self.dense_bytes += sum(statement.dense.values()) + statement.dense_temporaries
        self.sparse_bytes += statement.sparse + sum(amount for name, amount in statement.sparse_parts
                                                    if name not in statement.whole)

    def condition(self, e, line):
        statement = Statement()
        value = self.value(e, statement)
        self.count(line, statement)
        return value.number != 0

    def run(self, statements):
        for line, *s in statements:
            getattr(self, "do_" + s[0].replace(" ", "_"))(line, *s[1:])

    def do_assign(self, line, name, e):
        statement = Statement()
        value = self.value(e, statement)
        renamed = e[0] == "variable" and value.elements > SMALL
        made_there = renamed or e[0] == "own"  # renamed, or stored by the function
        self.count(line, Statement() if renamed else statement, 0 if made_there else value.bytes)
        self.variables[name] = value

    def do_update(self, line, name, sign, e):
        self.do_assign(line, name, ("each", sign, ("variable", name), e))

    def do_assign_element(self, line, name, index, e):
        statement = Statement()
        self.value(index, statement, direct=True)
        self.value(e, statement)
        self.count(line, statement, self.variables[name].each)

    def do_assign_column(self, line, name, index, e):
        statement = Statement()
        self.value(index, statement, direct=True)
        self.value(e, statement)
        self.count(line, statement, self.variables[name].rows * self.variables[name].each)

    def do_assign_slice(self, line, name, first, last, e):
        statement = Statement()
        self.value(e, statement)
        self.count(line, statement, (last - first + 1) * self.variables[name].each)

    def storage(self, program):
        """SR: of all variables that the program names, as large as they are in the end. What is a number by its text is
        one although no branch that ran has made it. What a function needs is needed with them."""
        return self.called_storage + sum(self.variables.get(name, Value(1, 1)).bytes for name in names_in(program))

    def do_for(self, line, name, first, last, body):
        if first > last:  # Octave leaves the counter behind all the same
            self.variables[name] = Value(1, 1)
        for k in range(first, last + 1):  # a counter is in a register
            self.variables[name] = Value(1, 1, number=float(k))
            try:
                self.run(body)
            except Break:
                break

    def do_while(self, line, condition, body):
        try:
            while self.condition(condition, line):
                self.run(body)
        except Break:
            pass

    def do_break(self, line):
        raise Break

    def do_if(self, line, condition, body, otherwise):
        self.run(body if self.condition(condition, line) else otherwise)


def names_in(part):
    """Every variable that a statement, an expression or a list of them names."""
    if isinstance(part, list):
        return set().union(*map(names_in, part))
    if not isinstance(part, tuple) or not part:
        return set()
    if isinstance(part[0], int):  # a statement: line, kind, and a name, or a condition
        if len(part) == 2:
            return set()
        own = {part[2]} if isinstance(part[2], str) else set()
        return own | set().union(*map(names_in, part[2:]))
    if part[0] in ("variable", "element", "slice", "column", "entry"):
        return {part[1]} | set().union(*map(names_in, part[2:]))
    return set().union(*map(names_in, part[1:]))


def name_of(operand):
    """Of a variable, transposed or not."""
    inner = operand[1] if operand[0] == "transposed" else operand
    return inner[1] if inner[0] == "variable" else None


def part_of(operand):
    """The same of a part of one: (variable, part)."""
    inner = operand[1] if operand[0] == "transposed" else operand
    return (inner[1], inner[2:]) if inner[0] in ("slice", "column") else None
