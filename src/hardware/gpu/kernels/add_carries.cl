// The second pass of coo and csr-merge: adds what each group of the first pass carried out to the row that it belongs
// to. One group does it, in order, because neighbouring carries may belong to one row: no atomics are needed. Carries
// come in ascending rows; a row of `rows` or more means that there is nothing to add.

KERNEL(add_carries)
(WIDE rows, WIDE count, GLOBAL const int* RESTRICT carry_rows, GLOBAL const VALUE* RESTRICT carries, GLOBAL VALUE* y) {
  LOCAL_ARRAY(VALUE, sums, GROUP);
  LOCAL_ARRAY(int, ends, GROUP);
  VALUE group_carry = 0;
  for (WIDE first = 0; first < count; first += GROUP) {
    const WIDE i = first + LOCAL_ID();
    const int row = i < count ? carry_rows[i] : -1;
    const VALUE carry = i < count ? carries[i] : 0;
    // The last carry of a row adds the row's total; what it hands on is empty.
    const int ends_here = i < count && (i + 1 == count || carry_rows[i + 1] != row);
    const VALUE before = carry_into_thread(sums, ends, ends_here ? 0 : carry, ends_here, &group_carry);
    if (ends_here && row >= 0 && row < rows) y[row] += before + carry;
  }
}
