#include "matrix/io/triplets.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>
#include <sparsecast/error.hpp>

#include "base/parallel_for.hpp"
#include "base/team.hpp"

// Assembly, in four passes over the entries:
//   1. count     Each counting thread owns a stretch of blocks and counts the entries of every row in it.
//   2. offsets   Row pointers from the counts; every thread's count of a row becomes the place of its first entry
//   there.
//                So entries stand in a row in the order of the blocks, whatever the number of threads.
//   3. scatter   Every thread copies its stretch to those places; then the blocks are freed.
//   4. rows      Rows that are not ascending are sorted, stably, and duplicates summed, in parallel over rows.
// Files are mostly sorted by columns or rows, which makes pass 4 a mere check: the order within a row is the file's.
// No atomic increments: they would lose the order, and with it the same sum of duplicates on every run. The price is
// one counter per row and counting thread, so there are only as many such threads as the memory bound allows.

namespace sparsecast::matrix {
namespace {
/// Entries in [begin, end) of `total` that part `part` of `parts` owns.
std::int64_t share(std::int64_t total, int part, int parts) {
  return total / parts * part + total % parts * part / parts;
}

/// Counting threads for which the counters take at most 2 bytes per entry (or 64 MB): staging and result together are
/// 28 of the 30 bytes per entry that 2.5 times the result allows.
int counting_threads(std::int64_t rows, std::int64_t entries, std::size_t counter_bytes, int threads) {
  const std::int64_t allowed = std::max<std::int64_t>(entries * 2, std::int64_t{64} << 20);
  const std::int64_t affordable = allowed / static_cast<std::int64_t>(counter_bytes) / std::max<std::int64_t>(rows, 1);
  const std::int64_t useful = entries / 16384 + 1;
  return static_cast<int>(std::clamp<std::int64_t>(std::min(affordable, useful), 1, threads));
}

/// Part of a block of triplets that somebody else owns.
template <class Index>
struct TripletSpans {
  std::span<const Index> rows, cols;
  std::span<const double> values;
};

/// First block of each thread's stretch, by entries; parts + 1 values.
template <class Block>
std::vector<std::size_t> stretches(const std::vector<Block>& blocks, std::int64_t entries, int parts) {
  std::vector<std::size_t> first(static_cast<std::size_t>(parts) + 1, blocks.size());
  std::int64_t before = 0;
  int part = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    while (part <= parts && before >= share(entries, part, parts)) first[static_cast<std::size_t>(part++)] = b;
    before += static_cast<std::int64_t>(blocks[b].rows.size());
  }
  first.back() = blocks.size();
  return first;
}

void fill_ones(Array<double>& values, int threads) {
  const auto stored = static_cast<std::int64_t>(values.size());
#pragma omp parallel for num_threads(base::team_of(threads)) schedule(static)
  for (std::int64_t k = 0; k < stored; ++k) values[k] = 1;
}

/// Pass 1: the entries of every row in one thread's stretch, with those that mirroring adds.
template <class Offset, class Block>
void count_rows(std::span<const Block> blocks, bool mirrored, Array<Offset>& counts) {
  std::ranges::fill(counts, Offset{0});
  for (const Block& block : blocks) {
    const std::size_t size = block.rows.size();
    for (std::size_t k = 0; k < size; ++k) ++counts[block.rows[k]];
    if (mirrored)
      for (std::size_t k = 0; k < size; ++k) counts[block.cols[k]] += block.rows[k] != block.cols[k];
  }
}

/// Pass 2: row pointers from the counts of all stretches; every count becomes the place of the stretch's first entry.
template <class Offset>
Array<Offset> places_from_counts(std::vector<Array<Offset>>& counts, std::int64_t rows, int threads) {
  Array<Offset> pointers(rows + 1);
  std::vector<Offset> sums(static_cast<std::size_t>(threads) + 1, 0);
  const auto row_share = [&](int part) { return share(rows, part, threads); };
#pragma omp parallel num_threads(base::team_of(threads))
  {
#pragma omp for schedule(static, 1)
    for (int t = 0; t < threads; ++t) {
      Offset sum = 0;
      for (std::int64_t r = row_share(t); r < row_share(t + 1); ++r)
        for (const auto& stretch : counts) sum += stretch[r];
      sums[t + 1] = sum;
    }
#pragma omp single
    std::partial_sum(sums.begin(), sums.end(), sums.begin());
#pragma omp for schedule(static, 1)
    for (int t = 0; t < threads; ++t) {
      Offset sum = sums[t];
      for (std::int64_t r = row_share(t); r < row_share(t + 1); ++r) {
        pointers[r] = sum;
        for (auto& stretch : counts) sum += std::exchange(stretch[r], sum);
      }
    }
  }
  pointers[rows] = sums.back();
  return pointers;
}

/// Pass 3: copies one block to the places of its rows.
template <class Csr, class Block>
void scatter_block(const Block& block, const AssemblyOptions& options, typename Csr::Offset* place, Csr& csr) {
  using Offset = typename Csr::Offset;
  const std::size_t size = block.rows.size();
  const auto* const row = block.rows.data();
  const auto* const col = block.cols.data();
  const double* const value = block.values.data();
  if (options.mirror == Mirror::none) {
    for (std::size_t k = 0; k < size; ++k) {
      const Offset here = place[row[k]]++;
      csr.column_indices[here] = static_cast<typename Csr::Index>(col[k]);
      if (!options.ones) csr.values[here] = value[k];
    }
    return;
  }
  const double sign = options.mirror == Mirror::negated ? -1.0 : 1.0;
  for (std::size_t k = 0; k < size; ++k) {
    const Offset here = place[row[k]]++;
    csr.column_indices[here] = static_cast<typename Csr::Index>(col[k]);
    if (!options.ones) csr.values[here] = value[k];
    if (row[k] == col[k]) continue;
    const Offset there = place[col[k]]++;
    csr.column_indices[there] = static_cast<typename Csr::Index>(row[k]);
    if (!options.ones) csr.values[there] = sign * value[k];
  }
}

template <class Csr, class Block>
Csr scatter(std::vector<Block>&& blocks, std::int64_t entries, const AssemblyOptions& options) {
  using Offset = typename Csr::Offset;
  const int threads = counting_threads(options.rows, entries, sizeof(Offset), options.threads);
  const std::vector<std::size_t> first = stretches(blocks, entries, threads);
  std::vector<Array<Offset>> next(static_cast<std::size_t>(threads));
  for (auto& counts : next) counts.resize(options.rows);
#pragma omp parallel for num_threads(base::team_of(threads)) schedule(static, 1)
  for (int t = 0; t < threads; ++t)
    count_rows(std::span<const Block>(blocks).subspan(first[t], first[t + 1] - first[t]),
               options.mirror != Mirror::none, next[t]);

  Csr csr;
  csr.rows = options.rows;
  csr.cols = options.cols;
  csr.row_pointers = places_from_counts(next, options.rows, options.threads);
  csr.column_indices.resize(csr.row_pointers.back());
  csr.values.resize(csr.row_pointers.back());
#pragma omp parallel for num_threads(base::team_of(threads)) schedule(static, 1)
  for (int t = 0; t < threads; ++t)
    for (std::size_t b = first[t]; b < first[t + 1]; ++b) {
      scatter_block(blocks[b], options, next[t].data(), csr);
      blocks[b] = {};
    }
  if (options.ones) fill_ones(csr.values, options.threads);
  return csr;
}

/// Calls make with an empty Csr of the narrowest types that hold the result. Duplicates may bring the count back under
/// the 32-bit limit; the offsets stay wide then, which is valid too.
template <class Make>
Matrix::Storage in_narrowest(std::int64_t entries, const AssemblyOptions& options, Make&& make) {
  const std::int64_t most = options.mirror == Mirror::none ? entries : 2 * entries;
  if (!Matrix::fits32(options.cols)) return make(Csr<std::int64_t, std::int64_t>{});
  if (!Matrix::fits32(most)) return make(Csr<std::int64_t, std::int32_t>{});
  return make(Csr<std::int32_t, std::int32_t>{});
}

/// Row pointers of entries whose rows never descend.
template <class Offset, class Index>
Array<Offset> pointers_of(const Array<Index>& entry_rows, std::int64_t rows, int threads) {
  Array<Offset> pointers(static_cast<std::size_t>(rows) + 1);
  const auto entries = static_cast<std::int64_t>(entry_rows.size());
  // Entry k ends all rows before its own that have not ended yet, so no two entries write the same pointer.
#pragma omp parallel for num_threads(base::team_of(threads)) schedule(static)
  for (std::int64_t k = 0; k <= entries; ++k) {
    const std::int64_t from = k == 0 ? -1 : static_cast<std::int64_t>(entry_rows[k - 1]);
    const std::int64_t to = k == entries ? rows : static_cast<std::int64_t>(entry_rows[k]);
    for (std::int64_t r = from + 1; r <= to; ++r) pointers[r] = static_cast<Offset>(k);
  }
  return pointers;
}

/// Sorts the entries of a row by column; those of one column stay in their order. It needs no more room than staging
/// has given back by then (16 of 28 bytes an entry, 24 of 40 where columns are wide): entries carry their position, so
/// that a sort in place is stable, which std::stable_sort with its buffer would not be for less than half as much
/// again.
template <class Index>
class RowSorter {
 public:
  void sort(Index* cols, double* values, std::size_t size) {
    if (std::is_sorted(cols, cols + size)) return;  // duplicates alone
    if (size <= UINT32_MAX) return sort_in(room_, cols, values, size);
    std::vector<Entry<std::uint64_t>> wide_room;
    sort_in(wide_room, cols, values, size);
  }

