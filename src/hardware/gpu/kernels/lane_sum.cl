// Sums over neighbouring threads that share a row: `lanes` of them, a power of two up to a warp. All threads of the
// group call it; the first lane has the sum. Without shuffles it goes through `partial`, of GROUP entries.

FUNCTION VALUE sum_of_lanes(VALUE sum, int lanes, LOCAL VALUE* partial) {
#ifdef SHUFFLE_XOR
  (void)partial;
  for (int distance = lanes / 2; distance > 0; distance /= 2) sum += SHUFFLE_XOR(sum, distance);
  return sum;
#else
  const int id = LOCAL_ID();
  partial[id] = sum;
  BARRIER();
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    if (id % lanes < distance) partial[id] += partial[id + distance];
    BARRIER();
  }
  sum = partial[id];
  BARRIER();
  return sum;
#endif
}

// Over the whole group, in a fixed order; its first thread has the sum.
FUNCTION VALUE sum_of_group(VALUE sum, LOCAL VALUE* partial) {
  const int id = LOCAL_ID();
  sum = sum_of_lanes(sum, WARP, partial);
  if (id % WARP == 0) partial[id / WARP] = sum;
  BARRIER();
  if (id == 0)
    for (int warp = 1; warp < GROUP / WARP; ++warp) sum += partial[warp];
  BARRIER();
  return sum;
}
