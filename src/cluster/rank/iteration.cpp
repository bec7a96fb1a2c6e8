#include "cluster/rank/iteration.hpp"

#include <numeric>
#include <sparsecast/array.hpp>
#include <utility>

namespace sparsecast::cluster {
namespace {

class GridIteration final : public Iteration {
 public:
  GridIteration(MPI_Comm comm, int p, std::int64_t side, LocalProduct product)
      : product_(std::move(product)), x_(static_cast<std::size_t>(side), 0.0), y_(static_cast<std::size_t>(side), 0.0) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    row_ = rank / p;
    column_ = rank % p;
    MPI_Comm_split(comm, row_, column_, &along_row_);
    MPI_Comm_split(comm, column_, row_, &down_column_);
  }
  ~GridIteration() override {
    MPI_Comm_free(&along_row_);
    MPI_Comm_free(&down_column_);
  }

  void step() override {
    timed([&] { product_(x_, y_); });
    // The sums of grid row i end on the diagonal process (i, i) …
    MPI_Reduce(y_.data(), row_ == column_ ? x_.data() : nullptr, static_cast<int>(y_.size()), MPI_DOUBLE, MPI_SUM, row_,
               along_row_);
    spread();
  }
  // … which hands them to grid column i, whose processes multiply by that part of x.
  void spread() override { MPI_Bcast(x_.data(), static_cast<int>(x_.size()), MPI_DOUBLE, column_, down_column_); }
  std::span<double> own() override { return row_ == column_ ? std::span<double>(x_) : std::span<double>(); }

 private:
  LocalProduct product_;
  Array<double> x_, y_;
  int row_ = 0, column_ = 0;
  MPI_Comm along_row_ = MPI_COMM_NULL, down_column_ = MPI_COMM_NULL;
};

class GlobalIteration final : public Iteration {
 public:
  GlobalIteration(MPI_Comm comm, const std::vector<std::int64_t>& counts, LocalProduct product)
      : comm_(comm), product_(std::move(product)) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    for (const std::int64_t count : counts) {
      first_.push_back(static_cast<int>(x_size_));
      counts_.push_back(static_cast<int>(count));
      x_size_ += count;
    }
    own_ = static_cast<std::size_t>(rank);
    x_.assign(static_cast<std::size_t>(x_size_), 0.0);
    y_.assign(static_cast<std::size_t>(counts_[own_]), 0.0);
  }

  void step() override {
    timed([&] { product_(x_, y_); });
    MPI_Allgatherv(y_.data(), counts_[own_], MPI_DOUBLE, x_.data(), counts_.data(), first_.data(), MPI_DOUBLE, comm_);
  }
  void spread() override {
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x_.data(), counts_.data(), first_.data(), MPI_DOUBLE, comm_);
  }
  std::span<double> own() override {
    return std::span<double>(x_).subspan(static_cast<std::size_t>(first_[own_]),
                                         static_cast<std::size_t>(counts_[own_]));
  }

 private:
  MPI_Comm comm_;
  LocalProduct product_;
  std::vector<int> counts_, first_;
  std::size_t own_ = 0;
  std::int64_t x_size_ = 0;
  Array<double> x_, y_;
};

class LocalIteration final : public Iteration {
 public:
  LocalIteration(MPI_Comm comm, std::int64_t rows, const HaloPlan& halo, Pack pack, LocalProduct own,
                 LocalProduct remote)
      : pack_(std::move(pack)),
        own_product_(std::move(own)),
        remote_product_(std::move(remote)),
        x_(static_cast<std::size_t>(rows), 0.0),
        y_(static_cast<std::size_t>(rows), 0.0) {
    // The buffers never move, so the messages are set up once as persistent requests.
    const auto total = [](const std::vector<Neighbour>& messages) {
      return std::accumulate(messages.begin(), messages.end(), std::size_t{0}, [](std::size_t sum, const Neighbour& n) {
        return sum + static_cast<std::size_t>(n.count);
      });
    };
    incoming_.assign(total(halo.receives), 0.0);
    outgoing_.assign(total(halo.sends), 0.0);
    for (std::size_t at = 0; const Neighbour& from : halo.receives) {
      MPI_Recv_init(incoming_.data() + at, static_cast<int>(from.count), MPI_DOUBLE, from.rank, 0, comm,
                    &receives_.emplace_back());
      at += static_cast<std::size_t>(from.count);
    }
    for (std::size_t at = 0; const Neighbour& to : halo.sends) {
      MPI_Send_init(outgoing_.data() + at, static_cast<int>(to.count), MPI_DOUBLE, to.rank, 0, comm,
                    &sends_.emplace_back());
      at += static_cast<std::size_t>(to.count);
    }
  }
  ~LocalIteration() override {
    for (MPI_Request& request : receives_) MPI_Request_free(&request);
    for (MPI_Request& request : sends_) MPI_Request_free(&request);
  }

  void step() override {
    if (!receives_.empty()) MPI_Startall(static_cast<int>(receives_.size()), receives_.data());
    timed([&] { pack_(x_, outgoing_); });
    if (!sends_.empty()) MPI_Startall(static_cast<int>(sends_.size()), sends_.data());
    // The messages travel while the part that needs none of them is multiplied.
    timed([&] { own_product_(x_, y_); });
    if (!receives_.empty()) MPI_Waitall(static_cast<int>(receives_.size()), receives_.data(), MPI_STATUSES_IGNORE);
    timed([&] { remote_product_(incoming_, y_); });
    if (!sends_.empty()) MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
    x_.swap(y_);
  }
  void spread() override {}  // received entries come anew in every step
  std::span<double> own() override { return x_; }

 private:
  Pack pack_;
  LocalProduct own_product_, remote_product_;
  Array<double> x_, y_, incoming_, outgoing_;
  std::vector<MPI_Request> receives_, sends_;
};

}  // namespace

std::unique_ptr<Iteration> grid_iteration(MPI_Comm comm, int p, std::int64_t side, LocalProduct product) {
  return std::make_unique<GridIteration>(comm, p, side, std::move(product));
}

std::unique_ptr<Iteration> global_iteration(MPI_Comm comm, const std::vector<std::int64_t>& counts,
                                            LocalProduct product) {
  return std::make_unique<GlobalIteration>(comm, counts, std::move(product));
}

std::unique_ptr<Iteration> local_iteration(MPI_Comm comm, std::int64_t rows, const HaloPlan& halo, Pack pack,
                                           LocalProduct own, LocalProduct remote) {
  return std::make_unique<LocalIteration>(comm, rows, halo, std::move(pack), std::move(own), std::move(remote));
}

}  // namespace sparsecast::cluster
