#pragma once
// From the entries that the ranks read to the block that each rank multiplies, with every entry on the way once (2du)
// or twice (rows: to the keeper of its row, then to the row's owner).

#include <mpi.h>
#include <algorithm>

#include "cluster/launch/job.hpp"

namespace sparsecast::cluster {
// A thin face of MPI for the set-up phases: typed exchanges with counts, reductions, and the agreement on errors. The
// iterations themselves call MPI directly. Errors of MPI end all ranks (MPI_ERRORS_ARE_FATAL, the default).

class Communicator {
 public:
  explicit Communicator(MPI_Comm comm);
  [[nodiscard]] MPI_Comm handle() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  [[nodiscard]] std::int64_t sum(std::int64_t value) const;
  [[nodiscard]] std::int64_t max(std::int64_t value) const;
  [[nodiscard]] double max(double value) const;
  /// Sum of the values of the ranks below this one.
  [[nodiscard]] std::int64_t sum_below(std::int64_t value) const;
  [[nodiscard]] std::vector<std::int64_t> gather_to_all(std::int64_t value) const;
  /// The text of one rank, on every rank.
  [[nodiscard]] std::string broadcast(std::string text, int from = 0) const;

  /// Sends sorted_by_rank, of which counts[q] elements go to rank q; returns what came, by sending rank. `received`
  /// gets the numbers by sender where it is not null. T is copied as bytes. At most 2³¹ bytes per rank and call.
  template <class T>
  Array<T> exchange(std::span<const T> sorted_by_rank, const std::vector<std::int64_t>& counts,
                    std::vector<std::int64_t>* received = nullptr) const;

  /// Sends every element of `items` to rank_of(item); the order among items for one rank is kept.
  template <class T, class RankOf>
  Array<T> route(std::span<const T> items, RankOf rank_of, std::vector<std::int64_t>* received = nullptr) const;

  /// Runs `step`, which must not communicate, and waits for the others: where it threw on any rank, the Error of the
  /// lowest such rank is thrown on every rank.
  void agreed(const std::function<void()>& step) const;

 private:
  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;

  [[nodiscard]] std::vector<std::int64_t> exchange_bytes(const void* send, const std::vector<std::int64_t>& counts,
                                                         std::int64_t element, Array<char>& received) const;
};

template <class T>
Array<T> Communicator::exchange(std::span<const T> sorted_by_rank, const std::vector<std::int64_t>& counts,
                                std::vector<std::int64_t>* received) const {
  static_assert(std::is_trivially_copyable_v<T>);
  Array<char> bytes;
  auto from = exchange_bytes(sorted_by_rank.data(), counts, sizeof(T), bytes);
  Array<T> out(bytes.size() / sizeof(T));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(out.data()));
  if (received != nullptr) *received = std::move(from);
  return out;
}

template <class T, class RankOf>
Array<T> Communicator::route(std::span<const T> items, RankOf rank_of, std::vector<std::int64_t>* received) const {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(size_), 0);
  for (const T& item : items) ++counts[static_cast<std::size_t>(rank_of(item))];
  std::vector<std::size_t> next(static_cast<std::size_t>(size_), 0);
  for (std::size_t q = 1; q < next.size(); ++q) next[q] = next[q - 1] + static_cast<std::size_t>(counts[q - 1]);
  Array<T> sorted(items.size());
  for (const T& item : items) sorted[next[static_cast<std::size_t>(rank_of(item))]++] = item;
  return exchange<T>(sorted, counts, received);
}

// Reading the matrix in parts: every rank reads its own range of the file, a chunk at a time, and never sees the rest.
// A line of text belongs to the rank in whose range it begins. Compressed files cannot be read in parts: the command
// unpacks them into a file of entries first.

class EntrySource {
 public:
  virtual ~EntrySource() = default;
  std::int64_t rows = 0, cols = 0;
  /// Of the square matrix that is distributed (scheme/local_block.hpp).
  [[nodiscard]] std::int64_t size() const { return std::max(rows, cols); }

  /// The next entries of this rank's range, mirrored ones included, and whether there may be more.
  struct Chunk {
    std::vector<FileEntry> entries;
    bool more = false;
    std::optional<Error> fault;  ///< its line counts from the start of the range
  };
  virtual Chunk next() = 0;
  /// Lines in this rank's range, for the place of a fault.
  virtual std::int64_t count_lines() { return 0; }
  /// Collective, at the end: Error bad_input where the file holds another number of entries than it says.
  virtual void check_count(const Communicator&) {}
};

/// Collective. Error bad_input on all ranks where one of them cannot open the file, naming that rank and its host.
std::unique_ptr<EntrySource> open_entries(const Communicator& ranks, const Job& job);

/// Collective: calls take with the chunks of this rank's range, in step with the other ranks, so that take may
/// communicate (it is called with an empty chunk where others still have some). Throws what is wrong with the file, the
/// same on all ranks.
void stream_entries(const Communicator& ranks, EntrySource& source,
                    const std::function<void(std::vector<FileEntry>)>& take);

// Where every row lives, spread over the ranks: rank d answers for the d-th of P equal runs of rows, so that nobody
// holds an array over all rows. Positions are those of order_rows (scheme.hpp).

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

/// 2du: this rank's block of the permuted matrix; the last blocks are padded.
struct GridPart {
  Grid grid;
  std::int64_t size = 0;  ///< rows of the whole matrix
  CsrBlock block;
};
GridPart assemble_grid(const Communicator& ranks, EntrySource& source, std::uint64_t seed);

/// g1dr and l1dr: the rows that live on this rank.
struct RowPart {
  std::vector<std::int64_t> rows;        ///< their numbers in the matrix, ascending
  std::vector<std::int64_t> all_counts;  ///< rows of every rank
  std::int64_t size = 0;                 ///< rows of the whole matrix
  std::vector<LocalEntry> entries;       ///< columns are indices into `columns`
  std::vector<std::int64_t> columns;     ///< distinct positions that the entries use, ascending
};
RowPart assemble_rows(const Communicator& ranks, EntrySource& source, const RowDirectory& directory);

/// l1dr: which entries of x travel.
struct HaloPlan {
  std::vector<Message> receives, sends;    ///< by rank
  std::vector<std::int32_t> send_indices;  ///< own entries of x, in the order of `sends`
};

/// g1dr: the block over all columns.
CsrBlock global_block(const RowPart& part);
/// l1dr: own columns and received columns apart, and the plan of the messages. Collective.
struct LocalSplit {
  CsrBlock own, remote;
  HaloPlan halo;
};
LocalSplit split_local(const Communicator& ranks, const RowPart& part, const RowDirectory& directory);

/// Collective: scales all blocks by the power of two of local_block.hpp and returns its exponent. longest_row: of the
/// whole matrix.
int scale_values(const Communicator& ranks, const std::vector<CsrBlock*>& blocks, std::int64_t longest_row);
}  // namespace sparsecast::cluster