 private:
  template <class Position>
  struct Entry {
    Index col;
    Position position;
    double value;
  };

  template <class Position>
  static void sort_in(std::vector<Entry<Position>>& room, Index* cols, double* values, std::size_t size) {
    if (room.capacity() < size) {
      room = {};  // before more is asked for
      room.reserve(std::max<std::size_t>(size, 4096));
    }
    room.clear();
    for (std::size_t k = 0; k < size; ++k) room.push_back({cols[k], static_cast<Position>(k), values[k]});
    std::ranges::sort(
        room, [](const auto& a, const auto& b) { return a.col != b.col ? a.col < b.col : a.position < b.position; });
    for (std::size_t k = 0; k < size; ++k) {
      cols[k] = room[k].col;
      values[k] = room[k].value;
    }
  }

  std::vector<Entry<std::uint32_t>> room_;
};

/// Moves the row in [begin, end) to `out`, in the order of its columns, duplicates summed; returns where it ends.
/// `too_large` is called with the column of a sum that no double holds.
template <class Index, class Offset, class F>
Offset canonical_row(Index* cols, double* values, Offset begin, Offset end, Offset out, RowSorter<Index>& sorter,
                     F&& too_large) {
  bool ascending = true;
  for (Offset k = begin + 1; k < end; ++k) ascending &= cols[k - 1] < cols[k];
  if (ascending) {
    if (out != begin) {
      std::copy(cols + begin, cols + end, cols + out);
      std::copy(values + begin, values + end, values + out);
    }
    return out + (end - begin);
  }
  sorter.sort(cols + begin, values + begin, static_cast<std::size_t>(end - begin));
  const Offset row_out = out;
  for (Offset k = begin; k < end; ++k) {
    if (out > row_out && cols[out - 1] == cols[k]) {
      values[out - 1] += values[k];
      if (!std::isfinite(values[out - 1])) too_large(cols[k]);
    } else {
      cols[out] = cols[k];
      values[out++] = values[k];
    }
  }
  return out;
}

/// Joins the stretches of rows that begin with row first[t] and whose entries are in [begins[t], ends[t]).
template <class Csr, class Offset = typename Csr::Offset>
void close_gaps(Csr& csr, const std::vector<std::int64_t>& first, const std::vector<Offset>& begins,
                const std::vector<Offset>& ends) {
  auto& pointers = csr.row_pointers;
  auto* const cols = csr.column_indices.data();
  double* const values = csr.values.data();
  Offset out = ends[0];
  for (std::size_t t = 1; t < ends.size(); ++t) {
    const Offset gap = begins[t] - out;
    if (gap > 0) {
      std::copy(cols + begins[t], cols + ends[t], cols + out);
      std::copy(values + begins[t], values + ends[t], values + out);
      for (std::int64_t r = first[t]; r < first[t + 1]; ++r) pointers[r] -= r == first[t] ? 0 : gap;
    }
    if (first[t] < first[t + 1]) pointers[first[t]] = out;
    out += ends[t] - begins[t];
  }
  pointers[csr.rows] = out;
}
}  // namespace

