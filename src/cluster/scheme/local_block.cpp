#include "cluster/scheme/local_block.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>
#include <sparsecast/error.hpp>
#include <utility>

#include "base/team.hpp"

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

namespace {
template <class Value>
CooBlockOf<Value> entries_of(const CsrBlockOf<Value>& csr) {
  CooBlockOf<Value> coo{csr.rows, csr.columns, {}, csr.column_indices, csr.values};
  coo.row_indices.resize(csr.values.size());
  for (std::size_t r = 0; r + 1 < csr.row_pointers.size(); ++r)
    std::fill(coo.row_indices.begin() + csr.row_pointers[r], coo.row_indices.begin() + csr.row_pointers[r + 1],
              static_cast<std::int32_t>(r));
  return coo;
}

CsrBlock in_precision(CsrBlock csr, double) { return csr; }
CsrBlockOf<float> in_precision(CsrBlock csr, float) {
  CsrBlockOf<float> block{csr.rows,
                          csr.columns,
                          std::move(csr.row_pointers),
                          std::move(csr.column_indices),
                          {},
                          std::move(csr.filled_rows)};
  block.values.resize(csr.values.size());
  for (std::size_t k = 0; k < csr.values.size(); ++k) block.values[k] = static_cast<float>(csr.values[k]);
  return block;
}

template <class Value>
using CsrSums = formats::RowSums<Value, std::int32_t, std::int32_t>;

template <class Value>
typename CsrSums<Value>::View view_of(const CsrBlockOf<Value>& a) {
  return {a.rows, a.columns, a.row_pointers.data(), a.column_indices.data(), a.values.data()};
}

// Few entries a row: what is left of a row where its halo has been received.
template <class Value>
void add_row(const typename CsrSums<Value>::View& a, std::int64_t row, const Value* x, Value* y) {
  Value sum = 0;
  for (std::int32_t k = a.row_pointers[row]; k < a.row_pointers[row + 1]; ++k)
    sum += a.values[k] * x[a.column_indices[k]];
  y[row] += sum;
}
}  // namespace

template <class Value>
LocalBlockOf<Value>::LocalBlockOf(CsrBlock csr, LocalFormat format, int threads)
    : block_(in_precision(std::move(csr), Value())) {
  const auto& rows = std::get<Rows>(block_);
  const bool listed = format == LocalFormat::csr && !rows.filled_rows.empty();
  const auto places = listed ? static_cast<std::int64_t>(rows.filled_rows.size()) : rows.rows;
  const auto entries_before = [&](std::int64_t place) -> std::int64_t {
    if (place == places) return rows.nonzeros();
    return rows
        .row_pointers[static_cast<std::size_t>(listed ? rows.filled_rows[static_cast<std::size_t>(place)] : place)];
  };
  for (int share = 0; share <= threads; ++share) {
    std::int64_t row = cuts_.empty() ? 0 : cuts_.back().row, end = places;
    const std::int64_t wanted = rows.nonzeros() / threads * share;
    if (share == threads) row = places;
    while (row < end) {  // the first row with that many entries before it
      const std::int64_t middle = row + (end - row) / 2;
      const bool few = entries_before(middle) < wanted;
      (few ? row : end) = few ? middle + 1 : middle;
    }
    cuts_.push_back({row, entries_before(row)});
  }
  if (format == LocalFormat::coo) block_ = entries_of(std::get<Rows>(block_));
}

template <class Value>
void LocalBlockOf<Value>::apply_share(const Rows& block, std::size_t share, std::span<const Value> x,
                                      std::span<Value> y, bool add) const {
  const std::int64_t first = cuts_[share].row, count = cuts_[share + 1].row - first;
  if (count == 0 || (add && block.nonzeros() == 0)) return;
  const auto view = view_of(block);
  if (!add) return sums_.rows(view, first, first + count, x.data(), y.data());
  const bool listed = !block.filled_rows.empty();
  for (std::int64_t place = first; place < first + count; ++place)
    add_row(view, listed ? block.filled_rows[static_cast<std::size_t>(place)] : place, x.data(), y.data());
}

template <class Value>
void LocalBlockOf<Value>::apply_share(const Entries& block, std::size_t share, std::span<const Value> x,
                                      std::span<Value> y, bool add) const {
  const Cut &from = cuts_[share], &to = cuts_[share + 1];
  if (!add) std::fill(y.begin() + from.row, y.begin() + to.row, Value(0));
  entries_.add(block.row_indices.data() + from.entry, block.column_indices.data() + from.entry,
               block.values.data() + from.entry, to.entry - from.entry, x.data(), y.data());
}

template <class Value>
void LocalBlockOf<Value>::apply(std::span<const Value> x, std::span<Value> y, bool add) const {
  std::visit(
      [&](const auto& block) {
        const auto shares = static_cast<std::int64_t>(cuts_.size()) - 1;
        if (shares == 1) return apply_share(block, 0, x, y, add);
#pragma omp parallel for schedule(static, 1) num_threads(base::team_of(static_cast <int>(shares)))
        for (std::int64_t share = 0; share < shares; ++share)
          apply_share(block, static_cast<std::size_t>(share), x, y, add);
      },
      block_);
}

template <class Value>
std::int64_t LocalBlockOf<Value>::nonzeros() const {
  return std::visit([](const auto& block) { return static_cast<std::int64_t>(block.values.size()); }, block_);
}

template class LocalBlockOf<double>;
template class LocalBlockOf<float>;
}  // namespace sparsecast::cluster
