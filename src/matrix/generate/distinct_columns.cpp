#include "matrix/generate/distinct_columns.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>

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
}  // namespace sparsecast::matrix