template <class Csr>
void canonicalize(Csr& csr, int threads, const std::string& file) {
  using Offset = typename Csr::Offset;
  using Index = typename Csr::Index;
  auto& pointers = csr.row_pointers;
  Index* const cols = csr.column_indices.data();
  double* const values = csr.values.data();
  const auto stored = static_cast<std::int64_t>(csr.values.size());
  // Stretches of rows with equal shares of the entries. Within its own stretch a thread closes the gaps that summed
  // duplicates leave; the gaps between stretches are closed at the end.
  std::vector<std::int64_t> first(static_cast<std::size_t>(threads) + 1, csr.rows);
  for (int t = 0; t < threads; ++t) {
    const auto target = static_cast<Offset>(share(stored, t, threads));
    first[t] = t == 0 ? 0 : std::lower_bound(pointers.begin(), pointers.end() - 1, target) - pointers.begin();
  }
  std::vector<Offset> begins, ends(static_cast<std::size_t>(threads));
  for (const std::int64_t row : first) begins.push_back(pointers[row]);
  std::atomic<std::int64_t> overflow_row{-1};
  std::atomic<std::int64_t> overflow_col{-1};
  base::CarriedException failure;

#pragma omp parallel for num_threads(base::team_of(threads)) schedule(static, 1)
  for (int t = 0; t < threads; ++t) {
    failure.run([&] {
      RowSorter<Index> sorter;
      Offset begin = begins[t], out = begins[t];
      for (std::int64_t r = first[t]; r < first[t + 1]; ++r) {
        const Offset end = r + 1 == first[t + 1] ? begins[t + 1] : pointers[r + 1];
        out = canonical_row(cols, values, begin, end, out, sorter,
                            [&](Index col) { overflow_row = r, overflow_col = col; });
        begin = end;
        if (r + 1 < first[t + 1]) pointers[r + 1] = out;
      }
      ends[t] = out;
    });
  }
  failure.rethrow();
  if (overflow_row >= 0) {
    throw Error(ErrorCode::bad_input,
                fmt::format("the entries at row {}, column {} add up to more than a double holds", overflow_row + 1,
                            overflow_col + 1),
                {file}, "scale the matrix or remove the duplicates");
  }
  close_gaps(csr, first, begins, ends);
  const Offset left = pointers[csr.rows];
  csr.column_indices.resize(left);
  csr.values.resize(left);
  if (left < stored / 2) {  // the matrix lives longer than its reading
    csr.column_indices.shrink_to_fit();
    csr.values.shrink_to_fit();
  }
}

