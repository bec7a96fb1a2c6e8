#pragma once
// A seeded random permutation of 0 … n − 1 that takes no memory: each rank of 2du can place any index without holding
// the n-entry array that a shuffle needs. It is a balanced Feistel network with four rounds (Luby & Rackoff 1988) on
// the smallest even number of bits that holds n, walked along its cycle until it falls below n (Black & Rogaway 2002);
// fewer than four steps are expected.

#include <array>
#include <cstdint>

namespace sparsecast::cluster {
class IndexPermutation {
 public:
  IndexPermutation(std::int64_t size, std::uint64_t seed);
  [[nodiscard]] std::int64_t operator()(std::int64_t index) const;  ///< 0 ≤ index < size
  [[nodiscard]] std::int64_t inverse(std::int64_t position) const;

 private:
  std::uint64_t size_;
  int half_bits_;
  std::uint64_t half_mask_;
  std::array<std::uint64_t, 4> keys_{};

  [[nodiscard]] std::uint64_t forward(std::uint64_t value) const;
  [[nodiscard]] std::uint64_t backward(std::uint64_t value) const;
};

/// SplitMix64's finaliser: 64 well-mixed bits of 64 (Steele, Lea & Flood 2014).
constexpr std::uint64_t mix_bits(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}
}  // namespace sparsecast::cluster
