#include "matrix/generate/row_builder.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <numeric>
#include <sparsecast/error.hpp>

#include "base/machine/memory.hpp"
#include "base/parallel_for.hpp"
#include "base/team.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"

namespace sparsecast::matrix {
namespace {
// Non-zeros that one thread takes at a time.
constexpr std::int64_t batch_nonzeros = 1 << 15;

// Runs work(first, last) over batches of rows with about batch_nonzeros each; an exception in one ends them all.
template <class Offset, class Work>
void for_row_batches(const Array<Offset>& pointers, std::int64_t align, int threads, const Work& work) {
  const auto rows = static_cast<std::int64_t>(pointers.size()) - 1;
  std::vector<std::int64_t> firsts;
  for (std::int64_t row = 0; row < rows;) {
    firsts.push_back(row);
    const auto full = std::upper_bound(pointers.begin() + row + 1, pointers.end(), pointers[row] + batch_nonzeros);
    std::int64_t next = std::clamp<std::int64_t>(full - pointers.begin() - 1, row + 1, std::min(rows, row + (1 << 14)));
    if (align > 1) next = std::min(rows, (next + align - 1) / align * align);
    row = next;
  }
  firsts.push_back(rows);
  base::parallel_for(static_cast<std::int64_t>(firsts.size()) - 1, {threads, true}, [&](std::int64_t b) {
    const auto batch = static_cast<std::size_t>(b);
    work(firsts[batch], firsts[batch + 1]);
  });
}

template <class Offset>
Matrix fill(const RowRecipe& recipe, const std::vector<std::int32_t>& lengths, std::string name, int threads) {
  Csr<Offset, std::int32_t> csr;
  csr.rows = recipe.rows;
  csr.cols = recipe.cols;
  csr.row_pointers.resize(static_cast<std::size_t>(recipe.rows) + 1);
  Offset total = 0;
  for (std::int64_t r = 0; r < recipe.rows; ++r) {
    csr.row_pointers[r] = total;
    total += lengths[r];
  }
  csr.row_pointers[recipe.rows] = total;
  csr.column_indices.resize(static_cast<std::size_t>(total));
  csr.values.resize(static_cast<std::size_t>(total));

  const auto& pointers = csr.row_pointers;
  for_row_batches(pointers, recipe.group_rows, threads, [&](std::int64_t first, std::int64_t last) {
    thread_local DrawScratch scratch;
    const std::span columns(csr.column_indices);
    if (recipe.group_columns) {
      for (std::int64_t group = first; group < last; group += recipe.group_rows) {
        const std::int64_t end = std::min(last, group + recipe.group_rows);
        std::vector<std::int64_t> starts;
        for (std::int64_t r = group; r <= end; ++r) starts.push_back(pointers[r] - pointers[group]);
        recipe.group_columns(
            group, end, starts,
            columns.subspan(static_cast<std::size_t>(pointers[group]), static_cast<std::size_t>(starts.back())),
            scratch);
      }
    }
    for (std::int64_t r = first; r < last; ++r) {
      const auto begin = static_cast<std::size_t>(pointers[r]), length = static_cast<std::size_t>(lengths[r]);
      if (!recipe.group_columns) recipe.columns(r, columns.subspan(begin, length), scratch);
      recipe.values(r, columns.subspan(begin, length), std::span(csr.values).subspan(begin, length));
    }
  });
  return Matrix(std::move(csr), std::move(name));
}
}  // namespace

void require_buildable(const std::string& what, double rows, double cols, double nonzeros) {
  if (rows > INT32_MAX || cols > INT32_MAX)
    throw Error(ErrorCode::usage, fmt::format("{} would have {:.3g} rows and {:.3g} columns", what, rows, cols), {},
                "at most 2,147,483,647 of each can be generated");
  // Row pointers and lengths, columns and values; twice while symmetric and graph kinds are put together.
  const double bytes = 12 * rows + 12 * nonzeros, memory = static_cast<double>(base::memory_bytes());
  if (!(bytes <= 0.5 * memory))
    throw Error(ErrorCode::usage,
                fmt::format("{} would have {:.3g} rows and {:.3g} non-zeros, {}; this machine has {}", what, rows,
                            nonzeros, base::format_bytes(bytes), base::format_bytes(memory)),
                {}, "ask for at most half of the memory");
}

Matrix build_rows(const RowRecipe& recipe, std::string name, int threads) {
  threads = base::thread_count(threads);
  require_buildable(name, static_cast<double>(recipe.rows), static_cast<double>(recipe.cols), 0);
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(recipe.rows));
  std::int64_t total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total) num_threads(base::team_of(threads))
  for (std::int64_t r = 0; r < recipe.rows; ++r) {
    const std::int64_t length = std::clamp<std::int64_t>(recipe.length(r), 0, recipe.cols);
    lengths[r] = static_cast<std::int32_t>(length);
    total += length;
  }
  require_buildable(name, static_cast<double>(recipe.rows), static_cast<double>(recipe.cols),
                    static_cast<double>(total));
  return Matrix::fits32(total) ? fill<std::int32_t>(recipe, lengths, std::move(name), threads)
                               : fill<std::int64_t>(recipe, lengths, std::move(name), threads);
}

std::function<void(std::int64_t, std::span<const std::int32_t>, std::span<double>)> random_values(std::uint64_t seed) {
  return [seed](std::int64_t row, std::span<const std::int32_t>, std::span<double> values) {
    CounterRandom random(seed, row, 2);
    for (double& value : values) value = short_value(random.bits());
  };
}

std::function<void(std::int64_t, std::span<const std::int32_t>, std::span<double>)> symmetric_values(
    std::uint64_t seed) {
  const std::uint64_t key = mix_bits(seed + 3);
  return [key](std::int64_t row, std::span<const std::int32_t> columns, std::span<double> values) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto low = static_cast<std::uint64_t>(std::min<std::int64_t>(row, columns[k]));
      const auto high = static_cast<std::uint64_t>(std::max<std::int64_t>(row, columns[k]));
      values[k] = short_value(mix_bits(key ^ (low << 32 | high)));
    }
  };
}
}  // namespace sparsecast::matrix