template <class Index>
Matrix::Storage assemble(std::vector<Triplets<Index>>&& blocks, const AssemblyOptions& options) {
  std::int64_t entries = 0;
  for (const auto& block : blocks) entries += static_cast<std::int64_t>(block.rows.size());
  return in_narrowest(entries, options, [&]<class C>(C csr) -> Matrix::Storage {
    csr = scatter<C>(std::move(blocks), entries, options);
    canonicalize(csr, options.threads, options.file);
    return csr;
  });
}

template <class Index>
Matrix::Storage assemble_in_row_order(Triplets<Index>&& triplets, const AssemblyOptions& options) {
  const auto entries = static_cast<std::int64_t>(triplets.rows.size());
  return in_narrowest(entries, options, [&]<class C>(C csr) -> Matrix::Storage {
    if constexpr (std::is_same_v<typename C::Index, Index>) {
      csr.rows = options.rows;
      csr.cols = options.cols;
      csr.row_pointers = pointers_of<typename C::Offset>(triplets.rows, options.rows, options.threads);
      triplets.rows = {};
      csr.column_indices = std::move(triplets.cols);
      csr.values = std::move(triplets.values);
      if (options.ones) {
        csr.values.resize(entries);
        fill_ones(csr.values, options.threads);
      }
      canonicalize(csr, options.threads, options.file);
      return csr;
    } else {
      return assemble_whole(std::move(triplets), options);  // the indices change their width
    }
  });
}

