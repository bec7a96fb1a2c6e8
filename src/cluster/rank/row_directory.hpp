#pragma once
// Where every row lives, spread over the ranks: rank d answers for the d-th of P equal runs of rows, so that nobody
// holds an array over all rows. Positions are those of order_rows (scheme/partition.hpp).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "cluster/rank/communicator.hpp"

namespace sparsecast::cluster {
class RowDirectory {
 public:
  /// Collective. Rank 0 reads parts.bin run by run and hands the runs out.
  RowDirectory(const Communicator& ranks, std::int64_t rows, const std::filesystem::path& parts_file);

  [[nodiscard]] std::int64_t first(int rank) const { return first_[static_cast<std::size_t>(rank)]; }  ///< position
  [[nodiscard]] int owner(std::int64_t position) const;
  /// The rank that answers for a row.
  [[nodiscard]] int keeper(std::int64_t row) const;
  /// The position of a row of this rank's own run.
  [[nodiscard]] std::int64_t kept_position(std::int64_t row) const {
    return position_[static_cast<std::size_t>(row - run_begin_)];
  }
  /// Collective: positions of any rows.
  [[nodiscard]] std::vector<std::int64_t> look_up(const Communicator& ranks, std::span<const std::int64_t> rows) const;
  /// Collective: the rows that live on this rank, in the order of their positions.
  [[nodiscard]] std::vector<std::int64_t> own_rows(const Communicator& ranks) const;

 private:
  std::int64_t rows_, run_length_, run_begin_;
  std::vector<std::int64_t> first_;     // per rank, and the number of rows at the end
  std::vector<std::int64_t> position_;  // of the rows of this rank's run
};
}  // namespace sparsecast::cluster
