#include "cluster/rank/row_directory.hpp"
#include "fields/wording.hpp"

#include <algorithm>
#include <fstream>
#include <sparsecast/error.hpp>

namespace sparsecast::cluster {
namespace {
struct Located {
  std::int64_t position, row;
};
}  // namespace

RowDirectory::RowDirectory(const Communicator& ranks, std::int64_t rows, const std::filesystem::path& parts_file)
    : rows_(rows),
      run_length_(std::max<std::int64_t>(1, (rows + ranks.size() - 1) / ranks.size())),
      run_begin_(std::min(rows, run_length_ * ranks.rank())) {
  const auto run = [&](int q) { return std::min(rows, run_length_ * (q + 1)) - std::min(rows, run_length_ * q); };
  std::vector<std::int32_t> parts;
  std::ifstream file;
  ranks.agreed([&] {
    parts.resize(static_cast<std::size_t>(run(ranks.rank())));
    if (ranks.rank() != 0) return;
    file.open(parts_file, std::ios::binary);
    if (!file)
      throw Error(ErrorCode::bad_input, "rank 0 cannot read the partition", {parts_file.string()},
                  wording::format("the job folder must be on a file system that the first node can use ({})",
                                  wording::option("scratch")));
  });
  // Rank 0 keeps its own run and passes the others on, one at a time.
  std::vector<std::int32_t> passing;
  bool whole = true;
  if (ranks.rank() == 0) {
    for (int q = 0; q < ranks.size(); ++q) {
      std::vector<std::int32_t>& into = q == 0 ? parts : passing;
      into.assign(static_cast<std::size_t>(run(q)), 0);
      const auto bytes = static_cast<std::streamsize>(into.size() * sizeof(std::int32_t));
      whole = whole && (bytes == 0 || file.read(reinterpret_cast<char*>(into.data()), bytes).gcount() == bytes);
      if (q > 0) MPI_Send(into.data(), static_cast<int>(into.size()), MPI_INT32_T, q, 0, ranks.handle());
    }
  } else {
    MPI_Recv(parts.data(), static_cast<int>(parts.size()), MPI_INT32_T, 0, 0, ranks.handle(), MPI_STATUS_IGNORE);
  }
  ranks.agreed([&] {
    if (!whole || std::ranges::any_of(parts, [&](std::int32_t p) { return p < 0 || p >= ranks.size(); }))
      throw Error(ErrorCode::bad_input, "the partition does not fit the matrix and the ranks", {parts_file.string()});
  });

  const auto size = static_cast<std::size_t>(ranks.size());
  std::vector<std::int64_t> mine(size, 0), total(size), below(size, 0);
  for (const std::int32_t part : parts) ++mine[static_cast<std::size_t>(part)];
  MPI_Allreduce(mine.data(), total.data(), ranks.size(), MPI_INT64_T, MPI_SUM, ranks.handle());
  MPI_Exscan(mine.data(), below.data(), ranks.size(), MPI_INT64_T, MPI_SUM, ranks.handle());
  if (ranks.rank() == 0) std::ranges::fill(below, 0);
  first_.assign(size + 1, 0);
  for (std::size_t q = 0; q < size; ++q) first_[q + 1] = first_[q] + total[q];
  position_.reserve(parts.size());
  for (const std::int32_t part : parts) {
    const auto q = static_cast<std::size_t>(part);
    position_.push_back(first_[q] + below[q]++);
  }
}

int RowDirectory::owner(std::int64_t position) const {
  return static_cast<int>(std::upper_bound(first_.begin() + 1, first_.end(), position) - first_.begin()) - 1;
}

int RowDirectory::keeper(std::int64_t row) const { return static_cast<int>(row / run_length_); }

std::vector<std::int64_t> RowDirectory::look_up(const Communicator& ranks, std::span<const std::int64_t> rows) const {
  std::vector<std::int64_t> asked_by;
  const auto asked = ranks.route<std::int64_t>(
      rows, [&](std::int64_t row) { return keeper(row); }, &asked_by);
  Array<std::int64_t> answers(asked.size());
  for (std::size_t k = 0; k < asked.size(); ++k) answers[k] = kept_position(asked[k]);
  const auto sorted = ranks.exchange<std::int64_t>(answers, asked_by);
  // The answers come ordered by keeper; within one keeper in the order in which they were asked.
  std::vector<std::size_t> next(static_cast<std::size_t>(ranks.size()) + 1, 0);
  for (const std::int64_t row : rows) ++next[static_cast<std::size_t>(keeper(row)) + 1];
  for (std::size_t q = 1; q < next.size(); ++q) next[q] += next[q - 1];
  std::vector<std::int64_t> positions;
  positions.reserve(rows.size());
  for (const std::int64_t row : rows) positions.push_back(sorted[next[static_cast<std::size_t>(keeper(row))]++]);
  return positions;
}

std::vector<std::int64_t> RowDirectory::own_rows(const Communicator& ranks) const {
  std::vector<Located> kept;
  for (std::size_t k = 0; k < position_.size(); ++k)
    kept.push_back({position_[k], run_begin_ + static_cast<std::int64_t>(k)});
  const auto mine = ranks.route<Located>(kept, [&](const Located& at) { return owner(at.position); });
  std::vector<std::int64_t> rows(mine.size());
  for (const Located& at : mine) rows[static_cast<std::size_t>(at.position - first(ranks.rank()))] = at.row;
  return rows;
}
}  // namespace sparsecast::cluster
