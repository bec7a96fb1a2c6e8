#pragma once
// Workload: what one matrix asks of one kernel, in amounts that a forecast puts a time to. Counts where the Structure
// tells them (row lengths, padding, stored bytes); estimates where it holds a sample or a summary (reads of x that miss
// a cache, mispredictions, thread parts), and almost everywhere of a feature record or a GPU, which has the general
// part and the slots alone.
//
// forecast/physical/workload.cpp counts the general part, which is every kernel's; each format's file what its
// kernels do beside it.

#include "formats/parts/thread_parts.hpp"
#include "formats/sell.hpp"

namespace sparsecast::formats {
/// What a product on a GPU does beside the general part (formats/gpu/gpu_counts.hpp).
struct GpuWork {
  double launches = 0;       ///< kernels queued
  double groups = 0;         ///< work-groups of all of them
  double warp_steps = 0;     ///< steps of warps: one takes as many as its longest lane
  double idle = 0;           ///< lanes that wait in them
  double sectors = 0;        ///< of 32 bytes, that warps ask for when they read values, columns and rows of entries
  double partial = 0;        ///< of them, those beyond what their bytes would fill
  double tiles = 0;          ///< coo, csr-merge: each ends in a scan over its group
  double sums = 0;           ///< csr-vector, csr-half: work-groups that add up over the lanes of their rows
  double carries = 0;        ///< sums handed from group to group
  double chain = 0;          ///< steps of the longest lane
  double resident = 0;       ///< warps that run at once, with the registers and the shared memory of the kernel
  double latency_steps = 0;  ///< steps that follow each other where those run side by side
  double scattered = 0;      ///< sums written in another order than the rows'
  double walked = 0;         ///< on a processor: slots of rows that lie in more lines than the first cache has
  /// Reads of x beyond a reuse of so many bytes (gather_capacity()).
  static constexpr int gather_levels = 8;
  std::array<double, gather_levels> x_beyond{};
  static constexpr double gather_capacity(int level) { return 16384.0 * static_cast<double>(1 << (2 * level)); }
};

struct Workload {
  double nonzeros = 0, rows = 0, cols = 0;
  double row_mean = 0, row_std = 0;
  double longest_row = 0;      ///< non-zeros of the longest row
  double runs = 0;             ///< runs of adjacent columns: places where the gather of x starts anew
  double neighbours = 0;       ///< mean number of adjacent non-zeros, 0 … 2
  double span = 0;             ///< mean distance from first to last column of a row, over cols
  double similarity = 0;       ///< share of non-zeros with a neighbour in the next row
  double footprint_bytes = 0;  ///< CSR (8-byte values and 4-byte indices, whatever the format), x and y
  double slots = 0;            ///< entries that the kernel goes through, padding included (SELL: see slots_of())

