// Micro-benchmarks of a device: what its memory gives over the footprint. Values are 64-bit integers so that they run
// on devices without double; a result is stored where it is never wanted, or the compiler would drop the loads.

KERNEL(read_all)(WIDE count, GLOBAL const WIDE* RESTRICT data, GLOBAL WIDE* RESTRICT result) {
  const WIDE step = GROUP_COUNT() * GROUP;
  WIDE i = GROUP_ID() * GROUP + LOCAL_ID();
  WIDE a = 0, b = 0, c = 0, d = 0;
  // Four loads in flight per thread: one would leave a large device waiting for latency.
  for (; i + 3 * step < count; i += 4 * step) {
    a += data[i];
    b += data[i + step];
    c += data[i + 2 * step];
    d += data[i + 3 * step];
  }
  for (; i < count; i += step) a += data[i];
  if (a + b + c + d == -1) result[0] = a;
}

KERNEL(copy_all)(WIDE count, GLOBAL const WIDE* RESTRICT data, GLOBAL WIDE* RESTRICT result) {
  for (WIDE i = GROUP_ID() * GROUP + LOCAL_ID(); i < count; i += GROUP_COUNT() * GROUP) result[i] = data[i];
}

// As a product reads: index and value streamed, x gathered.
KERNEL(gather_all)
(WIDE count, GLOBAL const int* RESTRICT index, GLOBAL const WIDE* RESTRICT values, GLOBAL const WIDE* RESTRICT x,
 GLOBAL WIDE* RESTRICT result) {
  WIDE sum = 0;
  for (WIDE i = GROUP_ID() * GROUP + LOCAL_ID(); i < count; i += GROUP_COUNT() * GROUP) sum += values[i] * x[index[i]];
  if (sum == -1) result[0] = sum;
}

// One thread follows a ring: every load waits for the one before.
KERNEL(chase)(WIDE steps, GLOBAL const WIDE* RESTRICT ring, GLOBAL WIDE* RESTRICT result) {
  if (GROUP_ID() == 0 && LOCAL_ID() == 0) {
    WIDE position = 0;
    for (WIDE i = 0; i < steps; ++i) position = ring[position];
    result[0] = position;
  }
}
