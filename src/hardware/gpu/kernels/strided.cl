// Vectors that do not lie as a product takes them: gathered by rows before it, scattered and scaled after it. Entry `at`
// is the first of row 0. A factor is a VALUE in the lowest bytes of a WIDE.

KERNEL(gather_vectors)
(WIDE rows, WIDE vectors, WIDE at, WIDE row_stride, WIDE vector_stride, GLOBAL const VALUE* RESTRICT from,
 GLOBAL VALUE* RESTRICT to) {
  for (WIDE i = GROUP_ID() * GROUP + LOCAL_ID(); i < rows * vectors; i += GROUP_COUNT() * GROUP)
    to[i] = from[at + i / vectors * row_stride + i % vectors * vector_stride];
}

// y = alpha · products + beta · y; with beta = 0 y is not read.
KERNEL(scatter_vectors)
(WIDE rows, WIDE vectors, WIDE at, WIDE row_stride, WIDE vector_stride, WIDE alpha, WIDE beta,
 GLOBAL const VALUE* RESTRICT products, GLOBAL VALUE* RESTRICT y) {
  union {
    WIDE bits;
    VALUE value;
  } a, b;
  a.bits = alpha;
  b.bits = beta;
  for (WIDE i = GROUP_ID() * GROUP + LOCAL_ID(); i < rows * vectors; i += GROUP_COUNT() * GROUP) {
    GLOBAL VALUE* one = y + at + i / vectors * row_stride + i % vectors * vector_stride;
    const VALUE product = a.value * products[i];
    *one = b.value == 0 ? product : product + b.value * *one;
  }
}
