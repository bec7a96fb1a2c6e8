#pragma once
// Random numbers that are the same on every machine: SplitMix64 (Steele, Lea & Flood 2014). The distributions of the
// standard library differ between libraries and so cannot make reproducible matrices.

#include <cstdint>

namespace sparsecast::base {
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// Uniform on 0 … bound − 1 (Lemire 2019, without the rejection step: the bias is below bound / 2^64).
  std::uint64_t below(std::uint64_t bound) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }
  /// Uniform on [0, 1).
  double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};
}  // namespace sparsecast::base
