#pragma once
// DistributedPlan: y = A·x on the ranks of an MPI communicator by the scheme l1dr. Every rank owns rows of a square
// matrix and the same entries of x and y; before a product it sends the entries of x that others' rows ask for, and
// multiplies its own part while they travel. Written by `sparsecast cluster script --solver`; needs MPI and C++20 and
// nothing else.
//
// Thread safety: apply() is a collective call and writes into the plan's buffers: one at a time.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sparsecast {

/// Rows of one rank in compressed form. Columns are global positions: rank q owns those from the sum of the rows of
/// ranks 0 … q − 1 on.
struct OwnRows {
  std::vector<std::int64_t> row_pointers{0};  ///< rows + 1
  std::vector<std::int64_t> columns;
  std::vector<double> values;
  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(row_pointers.size()) - 1; }
};

class DistributedPlan {
 public:
  /// Collective. std::invalid_argument, on the rank that finds it, for columns beyond the matrix.
  DistributedPlan(MPI_Comm communicator, const OwnRows& rows) : comm_(communicator) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    first_.assign(static_cast<std::size_t>(size_) + 1, 0);
    const std::int64_t mine = rows.rows();
    MPI_Allgather(&mine, 1, MPI_INT64_T, first_.data() + 1, 1, MPI_INT64_T, comm_);
    for (std::size_t q = 1; q < first_.size(); ++q) first_[q] += first_[q - 1];
    ask(split(rows));
  }

  [[nodiscard]] std::int64_t own_rows() const { return first_[at(rank_) + 1] - first_[at(rank_)]; }
  [[nodiscard]] std::int64_t first_row() const { return first_[at(rank_)]; }
  [[nodiscard]] std::int64_t rows() const { return first_.back(); }
  /// Entries of x that this rank receives in a product, and the ranks that they come from.
  [[nodiscard]] std::size_t received() const { return halo_.size(); }
  [[nodiscard]] std::size_t neighbours() const { return from_.size(); }

  /// y = A·x, of the own entries each. Collective. std::invalid_argument for vectors of another length.
  void apply(std::span<const double> x, std::span<double> y) {
    if (x.size() != at(own_rows()) || y.size() != x.size()) throw std::invalid_argument("x or y is of another length");
    requests_.clear();
    for (const Part& part : from_)
      MPI_Irecv(halo_.data() + part.begin, count(part), MPI_DOUBLE, part.rank, tag, comm_, &requests_.emplace_back());
    for (std::size_t k = 0; k < send_.size(); ++k) outgoing_[k] = x[send_[k]];
    for (const Part& part : to_)
      MPI_Isend(outgoing_.data() + part.begin, count(part), MPI_DOUBLE, part.rank, tag, comm_,
                &requests_.emplace_back());
    for (std::size_t r = 0; r < y.size(); ++r) {
      double sum = 0;
      for (std::size_t k = own_.rows[r]; k < own_.rows[r + 1]; ++k) sum += own_.values[k] * x[own_.columns[k]];
      y[r] = sum;
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (const std::size_t r : filled_)
      for (std::size_t k = remote_.rows[r]; k < remote_.rows[r + 1]; ++k)
        y[r] += remote_.values[k] * halo_[remote_.columns[k]];
  }

  /// Over all ranks, the same everywhere. Collective.
  [[nodiscard]] double dot(std::span<const double> a, std::span<const double> b) const {
    double sum = 0, all = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, comm_);
    return all;
  }

 private:
  static constexpr int tag = 7301;
  struct Block {
    std::vector<std::size_t> rows{0}, columns;
    std::vector<double> values;
  };
  struct Part {
    int rank;
    std::size_t begin, end;
  };

  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
  std::vector<std::int64_t> first_;
  Block own_, remote_;
  std::vector<std::size_t> filled_, send_;
  std::vector<Part> from_, to_;
  std::vector<double> halo_, outgoing_;
  std::vector<MPI_Request> requests_;

  template <class Integer>
  static std::size_t at(Integer value) {
    return static_cast<std::size_t>(value);
  }
  static int count(const Part& part) { return static_cast<int>(part.end - part.begin); }

  // Own and remote entries; the remote positions that are needed, ascending.
  std::vector<std::int64_t> split(const OwnRows& rows) {
    const std::int64_t begin = first_row(), end = begin + own_rows();
    std::map<std::int64_t, std::size_t> place;
    for (const std::int64_t column : rows.columns) {
      if (column < 0 || column >= this->rows()) throw std::invalid_argument("a column beyond the matrix");
      if (column < begin || column >= end) place.emplace(column, 0);
    }
    std::vector<std::int64_t> needed;
    for (auto& [column, where] : place) {
      where = needed.size();
      needed.push_back(column);
    }
    for (std::int64_t r = 0; r < rows.rows(); ++r) {
      for (auto k = at(rows.row_pointers[at(r)]); k < at(rows.row_pointers[at(r) + 1]); ++k) {
        const std::int64_t column = rows.columns[k];
        const bool own = column >= begin && column < end;
        Block& block = own ? own_ : remote_;
        block.columns.push_back(own ? at(column - begin) : place.at(column));
        block.values.push_back(rows.values[k]);
      }
      if (remote_.columns.size() > remote_.rows.back()) filled_.push_back(at(r));
      own_.rows.push_back(own_.columns.size());
      remote_.rows.push_back(remote_.columns.size());
    }
    return needed;
  }

  // Tells every owner which of its entries this rank needs.
  void ask(const std::vector<std::int64_t>& needed) {
    std::vector<int> wanted(at(size_), 0), asked(at(size_), 0), wanted_at(at(size_), 0), asked_at(at(size_), 0);
    for (const std::int64_t column : needed)
      ++wanted[at(std::upper_bound(first_.begin(), first_.end(), column) - first_.begin() - 1)];
    MPI_Alltoall(wanted.data(), 1, MPI_INT, asked.data(), 1, MPI_INT, comm_);
    for (std::size_t q = 1; q < wanted.size(); ++q) {
      wanted_at[q] = wanted_at[q - 1] + wanted[q - 1];
      asked_at[q] = asked_at[q - 1] + asked[q - 1];
    }
    std::vector<std::int64_t> positions(at(asked_at.back() + asked.back()));
    MPI_Alltoallv(needed.data(), wanted.data(), wanted_at.data(), MPI_INT64_T, positions.data(), asked.data(),
                  asked_at.data(), MPI_INT64_T, comm_);
    for (const std::int64_t position : positions) send_.push_back(at(position - first_row()));
    for (int q = 0; q < size_; ++q) {
      if (wanted[at(q)] > 0) from_.push_back({q, at(wanted_at[at(q)]), at(wanted_at[at(q)] + wanted[at(q)])});
      if (asked[at(q)] > 0) to_.push_back({q, at(asked_at[at(q)]), at(asked_at[at(q)] + asked[at(q)])});
    }
    halo_.resize(needed.size());
    outgoing_.resize(send_.size());
  }
};

