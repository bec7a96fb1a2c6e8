"""The bytes that a MATLAB program loads and stores by the rules of SLAMM (Dennis, Jessup & Waite, ENTCS 253, 2010),
found by executing it: arrays are shapes, numbers that decide where it goes have values.

A program is a list of statements, an expression a tuple:

  ("number", 2.5) ("variable", "u") ("transposed", e) ("minus", e) ("element", "u", index) ("slice", "u", first, last)
  ("each", ".*", e, f)       + - .* ./ < > and what else goes element by element
  ("product", e, f)          the matrix product
  ("call", "sum", [e, ...])  a built-in function
  ("list", [e, ...])         [e, ...]

  ("assign", "u", e) ("assign element", "u", index, e) ("assign slice", "u", first, last, e)
  ("for", "k", first, last, body) ("while", condition, body) ("if", condition, body, otherwise)

What the paper leaves open, "the rules of the model's card" (docs/models/traffic.md), is marked so.
"""

import dataclasses
import operator
from typing import Optional

OPERATORS = {"+": operator.add, "-": operator.sub, ".*": operator.mul, "<": operator.lt, ">": operator.gt}
SMALL = 1  # elements: an assignment of more is a pointer, of a number a copy (2.2, copy correction)
ASKS_FOR_SHAPE = {"numel", "length", "size", "rows", "columns"}  # functions without notable data movement
REDUCES = {"sum", "norm", "max", "dot", "any"}


@dataclasses.dataclass(frozen=True)
class Value:
    rows: int
    cols: int
    each: int = 8  # bytes of an element: a double, or a logical
    number: Optional[float] = None

    @property
    def elements(self):
        return self.rows * self.cols

    @property
    def bytes(self):
        return self.elements * self.each

    @property
    def scalar(self):
        return self.elements == 1


class Statement:
    """What one statement reads. A variable counts once however often it occurs (2.2, duplicate correction)."""

    def __init__(self):
        self.read = {}  # variable: bytes, at most its own
        self.temporaries = 0  # bytes stored and loaded again
        self.dense, self.dense_temporaries = {}, 0  # of both, what products of two matrices read

    def reads(self, name, amount):
        self.read[name] = max(self.read.get(name, 0), amount)


class Run:
    """Executes; `lines` holds loads and stores by the line at which a statement was printed, `dense` DGEMM's."""

    def __init__(self, variables):
        self.variables = dict(variables)
        self.loads, self.stores = {}, {}
        self.dense_bytes = 0

    # Expressions. `direct`: the expression is itself an argument of a call, or an index.

    def value(self, e, statement, direct=False):
        return getattr(self, "of_" + e[0])(e, statement, direct)

    def of_number(self, e, statement, direct):
        return Value(1, 1, number=e[1])

    def of_variable(self, e, statement, direct):
        value = self.variables[e[1]]
        if not direct:  # 2.2, function call correction
            statement.reads(e[1], value.bytes)
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
        statement.reads(e[1], self.variables[e[1]].each)  # several elements count as one: the identifier loads once
        return Value(1, 1, each=self.variables[e[1]].each)

    def of_slice(self, e, statement, direct):
        count = e[3] - e[2] + 1
        statement.reads(e[1], count * self.variables[e[1]].each)  # the card: a slice loads its own size
        return Value(count, 1) if self.variables[e[1]].cols == 1 else Value(1, count)

    def of_each(self, e, statement, direct):
        return self.each(e[1], self.value(e[2], statement), self.value(e[3], statement))

    def each(self, sign, left, right):
        shape = right if left.scalar else left
        number = None
        if left.number is not None and right.number is not None:
            number = float(OPERATORS[sign](left.number, right.number))
        return Value(shape.rows, shape.cols, each=1 if sign in "<>" else 8, number=number)

    def of_product(self, e, statement, direct):
        before = [set(statement.read)]
        left = self.value(e[1], statement)
        before.append(set(statement.read))
        right = self.value(e[2], statement)
        if left.scalar or right.scalar:
            return self.each(".*", left, right)
        if left.rows == right.cols == 1:  # the card: an inner product adds up as its operands come
            return Value(1, 1)
        dense = min(left.rows, left.cols, right.rows, right.cols) > 1
        for operand, value, read in ((e[1], left, before[0]), (e[2], right, before[1])):
            name = name_of(operand)
            if name is None:  # the card: an operand that is an expression is stored and loaded again
                statement.temporaries += value.bytes
                statement.dense_temporaries += value.bytes if dense else 0
            elif dense and name not in read:  # its one load is where it stands first
                statement.dense[name] = value.bytes
        return Value(left.rows, right.cols)

    def of_call(self, e, statement, direct):
        name, arguments = e[1], e[2]
        if name in ASKS_FOR_SHAPE:
            for argument in arguments:
                self.value(argument, statement, direct=True)
            return Value(1, 1)
        values = [self.value(argument, statement) for argument in arguments]  # a profiled function reads them
        if name in REDUCES:
            return Value(1, 1, each=1 if name == "any" else 8)
        return Value(values[0].rows, values[0].cols)

    def of_list(self, e, statement, direct):
        values = [self.value(part, statement) for part in e[1]]
        return Value(1, sum(value.cols for value in values))

    # Statements.

    def count(self, line, statement, stored=0):
        self.loads[line] = self.loads.get(line, 0) + sum(statement.read.values()) + statement.temporaries
        self.stores[line] = self.stores.get(line, 0) + statement.temporaries + stored
        self.dense_bytes += sum(statement.dense.values()) + statement.dense_temporaries

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
        self.count(line, Statement() if renamed else statement, 0 if renamed else value.bytes)
        self.variables[name] = value

    def do_assign_element(self, line, name, index, e):
        statement = Statement()
        self.value(index, statement, direct=True)
        self.value(e, statement)
        self.count(line, statement, self.variables[name].each)

    def do_assign_slice(self, line, name, first, last, e):
        statement = Statement()
        self.value(e, statement)
        self.count(line, statement, (last - first + 1) * self.variables[name].each)

    def storage(self, program):
        """SR: of all variables that the program names, as large as they are in the end. What is a number by its text is
        one although no branch that ran has made it."""
        return sum(self.variables.get(name, Value(1, 1)).bytes for name in names_in(program))

    def do_for(self, line, name, first, last, body):
        if first > last:  # Octave leaves the counter behind all the same
            self.variables[name] = Value(1, 1)
        for k in range(first, last + 1):  # a counter is in a register
            self.variables[name] = Value(1, 1, number=float(k))
            self.run(body)

    def do_while(self, line, condition, body):
        while self.condition(condition, line):
            self.run(body)

    def do_if(self, line, condition, body, otherwise):
        self.run(body if self.condition(condition, line) else otherwise)


def names_in(part):
    """Every variable that a statement, an expression or a list of them names."""
    if isinstance(part, list):
        return set().union(*map(names_in, part))
    if not isinstance(part, tuple) or not part:
        return set()
    if isinstance(part[0], int):  # a statement: line, kind, and a name, or a condition
        own = {part[2]} if isinstance(part[2], str) else set()
        return own | set().union(*map(names_in, part[2:]))
    if part[0] in ("variable", "element", "slice"):
        return {part[1]} | set().union(*map(names_in, part[2:]))
    return set().union(*map(names_in, part[1:]))


def name_of(operand):
    """Of a variable, transposed or not."""
    inner = operand[1] if operand[0] == "transposed" else operand
    return inner[1] if inner[0] == "variable" else None
