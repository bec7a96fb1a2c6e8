#pragma once
// How the split of a host kernel (formats/parts/split.hpp, formats/parts/merge_path.hpp) deals a matrix to threads. A
// product takes as long as its slowest part, and parts with the same number of non-zeros may differ in rows several
// times.

#include <array>
#include <sparsecast/structure.hpp>
#include <string>

namespace sparsecast::forecast {

/// One part's share of the work, 1: the mean part's.
struct ThreadPart {
  double nonzeros = 1, rows = 1, calls = 1;
};

/// The part with the most non-zeros and the one with the most rows. Rows within each of the 64 counted blocks are taken
/// to be alike. All 1 for one thread and where the Structure does not tell.
[[nodiscard]] std::array<ThreadPart, 2> thread_parts(const Structure& structure, const std::string& kernel,
                                                     int threads);

/// Lines of y (eight rows) that several threads write in one product: JAD's rows are sorted by length over the whole
/// matrix, so the rows of a thread lie anywhere. Rows of one length keep their order, others are taken to lie in none.
[[nodiscard]] double shared_lines(const Structure& structure, const std::string& kernel, int threads);

}  // namespace sparsecast::forecast
