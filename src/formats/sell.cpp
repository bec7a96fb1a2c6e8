#include "formats/sell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sparsecast/error.hpp>

#include "formats/parts/row_lengths.hpp"
#include "formats/parts/sizes.hpp"
#include "formats/parts/split.hpp"

namespace sparsecast::formats {

template <class Value, class Index>
std::int64_t Sell<Value, Index>::bytes() const {
  return array_bytes(slice_pointers) + array_bytes(permutation) + array_bytes(column_indices) + array_bytes(values);
}

std::int64_t sell_bytes(const Structure& structure, int slice_rows, int sort_rows, int value_bytes) {
  const SliceWork* work = structure.slice(slice_rows, sort_rows);
  if (work == nullptr)
    throw Error(ErrorCode::failed, fmt::format("the structure of {} does not count the slots of SELL-{}-{}",
                                               structure.name, slice_rows, sort_rows));
  const std::int64_t index = index_bytes(structure.rows, structure.cols);
  const std::int64_t slices = (structure.rows + slice_rows - 1) / slice_rows;
  const std::int64_t order = sort_rows > 1 ? structure.rows * index : 0;
  return saturating_sum(saturating_product(work->slots, index + value_bytes),
                        (slices + 1) * static_cast<std::int64_t>(sizeof(std::int64_t)) + order);
}

template <class Value, class Index>
Sell<Value, Index> to_sell(const Matrix& matrix, int slice_rows, int sort_rows, int threads) {
  Sell<Value, Index> sell{matrix.rows(), matrix.cols(), slice_rows, sort_rows, {}, {}, {}, {}};
  const std::int64_t C = slice_rows, slices = (sell.rows + C - 1) / C;
  if (sort_rows > 1) sell.permutation = rows_by_length<Index>(matrix, sort_rows, threads);
  allocate(sell.slice_pointers, slices + 1, "sell");
  matrix.visit([&](const auto& csr) {
    const auto row_at = [&](std::int64_t position) {
      return sell.permutation.empty() ? position : static_cast<std::int64_t>(sell.permutation[position]);
    };
    sell.slice_pointers[0] = 0;
    for_each_part(threads, [&](int part) {
      const std::int64_t last_slice = part_begin(slices, part + 1, threads);
      for (std::int64_t slice = part_begin(slices, part, threads); slice < last_slice; ++slice) {
        std::int64_t width = 0;
        const std::int64_t last = std::min(sell.rows, (slice + 1) * C);
        for (std::int64_t position = slice * C; position < last; ++position) {
          const std::int64_t row = row_at(position);
          width = std::max<std::int64_t>(width, csr.row_pointers[row + 1] - csr.row_pointers[row]);
        }
        sell.slice_pointers[slice + 1] = width;
      }
    });
    for (std::int64_t slice = 0; slice < slices; ++slice)
      sell.slice_pointers[slice + 1] =
          saturating_sum(sell.slice_pointers[slice], saturating_product(C, sell.slice_pointers[slice + 1]));
    const std::int64_t slots = sell.slice_pointers[slices];
    allocate(sell.column_indices, slots, "sell");
    allocate(sell.values, slots, "sell");

    const auto bounds = rows_by_nonzeros(sell.slice_pointers.data(), slices, threads);  // slices by slots
    for_each_part(threads, [&](int part) {
      for (std::int64_t slice = bounds[part]; slice < bounds[part + 1]; ++slice) {
        const std::int64_t begin = sell.slice_pointers[slice], width = (sell.slice_pointers[slice + 1] - begin) / C;
        // The slots of a slice stay in the first cache, so a row is written down its column of them at once.
        for (std::int64_t i = 0; i < C; ++i) {
          const std::int64_t position = slice * C + i, row = position < sell.rows ? row_at(position) : -1;
          const std::int64_t from = row < 0 ? 0 : csr.row_pointers[row];
          const std::int64_t length = row < 0 ? 0 : csr.row_pointers[row + 1] - from;
          const auto* entry_columns = csr.column_indices.data() + from;
          const auto* entry_values = csr.values.data() + from;
          Index* column = sell.column_indices.data() + begin + i;
          Value* value = sell.values.data() + begin + i;
          for (std::int64_t k = 0; k < length; ++k, column += C, value += C) {
            *column = static_cast<Index>(entry_columns[k]);
            *value = static_cast<Value>(entry_values[k]);
          }
          for (std::int64_t k = length; k < width; ++k, column += C, value += C) {
            *column = Index{padding_column};
            *value = Value{0};
          }
        }
      }
    });
  });
  return sell;
}

#define SPARSECAST_INSTANTIATE(Value, Index) \
  template struct Sell<Value, Index>;        \
  template Sell<Value, Index> to_sell(const Matrix&, int, int, int);
SPARSECAST_INSTANTIATE(float, std::int32_t)
SPARSECAST_INSTANTIATE(float, std::int64_t)
SPARSECAST_INSTANTIATE(double, std::int32_t)
SPARSECAST_INSTANTIATE(double, std::int64_t)

}  // namespace sparsecast::formats
