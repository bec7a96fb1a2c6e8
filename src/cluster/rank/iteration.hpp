#pragma once
// One iteration x ← A·x in each of the three schemes (Hossain & Saule, section II-B), or, of a matrix that is not
// square, one product y = A·x that leaves x as it is and sends what the iteration would. What the local products do is
// handed in as functions: the true ones, or, in a simulation, ones that pass their measured time on the simulated
// clock.

#include <mpi.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <sparsecast/array.hpp>
#include <utility>
#include <vector>

#include "cluster/rank/assembly.hpp"
#include "cluster/rank/grid_exchange.hpp"

namespace sparsecast::cluster {
/// What a rank computes: y = A·x, y += A·x of the remote part of l1dr, or gathering the entries of x that go out into
/// the send buffer.
template <class Value>
using LocalWork = std::function<void(std::span<const Value> x, std::span<Value> y)>;

template <class Value>
class Iteration {
 public:
  virtual ~Iteration() = default;
  virtual void step() = 0;
  /// The entries of x that this rank answers for (none for most processes of 2du).
  [[nodiscard]] virtual std::span<Value> own() = 0;
  /// From now on steps multiply the same x: y goes where result() is, and to the other ranks, but not to x.
  virtual void keep_x() = 0;
  /// The entries that the last step gave and this rank answers for: own() unless x is kept.
  [[nodiscard]] virtual std::span<const Value> result() = 0;
  /// Collective: makes every rank's copy of x agree with own() after that was changed.
  virtual void spread() = 0;
  /// Seconds of this rank in local products (packing included) since the last reset.
  [[nodiscard]] double core_seconds() const { return core_s_; }
  void reset_clock() { core_s_ = 0; }

 protected:
  void timed(const LocalWork<Value>& work, std::span<const Value> x, std::span<Value> y) {
    const double start = MPI_Wtime();
    work(x, y);
    core_s_ += MPI_Wtime() - start;
  }

 private:
  double core_s_ = 0;
};

/// 2du. A rank multiplies one block: block_rows × block_columns pieces of so many entries (Grid).
template <class Value>
class GridIteration final : public Iteration<Value> {
 public:
  GridIteration(MPI_Comm comm, Grid grid, std::int64_t piece_length, LocalWork<Value> product)
      : exchange_(comm, grid, piece_length),
        product_(std::move(product)),
        x_(static_cast<std::size_t>(exchange_.column_length()), Value(0)),
        y_(static_cast<std::size_t>(exchange_.row_length()), Value(0)) {}

  void step() override {
    this->timed(product_, x_, y_);
    exchange_.reduce(y_.data(), next().data());
    exchange_.broadcast(next().data());
  }
  void keep_x() override { apart_.assign(x_.size(), Value(0)); }
  std::span<const Value> result() override { return mine_of(next()); }
  void spread() override { exchange_.broadcast(x_.data()); }
  std::span<Value> own() override { return mine_of(x_); }
  /// Position of own() in the permuted vector.
  [[nodiscard]] std::int64_t first_own() const { return exchange_.own().position; }

 private:
  GridExchange exchange_;
  LocalWork<Value> product_;
  Array<Value> x_, y_;
  Array<Value> apart_;  ///< the next x where this one is kept

  Array<Value>& next() { return apart_.empty() ? x_ : apart_; }
  std::span<Value> mine_of(Array<Value>& x) {
    const GridExchange::Own mine = exchange_.own();
    return std::span<Value>(x).subspan(static_cast<std::size_t>(mine.place), static_cast<std::size_t>(mine.length));
  }
};

/// g1dr. counts: rows of every rank.
template <class Value>
class GlobalIteration final : public Iteration<Value> {
 public:
  GlobalIteration(MPI_Comm comm, const std::vector<std::int64_t>& counts, LocalWork<Value> product)
      : comm_(comm), product_(std::move(product)) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    std::int64_t size = 0;
    for (const std::int64_t count : counts) {
      first_.push_back(static_cast<int>(size));
      counts_.push_back(static_cast<int>(count));
      size += count;
    }
    own_ = static_cast<std::size_t>(rank);
    x_.assign(static_cast<std::size_t>(size), Value(0));
    y_.assign(static_cast<std::size_t>(counts_[own_]), Value(0));
  }

