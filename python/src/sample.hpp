#pragma once
// A number that the entries of an array make, or 16 to 31 of them, spread over it; of a small array those are all.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace sparsecast::python {

/// Of every `step`-th of so many entries; `entry(i)` is where the i-th lies, each of `bytes` bytes. Four sums side by side:
/// one alone would wait for each of its multiplications.
template <class Entry>
std::uint64_t sum_entries(std::size_t count, std::size_t bytes, const Entry& entry, std::size_t step = 1) noexcept {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15u;
  std::array<std::uint64_t, 4> sums{count, 1, 2, 3};
  const auto word = [&](std::size_t i) {
    std::array<std::uint64_t, 2> words{};
    std::memcpy(words.data(), entry(i), bytes);
    return words[0] ^ std::rotl(words[1], 1);
  };
  const auto mix = [](std::uint64_t& sum, std::uint64_t bits) {
    sum = (sum ^ bits) * factor;
    sum ^= sum >> 29;
  };
  std::size_t i = 0;
  for (; i + 3 * step < count; i += 4 * step)
    for (std::size_t lane = 0; lane < 4; ++lane) mix(sums[lane], word(i + lane * step));
  for (std::size_t lane = 0; i < count; i += step) mix(sums[lane++], word(i));
  return sums[0] ^ std::rotl(sums[1], 13) ^ std::rotl(sums[2], 29) ^ std::rotl(sums[3], 43);
}

/// Of entries spread over all.
template <class Entry>
std::uint64_t sample_entries(std::size_t count, std::size_t bytes, const Entry& entry) noexcept {
  constexpr std::size_t most = 16;
  return sum_entries(count, bytes, entry, std::max<std::size_t>(1, count / most));
}

}  // namespace sparsecast::python
