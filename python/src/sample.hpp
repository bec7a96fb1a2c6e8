#pragma once
// A number that the entries of an array make, or 16 to 31 of them, spread over it; of a small array those are all.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace sparsecast::python {

/// The bits of an entry of at most 16 bytes.
template <std::size_t bytes>
std::uint64_t bits_of(const void* entry) noexcept {
  static_assert(bytes <= 16);
  std::array<std::uint64_t, 2> words{};
  std::memcpy(words.data(), entry, bytes);
  return words[0] ^ std::rotl(words[1], 1);
}

/// Of every `step`-th of so many entries; `bits(i)` are those of the i-th. Four sums side by side: one alone would wait
/// for each of its multiplications.
template <class Bits>
std::uint64_t sum_entries(std::size_t count, const Bits& bits, std::size_t step = 1) noexcept {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15u;
  const auto mix = [](std::uint64_t& sum, std::uint64_t entry) {
    sum = (sum ^ entry) * factor;
    sum ^= sum >> 29;
  };
  std::uint64_t a = count, b = 1, c = 2, d = 3;
  std::size_t i = 0;
  for (; i + 3 * step < count; i += 4 * step) {
    mix(a, bits(i));
    mix(b, bits(i + step));
    mix(c, bits(i + 2 * step));
    mix(d, bits(i + 3 * step));
  }
  for (; i < count; i += step) mix(a, bits(i));
  return a ^ std::rotl(b, 13) ^ std::rotl(c, 29) ^ std::rotl(d, 43);
}

/// Of entries spread over all.
template <class Bits>
std::uint64_t sample_entries(std::size_t count, const Bits& bits) noexcept {
  constexpr std::size_t most = 16;
  return sum_entries(count, bits, std::max<std::size_t>(1, count / most));
}

}  // namespace sparsecast::python
