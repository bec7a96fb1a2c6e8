// The sum over a group's threads, for all of them: in the same order every time, through `sums`, of GROUP entries.

FUNCTION VALUE sum_of_group(VALUE own, LOCAL VALUE* sums) {
  sums[LOCAL_ID()] = own;
  BARRIER();
  for (int width = GROUP / 2; width > 0; width /= 2) {
    if (LOCAL_ID() < width) sums[LOCAL_ID()] += sums[LOCAL_ID() + width];
    BARRIER();
  }
  return sums[0];
}
