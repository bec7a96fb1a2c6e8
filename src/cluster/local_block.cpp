#include "cluster/local_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <sparsecast/error.hpp>
#include <utility>

namespace sparsecast::cluster {

CsrBlock csr_block(std::int64_t rows, std::int64_t columns, std::span<const LocalEntry> entries) {
  if (std::max({rows, columns, static_cast<std::int64_t>(entries.size())}) >= INT32_MAX)
    throw Error(
        ErrorCode::failed,
        fmt::format("{} rows × {} columns with {} entries are too many for one process", rows, columns, entries.size()),
        {}, "use more processes");
  CsrBlock block{rows, columns, Array<std::int32_t>(static_cast<std::size_t>(rows) + 1, 0), {}, {}, {}};
  for (const LocalEntry& entry : entries) ++block.row_pointers[static_cast<std::size_t>(entry.row) + 1];
  std::partial_sum(block.row_pointers.begin(), block.row_pointers.end(), block.row_pointers.begin());
  block.column_indices.resize(entries.size());
  block.values.resize(entries.size());
  Array<std::int32_t> next(block.row_pointers.begin(), block.row_pointers.end() - 1);
  for (const LocalEntry& entry : entries) {
    const auto k = static_cast<std::size_t>(next[static_cast<std::size_t>(entry.row)]++);
    block.column_indices[k] = entry.column;
    block.values[k] = entry.value;
  }
  std::vector<std::pair<std::int32_t, double>> row;
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    const auto begin = static_cast<std::size_t>(block.row_pointers[r]),
               end = static_cast<std::size_t>(block.row_pointers[r + 1]);
    if (std::is_sorted(block.column_indices.begin() + begin, block.column_indices.begin() + end)) continue;
    row.clear();
    for (std::size_t k = begin; k < end; ++k) row.emplace_back(block.column_indices[k], block.values[k]);
    std::ranges::stable_sort(row, {}, &std::pair<std::int32_t, double>::first);
    for (std::size_t k = begin; k < end; ++k) std::tie(block.column_indices[k], block.values[k]) = row[k - begin];
  }
  return block;
}

void list_filled_rows(CsrBlock& block) {
  block.filled_rows.clear();
  for (std::int32_t r = 0; r < block.rows; ++r)
    if (block.row_pointers[static_cast<std::size_t>(r)] < block.row_pointers[static_cast<std::size_t>(r) + 1])
      block.filled_rows.push_back(r);
}

CooBlock coo_block(const CsrBlock& csr) {
  CooBlock coo{csr.rows, csr.columns, {}, csr.column_indices, csr.values};
  coo.row_indices.resize(csr.values.size());
  for (std::size_t r = 0; r + 1 < csr.row_pointers.size(); ++r)
    std::fill(coo.row_indices.begin() + csr.row_pointers[r], coo.row_indices.begin() + csr.row_pointers[r + 1],
              static_cast<std::int32_t>(r));
  return coo;
}

void multiply(const CsrBlock& a, std::span<const double> x, std::span<double> y, bool add) {
  const std::int32_t* const pointers = a.row_pointers.data();
  const std::int32_t* const columns = a.column_indices.data();
  const double* const values = a.values.data();
  const auto sum_of = [&](std::int32_t k, std::int32_t end) {
    double sum = 0;
    for (; k < end; ++k) sum += values[k] * x[static_cast<std::size_t>(columns[k])];
    return sum;
  };
  if (add) {
    if (a.nonzeros() == 0) return;
    const auto add_row = [&](std::int64_t r) {
      y[static_cast<std::size_t>(r)] += sum_of(pointers[r], pointers[r + 1]);
    };
    if (a.filled_rows.empty())
      for (std::int64_t r = 0; r < a.rows; ++r) add_row(r);
    else
      for (const std::int32_t r : a.filled_rows) add_row(r);
    return;
  }
  // The end of one row is the begin of the next: one load less per row.
  std::int32_t begin = 0;
  for (std::int64_t r = 0; r < a.rows; ++r) {
    const std::int32_t end = pointers[r + 1];
    y[static_cast<std::size_t>(r)] = sum_of(begin, end);
    begin = end;
  }
}

void multiply(const CooBlock& a, std::span<const double> x, std::span<double> y, bool add) {
  if (!add) std::fill(y.begin(), y.begin() + a.rows, 0.0);
  const std::int32_t* const rows = a.row_indices.data();
  const std::int32_t* const columns = a.column_indices.data();
  const double* const values = a.values.data();
  const auto nonzeros = static_cast<std::int64_t>(a.values.size());
  for (std::int64_t k = 0; k < nonzeros; ++k)
    y[static_cast<std::size_t>(rows[k])] += values[k] * x[static_cast<std::size_t>(columns[k])];
}

LocalBlock::LocalBlock(CsrBlock csr, LocalFormat format) : block_(std::move(csr)) {
  if (format == LocalFormat::coo) block_ = coo_block(std::get<CsrBlock>(block_));
}

void LocalBlock::apply(std::span<const double> x, std::span<double> y, bool add) const {
  std::visit([&](const auto& block) { multiply(block, x, y, add); }, block_);
}

std::int64_t LocalBlock::nonzeros() const {
  return std::visit([](const auto& block) { return static_cast<std::int64_t>(block.values.size()); }, block_);
}

}  // namespace sparsecast::cluster
