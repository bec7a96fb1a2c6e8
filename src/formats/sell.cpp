#include "formats/sell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sparsecast/error.hpp>
#include <utility>
#include <vector>

#include "formats/parts/row_lengths.hpp"
#include "formats/parts/sizes.hpp"
#include "formats/parts/split.hpp"

namespace sparsecast::formats {

namespace {

// Slices of sorted rows come from all over their window. Put in the order of their first rows, they follow each other
// through x as the rows of the matrix do: a product of a mesh takes a quarter less. Where lengths are far apart the
// order of the lengths stays, since the ends of slices would be hard to predict.
template <class Index>
void order_slices(const Matrix& matrix, int slice_rows, int sort_rows, int threads, Array<Index>& permutation) {
  constexpr std::int64_t far = 3;  // times the mean
  const std::int64_t rows = matrix.rows(), C = slice_rows, windows = (rows + sort_rows - 1) / sort_rows;
  matrix.visit_pattern([&](const auto& csr) {
    for_each_part(threads, [&](int part) {
      std::vector<std::pair<Index, Index>> slices;  // first row, and where the slice is
      std::vector<Index> before;
      const std::int64_t end = part_begin(windows, part + 1, threads);
      for (std::int64_t window = part_begin(windows, part, threads); window < end; ++window) {
        const std::int64_t first = window * sort_rows;
        const std::int64_t full = (std::min<std::int64_t>(rows - first, sort_rows)) / C * C;  // a rest stays last
        if (full == 0) continue;
        const Index longest = permutation[first];
        const std::int64_t length = csr.row_pointers[longest + 1] - csr.row_pointers[longest];
        const std::int64_t nonzeros = csr.row_pointers[first + full] - csr.row_pointers[first];
        if (length * full > far * (nonzeros + full)) continue;
        slices.clear();
        for (std::int64_t slice = 0; slice < full; slice += C)
          slices.emplace_back(permutation[first + slice], static_cast<Index>(slice));
        if (std::ranges::is_sorted(slices)) continue;
        std::ranges::sort(slices);
        before.assign(permutation.begin() + first, permutation.begin() + first + full);
        auto to = permutation.begin() + first;
        for (const auto& [row, slice] : slices) to = std::copy_n(before.begin() + slice, C, to);
      }
    });
  });
}

}  // namespace

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
  if (sort_rows > 1) {
    sell.permutation = rows_by_length<Index>(matrix, sort_rows, threads);
    order_slices(matrix, slice_rows, sort_rows, threads, sell.permutation);
  }
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
        if (width == 0) continue;  // there may be no slots at all to point at
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
