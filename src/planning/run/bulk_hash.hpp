#pragma once
// A hash of whole arrays at the speed of memory: words are mixed into as many lanes as keep a vector unit busy, each of
// which waits for its own last word alone. It tells one matrix from another; it is no defence against somebody who
// wants two to look alike.

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace sparsecast::planning {
class BulkHash {
 public:
  BulkHash();
  /// Numbers of double and int64, or of float and int32 by their value in those: the hash does not depend on the type.
  template <class Number>
  void add(std::span<const Number> numbers);
  /// 32 hexadecimal digits.
  [[nodiscard]] std::string text() const;

  static constexpr std::size_t lane_count = 64;
  using Lanes = std::array<std::uint64_t, lane_count>;

 private:
  Lanes lanes_;
};
}  // namespace sparsecast::planning
