#include "matrix/structure/compact.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

#include "base/machine/simd.hpp"
#include "base/parallel_for.hpp"
#include "base/small_floats.hpp"

namespace sparsecast::matrix {
namespace {
constexpr std::int64_t rows_of_window = CompactStorage::window_rows;

// Values that do not repeat show in a sample.
constexpr std::int64_t sampled = 1 << 10;

// Whether each of a block of values is one of a few, by their bits.
constexpr std::int64_t block = 64;
SPARSECAST_INLINE bool all_among(const double* values, const std::uint64_t* known, int count) {
  std::array<std::uint64_t, block> found{};
  for (int k = 0; k < count; ++k)
    for (std::size_t i = 0; i < block; ++i)
      found[i] |= static_cast<std::uint64_t>(std::bit_cast<std::uint64_t>(values[i]) == known[k]);
  std::uint64_t all = 1;
  for (const std::uint64_t one : found) all &= one;
  return all != 0;
}

// False where there are more than a Dictionary takes. Blocks of values that a small one has are told side by side.
template <class Value>
bool add_all(const Value* values, std::int64_t count, Dictionary& to) {
  static const auto all_among_here = base::compiled_for<all_among>(base::best_simd());
  std::int64_t i = 0;
  while (i < count) {
    std::int64_t stop = std::min(count, i + block);
    if constexpr (std::is_same_v<Value, double>) {
      if (to.size() > 0 && to.size() <= CompactStorage::few && stop == i + block &&
          all_among_here(values + i, to.bits(), to.size())) {
        i = stop;
        continue;
      }
    }
    for (std::uint64_t before = 0, first = 1; i < stop; ++i, first = 0) {
      const double value = values[i];
      const auto bits = std::bit_cast<std::uint64_t>(value);
      if ((bits != before || first == 1) && !to.add(value)) return false;
      before = bits;
    }
  }
  return true;
}

template <class Values>
bool repeats_in_sample(const Values& values) {
  const auto count = static_cast<std::int64_t>(values.size()), looked = std::min(count, sampled);
  Dictionary seen;
  for (std::int64_t i = 0; i < looked; ++i)
    if (!seen.add(values[static_cast<std::size_t>(i * (count / looked))])) return false;
  return true;
}

// Calls look(part, first, last) for stretches of the values, which says whether to go on; false where one did not.
// `sampled`: of many, for some short ones.
template <class Look>
bool all_of(std::int64_t count, int threads, bool sampled, const Look& look) {
  constexpr std::int64_t stretch = 1 << 14, short_stretch = 1 << 7, stretches = 64;
  if (count > short_stretch && !look(0, 0, short_stretch)) return false;  // what is not so mostly shows at once
  if (sampled && count > 2 * stretches * short_stretch) {
    for (std::int64_t i = 0; i < stretches; ++i)
      if (!look(0, count / stretches * i, count / stretches * i + short_stretch)) return false;
    return true;
  }
  std::atomic<bool> wrong{false};
  base::parallel_for(threads, {threads}, [&](std::int64_t part) {
    const std::int64_t end = count / threads * (part + 1) + (part + 1 == threads ? count % threads : 0);
    for (std::int64_t first = count / threads * part; first < end && !wrong.load(std::memory_order_relaxed);
         first += stretch)
      if (!look(part, first, std::min(end, first + stretch))) wrong = true;
  });
  return !wrong;
}

// Slots of a window's slices of eight rows, sorted by length.
template <class Csr>
std::int64_t slots_of_window(const Csr& csr, std::int64_t first, std::int64_t last) {
  std::array<std::int64_t, rows_of_window> lengths;
  for (std::int64_t row = first; row < last; ++row)
    lengths[static_cast<std::size_t>(row - first)] = csr.row_pointers[row + 1] - csr.row_pointers[row];
  std::sort(lengths.begin(), lengths.begin() + (last - first), std::greater<>());
  std::int64_t slots = 0;
  for (std::int64_t slice = 0; slice < last - first; slice += 8) slots += 8 * lengths[static_cast<std::size_t>(slice)];
  return slots;
}

template <class Csr>
std::int64_t count_far_slots(const Csr& csr, const Array<std::int32_t>& bases, std::int64_t slots) {
  const std::int64_t far = std::ranges::count(bases, -1), windows = std::ssize(bases);
  // The fewer windows are counted, the far ones or the others.
  const bool count_far = far <= windows / 2;
  std::int64_t counted = 0;
  for (std::int64_t w = 0; w < windows; ++w)
    if ((bases[static_cast<std::size_t>(w)] < 0) == count_far)
      counted += slots_of_window(csr, w * rows_of_window, std::min(csr.rows, (w + 1) * rows_of_window));
  return count_far ? counted : slots - counted;
}

// The smallest type that holds every value bit for bit.
ValueStorage smallest_storage(const Matrix& matrix, int threads, bool sampled) {
  return matrix.visit([&](const auto& csr) {
    for (const ValueStorage type : {ValueStorage::half, ValueStorage::bfloat16, ValueStorage::single_})
      if (all_of(std::ssize(csr.values), threads, sampled, [&](std::int64_t, std::int64_t first, std::int64_t last) {
            bool held = true;
            for (std::int64_t i = first; i < last; ++i)
              held &= base::holds(type, csr.values[static_cast<std::size_t>(i)]);
            return held;
          }))
        return type;
    return ValueStorage::given;
  });
}
}  // namespace

Dictionary distinct_values(const Matrix& matrix, int threads, bool sampled) {
  return matrix.visit([&](const auto& csr) -> Dictionary {
    if (csr.values.empty() || !repeats_in_sample(csr.values)) return {};
    std::vector<Dictionary> parts(static_cast<std::size_t>(threads));
    const bool few =
        all_of(std::ssize(csr.values), threads, sampled, [&](std::int64_t part, std::int64_t first, std::int64_t last) {
          return add_all(csr.values.data() + first, last - first, parts[static_cast<std::size_t>(part)]);
        });
    Dictionary all;
    for (const Dictionary& part : parts)
      for (int code = 0; code < part.size(); ++code)
        if (!few || !all.add(part.value(code))) return {};
    return all;
  });
}

CompactStorage value_storage(const Matrix& matrix, int distinct, int threads, bool sampled) {
  const bool few = distinct > 0 && distinct <= CompactStorage::few;
  const ValueStorage smallest = few ? ValueStorage::given : smallest_storage(matrix, threads, sampled);
  return {.distinct_values = distinct,
          .single_exact = distinct == 0 && smallest != ValueStorage::given ? 1 : 0,
          .two_bytes = smallest == ValueStorage::single_ ? ValueStorage::given : smallest};
}

namespace {
template <class Csr>
std::int32_t window_base(const Csr& csr, std::int64_t window) {
  std::int64_t low = csr.cols, high = -1;
  constexpr std::int64_t looked_at = 32;  // rows, before it is asked whether the window may still be near
  const std::int64_t last = std::min(csr.rows, (window + 1) * rows_of_window);
  for (std::int64_t row = window * rows_of_window; row < last && high - low <= CompactStorage::most_span;)
    for (const std::int64_t stop = std::min(last, row + looked_at); row < stop; ++row) {
      const auto begin = csr.row_pointers[row], end = csr.row_pointers[row + 1];
      if (begin == end) continue;
      low = std::min<std::int64_t>(low, csr.column_indices[begin]);
      high = std::max<std::int64_t>(high, csr.column_indices[end - 1]);
    }
  const bool near = high - low <= CompactStorage::most_span;
  return high < 0 ? 0 : near ? static_cast<std::int32_t>(low) : -1;
}
}  // namespace

Array<std::int32_t> window_bases(const Matrix& matrix, int threads) {
  const std::int64_t windows = (matrix.rows() + rows_of_window - 1) / rows_of_window;
  Array<std::int32_t> bases(static_cast<std::size_t>(windows));
  matrix.visit_pattern([&](const auto& csr) {
    base::parallel_for(windows, {threads},
                       [&](std::int64_t w) { bases[static_cast<std::size_t>(w)] = window_base(csr, w); });
  });
  return bases;
}

CompactStorage compact_storage(const Matrix& matrix, std::int64_t slots, int threads, bool sampled) {
  CompactStorage compact = value_storage(matrix, distinct_values(matrix, threads, sampled).size(), threads, sampled);
  constexpr std::int64_t sampled_from = 32, step = 4;  // windows; an even share of them stands for all
  const std::int64_t windows = (matrix.rows() + rows_of_window - 1) / rows_of_window;
  if (sampled && windows >= sampled_from) {
    std::int64_t far = 0, looked = 0;
    matrix.visit_pattern([&](const auto& csr) {
      for (std::int64_t w = 0; w < windows; w += step, ++looked) far += window_base(csr, w) < 0 ? 1 : 0;
    });
    compact.far_slots =
        std::llround(static_cast<double>(slots) * static_cast<double>(far) / static_cast<double>(looked));
    return compact;
  }
  const Array<std::int32_t> bases = window_bases(matrix, threads);
  matrix.visit_pattern([&](const auto& csr) { compact.far_slots = count_far_slots(csr, bases, slots); });
  return compact;
}
}  // namespace sparsecast::matrix
