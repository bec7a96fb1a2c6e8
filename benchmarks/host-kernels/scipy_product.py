"""SciPy's product for bench-product: told through standard input what to do, answers with one number a line."""
import pathlib
import sys
import time

import numpy
import scipy.sparse

folder = pathlib.Path(sys.argv[1])
matrix = x = y = None
for line in sys.stdin:
    command, *numbers = line.split()
    if command == "load":
        rows, cols, vectors, size = map(int, numbers)
        value = numpy.float64 if size == 8 else numpy.float32
        read = lambda name, kind: numpy.fromfile(folder / name, kind)
        matrix = scipy.sparse.csr_array(
            (read("values", value), read("columns", numpy.int32), read("pointers", numpy.int32)), shape=(rows, cols))
        x = read("x", value).reshape((cols, vectors) if vectors > 1 else cols)
        y = matrix @ x
        print(0, flush=True)
    elif command == "run":
        start = time.perf_counter()
        for _ in range(int(numbers[0])):
            y = matrix @ x
        print(time.perf_counter() - start, flush=True)
    else:
        print(float(y.sum(dtype=numpy.float64)), flush=True)
