#include "matrix/generate/row_builder.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <sparsecast/error.hpp>

#include "base/memory.hpp"
#include "base/team.hpp"
#include "base/parallel_for.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"

namespace sparsecast::matrix {
namespace {
void insertion_sort(std::span<std::int32_t> numbers) {
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const std::int32_t moving = numbers[i];
    std::size_t k = i;
    for (; k > 0 && numbers[k - 1] > moving; --k) numbers[k] = numbers[k - 1];
    numbers[k] = moving;
  }
}

// Uniform draws (repetitions possible), sorted. Each random word gives a number and, in the same order, one of as many
// buckets as there are numbers, so that a bucket holds one on average and sorting costs the same for each number.
void draw_sorted(CounterRandom& random, std::int64_t bound, std::span<std::int32_t> out, DrawScratch& scratch) {
  const std::size_t count = out.size();
  if (count <= 24) {
    for (std::int32_t& column : out) column = static_cast<std::int32_t>(random.below(bound));
    insertion_sort(out);
    return;
  }
  scratch.words.resize(count);
  scratch.buckets.assign(count + 1, 0);
  for (std::uint64_t& word : scratch.words) {
    word = random.bits();
    ++scratch.buckets[multiply_high(word, count) + 1];
  }
  std::partial_sum(scratch.buckets.begin(), scratch.buckets.end(), scratch.buckets.begin());
  for (const std::uint64_t word : scratch.words)
    out[scratch.buckets[multiply_high(word, count)]++] =
        static_cast<std::int32_t>(multiply_high(word, static_cast<std::uint64_t>(bound)));
  insertion_sort(out);
}

// A bit per number: for rows that fill more than a 64th of all columns. Beyond one half, draws what is left out.
void draw_by_bitmap(CounterRandom& random, std::int64_t bound, std::span<std::int32_t> out, DrawScratch& scratch) {
  const auto count = static_cast<std::int64_t>(out.size());
  const bool left_out = 2 * count > bound;
  const auto words = static_cast<std::size_t>((bound + 63) / 64);
  scratch.words.assign(words, 0);
  for (std::int64_t wanted = left_out ? bound - count : count; wanted > 0;) {
    const auto number = static_cast<std::uint64_t>(random.below(bound));
    const std::uint64_t bit = std::uint64_t{1} << (number % 64);
    std::uint64_t& word = scratch.words[number / 64];
    wanted -= (word & bit) == 0 ? 1 : 0;
    word |= bit;
  }
  std::size_t next = 0;
  for (std::size_t w = 0; w < words; ++w) {
    std::uint64_t word = left_out ? ~scratch.words[w] : scratch.words[w];
    if (left_out && w + 1 == words && bound % 64 != 0) word &= (std::uint64_t{1} << (bound % 64)) - 1;
    for (; word != 0; word &= word - 1)
      out[next++] = static_cast<std::int32_t>(64 * w + static_cast<std::size_t>(std::countr_zero(word)));
  }
}

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

constexpr double ln2 = 0x1.62e42fefa39efp-1;
constexpr double sqrt_half = 0x1.6a09e667f3bcdp-1;
}  // namespace

void draw_distinct(CounterRandom& random, std::int64_t bound, std::span<std::int32_t> out, DrawScratch& scratch) {
  if (out.empty()) return;
  if (bound <= 64 * static_cast<std::int64_t>(out.size())) return draw_by_bitmap(random, bound, out, scratch);
  draw_sorted(random, bound, out, scratch);
  // Repetitions are drawn again until none is left: the same as rejecting each as it comes, so still uniform.
  auto end = std::unique(out.begin(), out.end());
  while (end != out.end()) {
    const auto kept = static_cast<std::size_t>(end - out.begin());
    scratch.drawn.resize(out.size() - kept);
    draw_sorted(random, bound, scratch.drawn, scratch);
    scratch.merged.clear();
    std::set_union(out.begin(), end, scratch.drawn.begin(), std::unique(scratch.drawn.begin(), scratch.drawn.end()),
                   std::back_inserter(scratch.merged));
    end = std::copy(scratch.merged.begin(), scratch.merged.end(), out.begin());
  }
}

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

Matrix build_symmetric(const RowRecipe& lower, std::uint64_t seed, std::string name, int threads) {
  RowRecipe recipe = lower;
  recipe.values = [](std::int64_t, std::span<const std::int32_t>, std::span<double>) {};
  const Matrix triangle = build_rows(recipe, name, threads);
  return triangle.visit([&](const auto& csr) {
    // Row r of the whole: its lower entries, the diagonal, and the rows that hold r in their lower part. Going through
    // the triangle by rows leaves these in ascending order.
    std::vector<std::int64_t> upper_starts(static_cast<std::size_t>(csr.rows) + 1, 0);
    for (const auto column : csr.column_indices) ++upper_starts[static_cast<std::size_t>(column) + 1];
    for (std::size_t r = 1; r < upper_starts.size(); ++r) upper_starts[r] += upper_starts[r - 1];
    std::vector<std::int32_t> upper(csr.column_indices.size());
    std::vector<std::int64_t> next(upper_starts.begin(), upper_starts.end() - 1);
    for (std::int64_t r = 0; r < csr.rows; ++r)
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k)
        upper[static_cast<std::size_t>(next[static_cast<std::size_t>(csr.column_indices[k])]++)] =
            static_cast<std::int32_t>(r);

    RowRecipe whole;
    whole.rows = whole.cols = csr.rows;
    whole.length = [&](std::int64_t r) {
      const auto u = static_cast<std::size_t>(r);
      return csr.row_pointers[r + 1] - csr.row_pointers[r] + 1 + upper_starts[u + 1] - upper_starts[u];
    };
    whole.columns = [&](std::int64_t r, std::span<std::int32_t> columns, DrawScratch&) {
      const auto u = static_cast<std::size_t>(r);
      auto out = std::copy(csr.column_indices.begin() + csr.row_pointers[r],
                           csr.column_indices.begin() + csr.row_pointers[r + 1], columns.begin());
      *out++ = static_cast<std::int32_t>(r);
      std::copy(upper.begin() + upper_starts[u], upper.begin() + upper_starts[u + 1], out);
    };
    whole.values = symmetric_values(seed);
    return build_rows(whole, std::move(name), threads);
  });
}

double portable_log(double x) noexcept {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact
  if (m < sqrt_half) {
    m *= 2;
    --exponent;
  }
  // log m = 2 artanh s with s = (m − 1)/(m + 1), |s| < 0.172: twelve terms of the series reach 1e-19.
  const double s = (m - 1) / (m + 1), s2 = s * s;
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  return 2 * s * sum + exponent * ln2;
}

double portable_exp(double x) noexcept {
  const double k = std::floor(x / ln2 + 0.5);
  const double r = x - k * ln2;  // |r| ≤ 0.35: fourteen terms reach 1e-18
  double sum = 1;
  for (int n = 14; n >= 1; --n) sum = 1 + sum * r / n;
  return std::ldexp(sum, static_cast<int>(k));  // exact
}

double normal_quantile(double p) noexcept {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01,
                          -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
  constexpr double low = 0.02425;
  const auto tail = [&](double q) {
    return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
           ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
  };
  if (p < low) return tail(std::sqrt(-2 * portable_log(p)));
  if (p > 1 - low) return -tail(std::sqrt(-2 * portable_log(1 - p)));
  const double q = p - 0.5, r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
         (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}
}  // namespace sparsecast::matrix