/// The rows of one rank out of a whole matrix in compressed rows, by the rank of every row: positions are by rank, then
/// by row. `position_of` gets the position of every row where it is not null.
inline OwnRows rows_of_part(std::span<const std::int64_t> row_pointers, std::span<const std::int64_t> columns,
                            std::span<const double> values, std::span<const int> parts, int rank,
                            std::vector<std::int64_t>* position_of = nullptr) {
  std::vector<std::pair<int, std::int64_t>> order;
  for (std::size_t r = 0; r < parts.size(); ++r) order.emplace_back(parts[r], static_cast<std::int64_t>(r));
  std::sort(order.begin(), order.end());
  std::vector<std::int64_t> position(parts.size());
  for (std::size_t p = 0; p < order.size(); ++p)
    position[static_cast<std::size_t>(order[p].second)] = static_cast<std::int64_t>(p);
  OwnRows own;
  for (const auto& [part, row] : order) {
    if (part != rank) continue;
    const auto r = static_cast<std::size_t>(row);
    for (auto k = static_cast<std::size_t>(row_pointers[r]); k < static_cast<std::size_t>(row_pointers[r + 1]); ++k) {
      own.columns.push_back(position[static_cast<std::size_t>(columns[k])]);
      own.values.push_back(values[k]);
    }
    own.row_pointers.push_back(static_cast<std::int64_t>(own.columns.size()));
  }
  if (position_of != nullptr) *position_of = std::move(position);
  return own;
}

}  // namespace sparsecast