template <class Index>
Matrix::Storage assemble_whole(Triplets<Index>&& triplets, const AssemblyOptions& options) {
  const auto entries = static_cast<std::int64_t>(triplets.rows.size());
  std::vector<TripletSpans<Index>> blocks;
  for (int t = 0; t < options.threads; ++t) {
    const auto begin = static_cast<std::size_t>(share(entries, t, options.threads));
    const auto size = static_cast<std::size_t>(share(entries, t + 1, options.threads)) - begin;
    blocks.push_back({std::span<const Index>(triplets.rows).subspan(begin, size),
                      std::span<const Index>(triplets.cols).subspan(begin, size),
                      {}});
    if (!options.ones) blocks.back().values = std::span<const double>(triplets.values).subspan(begin, size);
  }
  return in_narrowest(entries, options, [&]<class C>(C csr) -> Matrix::Storage {
    csr = scatter<C>(std::move(blocks), entries, options);
    triplets = {};
    canonicalize(csr, options.threads, options.file);
    return csr;
  });
}

void add_imaginary(Matrix::Storage& real, Matrix::Storage&& imaginary) {
  std::visit([&]<class C>(C& csr) { csr.imaginary = std::move(std::get<C>(imaginary).values); }, real);
}

std::string remark_on_both_triangles(const std::string& file) {
  return file +
         ": a symmetric matrix has entries above and below its diagonal; each is mirrored, and where both of a pair "
         "are present they are added";
}

std::string remark_on_inexact_integers(const std::string& file) {
  return file + ": values are held in double precision: whole numbers of 2^53 and more are rounded";
}

template Matrix::Storage assemble(std::vector<Triplets<std::int32_t>>&&, const AssemblyOptions&);
template Matrix::Storage assemble(std::vector<Triplets<std::int64_t>>&&, const AssemblyOptions&);
template Matrix::Storage assemble_in_row_order(Triplets<std::int32_t>&&, const AssemblyOptions&);
template Matrix::Storage assemble_in_row_order(Triplets<std::int64_t>&&, const AssemblyOptions&);
template Matrix::Storage assemble_whole(Triplets<std::int32_t>&&, const AssemblyOptions&);
template Matrix::Storage assemble_whole(Triplets<std::int64_t>&&, const AssemblyOptions&);
template void canonicalize(Csr<std::int32_t, std::int32_t>&, int, const std::string&);
template void canonicalize(Csr<std::int64_t, std::int32_t>&, int, const std::string&);
template void canonicalize(Csr<std::int64_t, std::int64_t>&, int, const std::string&);
}  // namespace sparsecast::matrix
