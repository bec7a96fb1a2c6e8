#pragma once
// Workload: what one matrix asks of one kernel, in physical amounts. Exact where the Structure came from a matrix,
// estimated where it is only a feature record (sizes, row-length moments, locality).

#include <array>
#include <sparsecast/device.hpp>
#include <sparsecast/profile.hpp>
#include <sparsecast/structure.hpp>
#include <string>
#include <string_view>

#include "forecast/physical/thread_parts.hpp"

namespace sparsecast::forecast {

struct Workload {
  double nonzeros = 0, rows = 0, cols = 0;
  double row_mean = 0, row_std = 0;
  double longest_row = 0;      ///< non-zeros of the longest row
  double runs = 0;             ///< runs of adjacent columns: places where the gather of x starts anew
  double neighbours = 0;       ///< mean number of adjacent non-zeros, 0 … 2
  double span = 0;             ///< mean distance from first to last column of a row, over cols
  double similarity = 0;       ///< share of non-zeros with a neighbour in the next row
  double footprint_bytes = 0;  ///< CSR (8-byte values and 4-byte indices, whatever the format), x and y
  double slots = 0;            ///< entries that the kernel goes through, padding included

  // Only where the Structure came from a matrix and the device is the host.
  bool exact = false;
  double format_bytes = 0;    ///< what the kernel's format streams, x and y once each
  double padding = 0;         ///< slots without an entry
  double row_steps = 0;       ///< rows that the kernel comes by: not the empty ones where entries carry their row
  double calls = 0;           ///< inner loops begun beside those of the rows: pieces of columns, of diagonals
  double more_vectors = 0;    ///< csr: further vectors of eight rows where short rows have more than 8 entries
  double long_rows = 0;       ///< csr: rows too long for a block of short rows; hyb: rows with an overflow
  double rest = 0;            ///< csr: entries of long rows that fill no vector and are added one by one
  double partial = 0;         ///< ell, hyb: vectors of eight slots that padding leaves partly empty
  double empty = 0;           ///< ell, hyb: vectors of eight slots of padding alone
  double overflow = 0;        ///< hyb: entries of the COO part
  double chained = 0;         ///< csr-scalar: entries whose additions wait for the one before
  double misses[3] = {};      ///< reads of x per product that miss the caches of level 1, 2, 3
  double differing_rows = 0;  ///< rows whose predecessor would have another length if they were shuffled
  double mispredictions = 0;  ///< ends of rows that a branch predictor cannot know in a first product
  double small_mispredictions =
      0;                          ///< csr: the same for whether a short row takes a second vector; hyb: for its padding
  double misprediction_bits = 0;  ///< information in them
  double remembered = 0;          ///< predictor capacity that all of them would take: branches, or those bits
  double shared_lines = 0;        ///< lines of y that several threads write
  double stream_bytes = 0;        ///< ell, hyb: bytes that are read as several streams side by side
  double aliased = 0;             ///< of their slots, those in columns that begin at 4K aliasing with others
  double unprefetched = 0;        ///< csr-scalar: entries from beyond the last cache that no prefetcher predicts
  double unaligned = 0;  ///< ell, hyb: slots in columns that begin within a cache line, so that vectors lie in two
  double launch_s = 0;   ///< what starting the threads took when it was measured; 0: as is usual in the profile
  std::array<ThreadPart, 2> thread_parts;  ///< the part with the most non-zeros and the one with the most rows

  static constexpr double chain_free = 16;  ///< entries of a row whose additions wait for none

  [[nodiscard]] double window_bytes() const { return 8 * cols * span; }
};

/// Amounts of one product of `kernel` (a name of the kernel table, or any other from an imported profile).
Workload workload(const Structure& structure, const std::string& kernel, const DeviceProperties& properties,
                  Precision precision, int threads);

}  // namespace sparsecast::forecast
