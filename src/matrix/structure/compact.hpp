#pragma once
// What compact storage can leave out of a matrix: values that repeat, digits that no value has, distances of columns
// that lie near each other. Conversions and analyze() ask the same functions, so that the size that a Structure
// promises is that of what is built.

#include <bit>
#include <sparsecast/structure.hpp>

namespace sparsecast::matrix {
/// Different values by their bits, in the order in which they come; no more than CompactStorage::most_distinct.
class Dictionary {
 public:
  /// False where there is no room for another value; it is not taken in.
  bool add(double value) {
    std::uint16_t& slot = slot_of(std::bit_cast<std::uint64_t>(value));
    if (slot != 0) return true;
    if (keys_.size() == CompactStorage::most_distinct) return false;
    keys_.push_back(std::bit_cast<std::uint64_t>(value));
    slot = static_cast<std::uint16_t>(keys_.size());
    return true;
  }
  /// Of a value that was taken in: how many came before it.
  [[nodiscard]] int code(double value) const {
    return const_cast<Dictionary*>(this)->slot_of(std::bit_cast<std::uint64_t>(value)) - 1;
  }
  /// Of all values, in that order.
  [[nodiscard]] const std::uint64_t* bits() const { return keys_.data(); }
  [[nodiscard]] int size() const { return static_cast<int>(keys_.size()); }
  [[nodiscard]] double value(int code) const { return std::bit_cast<double>(keys_[static_cast<std::size_t>(code)]); }

 private:
  // The place of these bits, or the empty one (0) where they would be.
  std::uint16_t& slot_of(std::uint64_t bits) {
    std::size_t at = (bits * 0x9E3779B97F4A7C15U) >> (64 - 9);
    while (slots_[at] != 0 && keys_[slots_[at] - 1U] != bits) at = (at + 1) % slots_.size();
    return slots_[at];
  }
  std::vector<std::uint64_t> keys_;
  std::array<std::uint16_t, 512> slots_{};  // index in keys_, from 1 on
};
/// All different values of a matrix; none where there are too many, as a sample usually tells at once. `sampled`: those
/// of some stretches of a large one.
[[nodiscard]] Dictionary distinct_values(const Matrix& matrix, int threads, bool sampled = false);
/// What a matrix of so many different values, 0 for more than a Dictionary takes, says of how values can be stored.
[[nodiscard]] CompactStorage value_storage(const Matrix& matrix, int distinct, int threads, bool sampled = false);
/// The lowest column of every window of CompactStorage::window_rows rows, 0 of one without entries; −1 where the
/// window's columns are not near each other. Columns must fit 32 bits.
[[nodiscard]] Array<std::int32_t> window_bases(const Matrix& matrix, int threads);
/// What those say; `slots` of SELL-8-1024, which the structure tells.
[[nodiscard]] CompactStorage compact_storage(const Matrix& matrix, std::int64_t slots, int threads,
                                             bool sampled = false);
}  // namespace sparsecast::matrix