  void step() override {
    this->timed(product_, x_, y_);
    MPI_Allgatherv(y_.data(), counts_[own_], mpi_type<Value>(), next().data(), counts_.data(), first_.data(),
                   mpi_type<Value>(), comm_);
  }
  void keep_x() override { apart_.assign(x_.size(), Value(0)); }
  std::span<const Value> result() override { return mine_of(next()); }
  void spread() override {
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x_.data(), counts_.data(), first_.data(), mpi_type<Value>(),
                   comm_);
  }
  std::span<Value> own() override { return mine_of(x_); }

 private:
  MPI_Comm comm_;
  LocalWork<Value> product_;
  std::vector<int> counts_, first_;
  std::size_t own_ = 0;
  Array<Value> x_, y_;
  Array<Value> apart_;  ///< the next x where this one is kept

  Array<Value>& next() { return apart_.empty() ? x_ : apart_; }
  std::span<Value> mine_of(Array<Value>& x) {
    return std::span<Value>(x).subspan(static_cast<std::size_t>(first_[own_]), static_cast<std::size_t>(counts_[own_]));
  }
};

/// What a rank of l1dr computes.
template <class Value>
struct LocalWorks {
  LocalWork<Value> pack, own, remote;
};

/// l1dr, by point-to-point messages.
template <class Value>
class LocalIteration final : public Iteration<Value> {
 public:
  LocalIteration(MPI_Comm comm, std::int64_t rows, const HaloPlan& halo, LocalWorks<Value> works)
      : incoming_(entries_of(halo.receives), Value(0)),
        outgoing_(entries_of(halo.sends), Value(0)),
        works_(std::move(works)),
        x_(static_cast<std::size_t>(rows), Value(0)),
        y_(static_cast<std::size_t>(rows), Value(0)) {
    // The buffers never move, so the messages are set up once as persistent requests.
    for (Value* at = incoming_.data(); const Message& from : halo.receives) {
      MPI_Recv_init(at, static_cast<int>(from.count), mpi_type<Value>(), from.rank, 0, comm, &receives_.emplace_back());
      at += from.count;
    }
    for (Value* at = outgoing_.data(); const Message& to : halo.sends) {
      MPI_Send_init(at, static_cast<int>(to.count), mpi_type<Value>(), to.rank, 0, comm, &sends_.emplace_back());
      at += to.count;
    }
  }
  ~LocalIteration() override {
    for (auto* requests : {&receives_, &sends_})
      for (MPI_Request& request : *requests) MPI_Request_free(&request);
  }

  void step() final {
    start(receives_);
    this->timed(works_.pack, x_, outgoing_);
    start(sends_);
    // The messages travel while the part that needs none of them is multiplied.
    this->timed(works_.own, x_, y_);
    wait(receives_);
    this->timed(works_.remote, incoming_, y_);
    wait(sends_);
    if (!kept_) x_.swap(y_);
  }
  void keep_x() final { kept_ = true; }
  std::span<const Value> result() final { return kept_ ? y_ : x_; }
  void spread() final {}  // received entries come anew in every step
  std::span<Value> own() final { return x_; }

 private:
  Array<Value> incoming_, outgoing_;
  LocalWorks<Value> works_;
  Array<Value> x_, y_;
  bool kept_ = false;  ///< x stays
  std::vector<MPI_Request> receives_, sends_;

  static void start(std::vector<MPI_Request>& requests) {
    if (!requests.empty()) MPI_Startall(static_cast<int>(requests.size()), requests.data());
  }
  static void wait(std::vector<MPI_Request>& requests) {
    if (!requests.empty()) MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
  static std::size_t entries_of(const std::vector<Message>& messages) {
    std::int64_t entries = 0;
    for (const Message& message : messages) entries += message.count;
    return static_cast<std::size_t>(entries);
  }
};
}  // namespace sparsecast::cluster
