// The loops of block_sums.cpp for one instruction set: included once for each, with
// SPARSECAST_SET_ENTRY, its attribute. (Vector types are taken apart where a function is written and not where it is
// inlined, so a text that several sets share would be that of the narrowest.) No #pragma once.

// Blocks of `height` rows; `width` 0: as many columns as the form says. A column of a block is a vector, whose lanes
// beyond the height hold what comes next and are never looked at.
template <int height, int width, class Value, class Index>
SPARSECAST_SET_ENTRY void groups(const Bsr<Value, Index>& bsr, std::int64_t first, std::int64_t last, const Value* x,
                                 Value* y) {
  constexpr int lanes = lanes_for(height), chains = 4;  // sums that do not wait for each other
  using Register = typename BlockLanes<Value, lanes>::Register;
  const int columns_of_block = width > 0 ? width : bsr.block_cols;
  const std::int64_t slots = std::int64_t{height} * columns_of_block;
  const Value* values = bsr.values.data() + bsr.block_pointers[first] * slots;
  const Index* columns = bsr.column_indices.data();
  // Where the last block ends the array, nothing may be read beyond it.
  const std::int64_t blocks = bsr.block_pointers[bsr.row_groups()];
  while (lanes > height && last > first && bsr.block_pointers[last] == blocks) {
    --last;
    Value sums[height] = {};
    sum_group_exactly(bsr, last, x, sums);
    put_sums<height>(bsr, last, sums, x, y);
  }
  for (std::int64_t group = first; group < last; ++group) {
    Register sums[chains] = {};
    for (std::int64_t b = bsr.block_pointers[group], end = bsr.block_pointers[group + 1]; b < end; ++b) {
      const Value* from = x + columns[b];
      for (std::int64_t slot = 0; slot < slots; slot += 64 / static_cast<std::int64_t>(sizeof(Value)))
        prefetch(values + slot, prefetch_bytes);
      for (int j = 0; j < columns_of_block; j += chains) {
        for (int c = 0; c < chains && j + c < columns_of_block; ++c, values += height) {
          Register of_column;
          __builtin_memcpy(&of_column, values, sizeof of_column);
          sums[c] += of_column * from[j + c];
        }
      }
    }
    const Register total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    Value out[lanes];
    __builtin_memcpy(out, &total, sizeof total);
    put_sums<height>(bsr, group, out, x, y);
  }
}
