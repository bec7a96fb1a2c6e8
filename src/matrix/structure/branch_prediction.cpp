// How many row ends a branch predictor cannot predict. Row loops end with a branch that is taken once per row, and
// what decides between a good and a bad guess is not the histogram of the lengths but their order: a mesh whose rows
// come in a pattern is predicted, the same rows shuffled are not. So the lengths are fed to a predictor of the kind
// that processors have: TAGE (Seznec & Michaud 2006), tagged tables over geometrically growing histories, the longest
// matching one speaks. A symbol is a whole row length here rather than one bit. Where there are many rows, stretches of
// them stand for all: the first, middle and last rows of a matrix are often of different kinds.

#include <bit>

#include "matrix/structure/structure_parts.hpp"

namespace sparsecast::matrix {
namespace {
constexpr std::array<std::size_t, 7> histories{0, 1, 2, 4, 8, 16, 32};  // rows before this one that a table looks at
constexpr std::size_t table_entries = 4096;                             // per table
constexpr std::int64_t stretches = 8, stretch_rows = 1 << 10;
constexpr std::uint64_t base = 0x9E3779B97F4A7C15U;  // of the rolling hashes

class LengthPredictor {
 public:
  // The tables, a quarter of a megabyte, are kept by each thread: taking them from the system anew costs as much as a
  // thousand rows.
  LengthPredictor() : tables_(kept()) {
    tables_.assign(histories.size() * table_entries, {});
    for (std::size_t t = 0; t < histories.size(); ++t) {
      leaving_[t] = 1;
      for (std::size_t i = 0; i < histories[t]; ++i) leaving_[t] *= base;
    }
  }

  // Takes the lengths one after the other and learns each; how many from run_up on were not predicted.
  std::size_t missed(const std::vector<std::int32_t>& lengths, std::size_t run_up) {
    std::size_t missed = 0;
    for (std::size_t r = 0; r < lengths.size(); ++r)
      if (!foresees(std::min(lengths[r], most_said)) && r >= run_up) ++missed;
    return missed;
  }

 private:
  // What followed a history: the length times four, and how much it is trusted, 0 to 3.
  struct Entry {
    std::uint32_t tag = 0, said = 0;
  };
  static constexpr std::int32_t most_said = (1 << 30) - 1;
  static constexpr std::size_t kept_past = 64;  // a power of two beyond the longest history

  // True where the length was predicted; learns it.
  bool foresees(std::int32_t length) {
    std::array<Entry*, histories.size()> at;
    std::array<std::uint32_t, histories.size()> tags;
    unsigned matching = 0;
    for (std::size_t t = 0; t < histories.size(); ++t) {
      // The hash of a history is what the polynomials of all lengths up to its two ends differ by.
      const std::uint64_t hash =
          t == 0 ? 0 : past_[now_ % kept_past] - leaving_[t] * past_[(now_ - histories[t]) % kept_past];
      const std::uint64_t mixed = (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9U;
      tags[t] = static_cast<std::uint32_t>(mixed) | 1U;
      at[t] = &tables_[t * table_entries + static_cast<std::size_t>(mixed >> 52)];
      matching |= static_cast<unsigned>(at[t]->tag == tags[t]) << t;
    }
    const auto said = static_cast<std::uint32_t>(length) << 2;
    const auto beyond = static_cast<std::size_t>(std::bit_width(matching));  // the longest that matches, and one
    const bool right = beyond > 0 && (at[beyond - 1]->said & ~3U) == said;
    if (right) {
      at[beyond - 1]->said += (at[beyond - 1]->said & 3U) < 3 ? 1 : 0;
    } else {
      if (beyond > 0) learn(*at[beyond - 1], said);
      // A longer history gets an entry where one can be had.
      for (std::size_t t = beyond; t < histories.size(); ++t) {
        if ((at[t]->said & 3U) == 0) {
          *at[t] = {tags[t], said};
          break;
        }
        --at[t]->said;
      }
    }
    const std::uint64_t before = past_[now_ % kept_past];
    past_[++now_ % kept_past] = before * base + static_cast<std::uint64_t>(length) + 1;
    return right;
  }

  static void learn(Entry& entry, std::uint32_t said) {
    if ((entry.said & 3U) > 0)
      --entry.said;
    else
      entry.said = said;
  }

  static std::vector<Entry>& kept() {
    static thread_local std::vector<Entry> tables;
    return tables;
  }

  std::vector<Entry>& tables_;
  std::array<std::uint64_t, histories.size()> leaving_{};
  std::array<std::uint64_t, kept_past> past_{};  // polynomials of all lengths up to each of the newest
  std::size_t now_ = kept_past;
};

using Lengths = std::vector<std::int32_t>;
}  // namespace

// How much of a small, repeated product the predictor's capacity holds is left to the models: how much that is differs
// between processors.
double misprediction_share(const std::vector<Lengths>& parts) {
  LengthPredictor predictor;
  std::size_t missed = 0, judged = 0;
  for (const Lengths& lengths : parts) {
    const std::size_t run_up = lengths.size() / 4;
    missed += predictor.missed(lengths, run_up);
    judged += lengths.size() - run_up;
  }
  return judged > 0 ? static_cast<double>(missed) / static_cast<double>(judged) : 0;
}

template <class Offset>
void analyze_foresight(std::span<const Offset> row_pointers, Structure& structure, int sparser) {
  const std::int64_t most = stretch_rows >> sparser;
  const bool whole = structure.rows <= stretches * most;
  const std::int64_t count = whole ? structure.rows : most, parts_count = whole ? 1 : stretches;
  std::vector<Lengths> parts(static_cast<std::size_t>(parts_count), Lengths(static_cast<std::size_t>(count)));
  bool some_empty = false;
  for (std::int64_t p = 0; p < parts_count; ++p) {
    const std::int64_t first = whole ? 0 : (structure.rows - count) * p / (parts_count - 1);
    Lengths& lengths = parts[static_cast<std::size_t>(p)];
    for (std::int64_t r = 0; r < count; ++r)
      lengths[static_cast<std::size_t>(r)] = static_cast<std::int32_t>(std::min<std::int64_t>(
          row_pointers[first + r + 1] - row_pointers[first + r], std::numeric_limits<std::int32_t>::max()));
  }
  structure.mispredicted_rows = misprediction_share(parts);
  structure.mispredicted_filled_rows = structure.mispredicted_rows;
  for (Lengths& lengths : parts) some_empty = std::erase(lengths, 0) > 0 || some_empty;
  if (some_empty) structure.mispredicted_filled_rows = misprediction_share(parts);
}

template void analyze_foresight(std::span<const std::int32_t>, Structure&, int);
template void analyze_foresight(std::span<const std::int64_t>, Structure&, int);
}  // namespace sparsecast::matrix
