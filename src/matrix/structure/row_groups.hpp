#pragma once
// Groups of eight rows, counted in the pass over the row lengths. What depends on where hyb cuts the rows has to wait
// for all lengths: it comes from the shortest and the longest row of each group, which are kept.

#include <sparsecast/structure.hpp>

namespace sparsecast::matrix {
/// Shortest and longest row of every group.
template <class Offset>
class GroupExtremes {
 public:
  explicit GroupExtremes(std::int64_t groups)
      : shortest_(static_cast<std::size_t>(groups)), longest_(static_cast<std::size_t>(groups)) {}

  /// Groups first … first + count − 1, of these row lengths; adds what needs no other group to `sums`.
  void add(const Offset* lengths, std::int64_t first, std::int64_t count, RowGroups& sums);
  /// The rest of the sums, with rows cut at the width of hyb_split(): what needs all groups in order.
  void count_turns(std::int64_t cut, RowGroups& sums) const;

 private:
  std::vector<Offset> shortest_, longest_;
};

/// Adds the sums of GroupExtremes::add().
void add_counted(RowGroups& sums, const RowGroups& part);
}  // namespace sparsecast::matrix
