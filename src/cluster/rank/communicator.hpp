#pragma once
// A thin face of MPI for the set-up phases: typed exchanges with counts, reductions, and the agreement on errors. The
// iterations themselves call MPI directly. Errors of MPI end all ranks (MPI_ERRORS_ARE_FATAL, the default).

#include <mpi.h>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <sparsecast/array.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sparsecast::cluster {
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
  /// On how many nodes the ranks are: ranks of one share memory. 0 where they are simulated.
  [[nodiscard]] int nodes() const;
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
}  // namespace sparsecast::cluster
