#pragma once
// Random numbers from a counter: the n-th number of stream (seed, row, purpose) is a mix of these four, so that any
// thread can make any row without having made those before it. The mixing function is SplitMix64's finalizer (Steele,
// Lea & Flood 2014). Not for cryptography. std:: distributions are not used: their results differ between libraries.

#include <cstdint>

namespace sparsecast::matrix {
constexpr std::uint64_t mix_bits(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

/// Upper 64 bits of a × b: maps a uniform word a to 0 … b − 1, in the same order as a (Lemire 2019, without the
/// rejection step; the bias is below b / 2^64).
constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> 64);
}

class CounterRandom {
 public:
  /// `purpose` separates streams of one row that must not repeat each other (lengths, columns, values).
  CounterRandom(std::uint64_t seed, std::int64_t row, std::uint64_t purpose) noexcept
      : state_(mix_bits(mix_bits(seed + 0x9E3779B97F4A7C15U * (purpose + 1)) ^
                        (static_cast<std::uint64_t>(row) * 0xD1342543DE82EF95U + 1))) {}

  std::uint64_t bits() noexcept { return mix_bits(state_ += 0x9E3779B97F4A7C15U); }
  /// 0 … bound − 1; bound must be positive.
  std::int64_t below(std::int64_t bound) noexcept {
    return static_cast<std::int64_t>(multiply_high(bits(), static_cast<std::uint64_t>(bound)));
  }
  /// In (0, 1), never the ends: a multiple of 2^-53 plus half of that.
  double unit() noexcept { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }

 private:
  std::uint64_t state_;
};

/// An element of (0, 2] with three decimals, so that files of generated matrices stay short.
constexpr double short_value(std::uint64_t bits) noexcept {
  return static_cast<double>(multiply_high(bits, 2000) + 1) / 1000.0;
}
}  // namespace sparsecast::matrix
