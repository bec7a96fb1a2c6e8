#pragma once
// Sectors: memory of a GPU is read in pieces of 32 bytes, and neighbouring threads that ask at once share them. How
// many a read touches follows from where it begins; one that begins within a sector touches a partial one more.
//
// `per` is how many entries a sector holds, `lanes` how many threads ask together (a multiple of `per`), `offset` how
// many entries after the beginning of a sector an array's part begins.

#include <cstdint>
#include <numeric>

namespace sparsecast::formats {

inline constexpr std::int64_t sector_bytes = 32;

/// Of so many entries that are asked for at once.
constexpr std::int64_t sectors_at_once(std::int64_t offset, std::int64_t entries, std::int64_t per) {
  return entries <= 0 ? 0 : (offset % per + entries - 1) / per + 1;
}

/// Of entries in succession that `lanes` threads read side by side, step after step.
constexpr std::int64_t sectors_of_run(std::int64_t offset, std::int64_t entries, std::int64_t lanes, std::int64_t per) {
  return entries / lanes * sectors_at_once(offset, lanes, per) + sectors_at_once(offset, entries % lanes, per);
}

/// Of `columns` such runs that follow each other in memory, the first `offset` entries after a sector's beginning.
/// Where they begin repeats after a few.
constexpr std::int64_t sectors_of_columns(std::int64_t offset, std::int64_t entries, std::int64_t columns,
                                          std::int64_t lanes, std::int64_t per) {
  const std::int64_t period = per / std::gcd(entries, per);
  std::int64_t sectors = 0;
  for (std::int64_t k = 0; k < period && k < columns; ++k)
    sectors += ((columns - k - 1) / period + 1) * sectors_of_run(offset + k * entries, entries, lanes, per);
  return sectors;
}

/// The mean over the places where such a run may begin: multiples of `step` entries, a divisor of `per`.
constexpr double mean_sectors_of_run(std::int64_t entries, std::int64_t step, std::int64_t lanes, std::int64_t per) {
  double sectors = 0;
  for (std::int64_t offset = 0; offset < per; offset += step)
    sectors += static_cast<double>(sectors_of_run(offset, entries, lanes, per));
  return sectors * static_cast<double>(step) / static_cast<double>(per);
}

}  // namespace sparsecast::formats