  // Only where the Structure came from a matrix.
  bool exact = false;  ///< that is so, and what follows is filled in: of the host, or of a GPU
  bool gpu = false;    ///< of a GPU: `gpu_work`, and of the rest what is marked with (g)
  GpuWork gpu_work;
  double format_bytes = 0;    ///< (g) what the kernel's format streams, x and y once each
  double padding = 0;         ///< (g) slots without an entry
  double row_steps = 0;       ///< (g) rows that the kernel comes by: not the empty ones where entries carry their row
  double calls = 0;           ///< inner loops begun beside those of the rows: pieces of columns, of diagonals
  double more_vectors = 0;    ///< csr: further vectors of eight rows where short rows have more than 8 entries
  double long_rows = 0;       ///< csr: rows too long for a block of short rows; hyb: rows with an overflow
  double rest = 0;            ///< csr: entries of long rows that fill no vector and are added one by one
  double partial = 0;         ///< ell, hyb: vectors of eight slots that padding leaves partly empty
  double in_runs = 0;         ///< sell: slots of slices that read x as vectors, of them
  double empty = 0;           ///< ell, hyb: vectors of eight slots of padding alone
  double overflow = 0;        ///< (g) hyb: entries of the COO part
  double looked_up = 0;       ///< sell-compact: slots whose value is found in a table of up to 256
  double widened = 0;         ///< sell-compact: slots whose value is stored as a smaller type, or is one of 16
  double chained = 0;         ///< csr-scalar: entries whose additions wait for the one before
  double misses[3] = {};      ///< (g) reads of x per product that miss the caches of level 1, 2, 3
  double followed[3] = {};    ///< of them, those that come soon after the line before theirs
  double followed_again = 0;  ///< those beyond the last level, but for the first read of each line
  /// The others beyond a reuse of so many bytes (scatter_capacity()): 1 MiB to 2 GiB.
  static constexpr int scatter_levels = 12;
  static constexpr double scatter_capacity(int level) { return 1048576.0 * static_cast<double>(1 << level); }
  std::array<double, scatter_levels> scattered{};
  double differing_rows = 0;  ///< rows whose predecessor would have another length if they were shuffled
  double mispredictions = 0;  ///< (g) ends of rows that a branch predictor cannot know in a first product
  double small_mispredictions =
      0;                          ///< csr: the same for whether a short row takes a second vector; hyb: for its padding
  double misprediction_bits = 0;  ///< information in them
  double remembered = 0;          ///< predictor capacity that all of them would take: branches, or those bits
  double shared_lines = 0;        ///< lines of y that several threads write
  double stream_bytes = 0;        ///< ell, hyb: bytes that are read as several streams side by side
  double aliased = 0;             ///< of their slots, those in columns that begin at 4K aliasing with others
  double unprefetched = 0;        ///< csr-scalar: entries from beyond the last cache that no prefetcher predicts
  double unaligned = 0;      ///< ell, hyb: slots in columns that begin within a cache line, so that vectors lie in two
  double launch_s = 0;       ///< what starting the threads took when it was measured; 0: as is usual in the profile
  ThreadParts thread_parts;  ///< the part with the most non-zeros and the one with the most rows

  static constexpr double chain_free = 16;  ///< entries of a row whose additions wait for none

  [[nodiscard]] double window_bytes() const { return 8 * cols * span; }
};

/// What decides the padding of a kernel's format, of a matrix and of a block of its rows.
enum class Padding {
  none,
  slices,       ///< SELL: each slice by itself, so that strips of rows add up
  longest_row,  ///< ELL: the longest row of all
  hyb_split,    ///< HYB: the width that hyb_split() finds for them
  triangle,     ///< CSR-SYM: none, and half of the entries
};

/// Entries that a kernel goes through, in SELL with slices of that shape. Formats skip padded slots but have to look at
/// them.
[[nodiscard]] double slots_of(Padding padding, const Structure& structure, SellShape slices = host_sell);

/// Where a product runs, as far as its workload depends on it.
struct WorkContext {
  int threads = 1;
  int value_bytes = 8;
  bool complex_values = false;
  double last_cache_bytes = 0;  ///< 0 where not known
};

// For the functions that count one kernel's product (KernelInfo::count).

/// Of the lengths of all rows, or of those that are not empty, what a branch predictor does not predict, 0 … 1. Where
/// the order of the rows is not known, they are taken to be shuffled.
[[nodiscard]] double mispredicted_share(const Structure& structure);
[[nodiscard]] double mispredicted_filled_share(const Structure& structure);
/// The chance that two rows in succession differ in length if they came in any order, 1 − Σ p².
[[nodiscard]] double differing_share(const Structure& structure);
/// Structure::row_groups; of a Structure without them (a profile from before they were counted) as if rows of a kind
/// lay side by side.
[[nodiscard]] RowGroups row_groups(const Structure& structure);
/// Information in the mispredictions counted so far, of all rows or of those that are not empty, and with it what a
/// predictor has to hold of a product to know all of it.
void count_remembered(const Structure& structure, bool filled_rows, Workload& workload);
/// The latter where a product has so many branches: those, and mispredictions in several tables at once. Where vectors
/// leave few branches, the information in the row lengths tells better.
void count_branches(double branches, Workload& workload);

/// Padding, and the ends of rows that are gone through one after the other.
void count_row_ends(const Structure& structure, Workload& workload);
/// The slices of `sell`.
void count_sell(const Structure& structure, const WorkContext& context, Workload& workload);
/// KernelInfo::count of a kernel that says nothing else: those, dealt by non-zeros.
void count_rows(const Structure& structure, const WorkContext& context, Workload& workload);
}  // namespace sparsecast::formats
