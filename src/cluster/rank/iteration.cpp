#include "cluster/rank/iteration.hpp"

#include <algorithm>
#include <numeric>
#include <sparsecast/array.hpp>
#include <utility>

namespace sparsecast::cluster {
namespace {
// Pieces `first` … `first + count − 1`; each root answers for `per_root` of all pieces.
template <class Run>
std::vector<Run> runs_of(int first, int count, int per_root) {
  std::vector<Run> runs;
  for (int piece = first; piece < first + count; ++piece) {
    const int root = piece / per_root;
    if (runs.empty() || runs.back().root != root) runs.push_back({root, piece, 0});
    ++runs.back().count;
  }
  return runs;
}
}  // namespace

GridExchange::GridExchange(MPI_Comm comm, Grid grid, std::int64_t piece_length) : grid_(grid), piece_(piece_length) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  row_ = rank / grid.columns;
  column_ = rank % grid.columns;
  MPI_Comm_split(comm, row_, column_, &along_row_);
  MPI_Comm_split(comm, column_, row_, &down_column_);
  const int of_row = grid.pieces_of_row(), of_column = grid.pieces_of_column();
  of_row_ = runs_of<Run>(row_ * of_row, of_row, of_column);
  of_column_ = runs_of<Run>(column_ * of_column, of_column, of_row);
}

GridExchange::~GridExchange() {
  MPI_Comm_free(&along_row_);
  MPI_Comm_free(&down_column_);
}

template <class Value>
void GridExchange::reduce(const Value* y, Value* x) const {
  const int first_of_row = row_ * grid_.pieces_of_row(), first_of_column = column_ * grid_.pieces_of_column();
  for (const Run& run : of_row_) {
    Value* const to = run.root == column_ ? x + (run.first - first_of_column) * piece_ : nullptr;
    MPI_Reduce(y + (run.first - first_of_row) * piece_, to, static_cast<int>(run.count * piece_), mpi_type<Value>(),
               MPI_SUM, run.root, along_row_);
  }
}

template <class Value>
void GridExchange::broadcast(Value* x) const {
  const int first_of_column = column_ * grid_.pieces_of_column();
  for (const Run& run : of_column_)
    MPI_Bcast(x + (run.first - first_of_column) * piece_, static_cast<int>(run.count * piece_), mpi_type<Value>(),
              run.root, down_column_);
}

GridExchange::Own GridExchange::own() const {
  const auto mine = std::ranges::find(of_row_, column_, &Run::root);
  if (mine == of_row_.end()) return {};
  return {mine->first * piece_, (mine->first - column_ * grid_.pieces_of_column()) * piece_, mine->count * piece_};
}

template void GridExchange::reduce(const double*, double*) const;
template void GridExchange::reduce(const float*, float*) const;
template void GridExchange::broadcast(double*) const;
template void GridExchange::broadcast(float*) const;

namespace {
template <class Value>
class GridIterationImpl final : public GridIterationOf<Value> {
 public:
  GridIterationImpl(MPI_Comm comm, Grid grid, std::int64_t piece_length, LocalProductOf<Value> product)
      : exchange_(comm, grid, piece_length),
        product_(std::move(product)),
        x_(static_cast<std::size_t>(exchange_.column_length()), Value(0)),
        y_(static_cast<std::size_t>(exchange_.row_length()), Value(0)) {}

  void step() override {
    this->timed([&] { product_(x_, y_); });
    exchange_.reduce(y_.data(), x_.data());
    spread();
  }
  void spread() override { exchange_.broadcast(x_.data()); }
  std::span<Value> own() override {
    const GridExchange::Own mine = exchange_.own();
    return std::span<Value>(x_).subspan(static_cast<std::size_t>(mine.place), static_cast<std::size_t>(mine.length));
  }
  [[nodiscard]] std::int64_t first_own() const override { return exchange_.own().position; }

 private:
  GridExchange exchange_;
  LocalProductOf<Value> product_;
  Array<Value> x_, y_;
};

template <class Value>
class GlobalIteration final : public IterationOf<Value> {
 public:
  GlobalIteration(MPI_Comm comm, const std::vector<std::int64_t>& counts, LocalProductOf<Value> product)
      : comm_(comm), product_(std::move(product)) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    for (const std::int64_t count : counts) {
      first_.push_back(static_cast<int>(x_size_));
      counts_.push_back(static_cast<int>(count));
      x_size_ += count;
    }
    own_ = static_cast<std::size_t>(rank);
    x_.assign(static_cast<std::size_t>(x_size_), Value(0));
    y_.assign(static_cast<std::size_t>(counts_[own_]), Value(0));
  }

  void step() override {
    this->timed([&] { product_(x_, y_); });
    MPI_Allgatherv(y_.data(), counts_[own_], mpi_type<Value>(), x_.data(), counts_.data(), first_.data(),
                   mpi_type<Value>(), comm_);
  }
  void spread() override {
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x_.data(), counts_.data(), first_.data(), mpi_type<Value>(),
                   comm_);
  }
  std::span<Value> own() override {
    return std::span<Value>(x_).subspan(static_cast<std::size_t>(first_[own_]),
                                        static_cast<std::size_t>(counts_[own_]));
  }

 private:
  MPI_Comm comm_;
  LocalProductOf<Value> product_;
  std::vector<int> counts_, first_;
  std::size_t own_ = 0;
  std::int64_t x_size_ = 0;
  Array<Value> x_, y_;
};

std::size_t entries_of(const std::vector<Neighbour>& messages) {
  return std::accumulate(messages.begin(), messages.end(), std::size_t{0},
                         [](std::size_t sum, const Neighbour& n) { return sum + static_cast<std::size_t>(n.count); });
}

template <class Value>
class LocalIteration final : public IterationOf<Value> {
 public:
  LocalIteration(MPI_Comm comm, std::int64_t rows, const HaloPlan& halo, PackOf<Value> pack, LocalProductOf<Value> own,
                 LocalProductOf<Value> remote)
      : pack_(std::move(pack)),
        own_product_(std::move(own)),
        remote_product_(std::move(remote)),
        x_(static_cast<std::size_t>(rows), Value(0)),
        y_(static_cast<std::size_t>(rows), Value(0)) {
    // The buffers never move, so the messages are set up once as persistent requests.
    incoming_.assign(entries_of(halo.receives), Value(0));
    outgoing_.assign(entries_of(halo.sends), Value(0));
    for (std::size_t at = 0; const Neighbour& from : halo.receives) {
      MPI_Recv_init(incoming_.data() + at, static_cast<int>(from.count), mpi_type<Value>(), from.rank, 0, comm,
                    &receives_.emplace_back());
      at += static_cast<std::size_t>(from.count);
    }
    for (std::size_t at = 0; const Neighbour& to : halo.sends) {
      MPI_Send_init(outgoing_.data() + at, static_cast<int>(to.count), mpi_type<Value>(), to.rank, 0, comm,
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
    this->timed([&] { pack_(x_, outgoing_); });
    if (!sends_.empty()) MPI_Startall(static_cast<int>(sends_.size()), sends_.data());
    // The messages travel while the part that needs none of them is multiplied.
    this->timed([&] { own_product_(x_, y_); });
    if (!receives_.empty()) MPI_Waitall(static_cast<int>(receives_.size()), receives_.data(), MPI_STATUSES_IGNORE);
    this->timed([&] { remote_product_(incoming_, y_); });
    if (!sends_.empty()) MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
    x_.swap(y_);
  }
  void spread() override {}  // received entries come anew in every step
  std::span<Value> own() override { return x_; }

 private:
  PackOf<Value> pack_;
  LocalProductOf<Value> own_product_, remote_product_;
  Array<Value> x_, y_, incoming_, outgoing_;
  std::vector<MPI_Request> receives_, sends_;
};

#ifndef SPARSECAST_SIMULATION  // SimGrid has no neighbourhood collectives

// l1dr by one collective a step over the graph of those that exchange, which an MPI may schedule as it sees fit.
template <class Value>
class NeighbourhoodIteration final : public IterationOf<Value> {
 public:
  NeighbourhoodIteration(MPI_Comm comm, std::int64_t rows, const HaloPlan& halo, PackOf<Value> pack,
                         LocalProductOf<Value> own, LocalProductOf<Value> remote)
      : pack_(std::move(pack)),
        own_product_(std::move(own)),
        remote_product_(std::move(remote)),
        x_(static_cast<std::size_t>(rows), Value(0)),
        y_(static_cast<std::size_t>(rows), Value(0)),
        from_(halo.receives),
        to_(halo.sends) {
    incoming_.assign(entries_of(halo.receives), Value(0));
    outgoing_.assign(entries_of(halo.sends), Value(0));
    MPI_Dist_graph_create_adjacent(comm, from_.degree(), from_.ranks.data(), from_.weights(), to_.degree(),
                                   to_.ranks.data(), to_.weights(), MPI_INFO_NULL, 0, &graph_);
  }
  ~NeighbourhoodIteration() override { MPI_Comm_free(&graph_); }

  void step() override {
    this->timed([&] { pack_(x_, outgoing_); });
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ineighbor_alltoallv(outgoing_.data(), to_.counts.data(), to_.places.data(), mpi_type<Value>(), incoming_.data(),
                            from_.counts.data(), from_.places.data(), mpi_type<Value>(), graph_, &request);
    this->timed([&] { own_product_(x_, y_); });
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    this->timed([&] { remote_product_(incoming_, y_); });
    x_.swap(y_);
  }
  void spread() override {}
  std::span<Value> own() override { return x_; }

 private:
  struct Side {
    explicit Side(const std::vector<Neighbour>& messages) {
      for (int place = 0; const Neighbour& n : messages) {
        ranks.push_back(n.rank);
        counts.push_back(static_cast<int>(n.count));
        places.push_back(place);
        place += counts.back();
      }
    }
    std::vector<int> ranks, counts, places;
    [[nodiscard]] int degree() const { return static_cast<int>(ranks.size()); }
    [[nodiscard]] int* weights() const { return ranks.empty() ? MPI_WEIGHTS_EMPTY : MPI_UNWEIGHTED; }
  };
  PackOf<Value> pack_;
  LocalProductOf<Value> own_product_, remote_product_;
  Array<Value> x_, y_, incoming_, outgoing_;
  Side from_, to_;
  MPI_Comm graph_ = MPI_COMM_NULL;
};

#endif
}  // namespace

template <class Value>
std::unique_ptr<GridIterationOf<Value>> grid_iteration(MPI_Comm comm, Grid grid, std::int64_t piece_length,
                                                       Given<LocalProductOf<Value>> product) {
  return std::make_unique<GridIterationImpl<Value>>(comm, grid, piece_length, std::move(product));
}

template <class Value>
std::unique_ptr<IterationOf<Value>> global_iteration(MPI_Comm comm, const std::vector<std::int64_t>& counts,
                                                     Given<LocalProductOf<Value>> product) {
  return std::make_unique<GlobalIteration<Value>>(comm, counts, std::move(product));
}

template <class Value>
std::unique_ptr<IterationOf<Value>> local_iteration(MPI_Comm comm, std::int64_t rows, const HaloPlan& halo,
                                                    Given<PackOf<Value>> pack, Given<LocalProductOf<Value>> own,
                                                    Given<LocalProductOf<Value>> remote) {
  return std::make_unique<LocalIteration<Value>>(comm, rows, halo, std::move(pack), std::move(own), std::move(remote));
}

#ifndef SPARSECAST_SIMULATION
template <class Value>
std::unique_ptr<IterationOf<Value>> neighbourhood_iteration(MPI_Comm comm, std::int64_t rows, const HaloPlan& halo,
                                                            Given<PackOf<Value>> pack, Given<LocalProductOf<Value>> own,
                                                            Given<LocalProductOf<Value>> remote) {
  return std::make_unique<NeighbourhoodIteration<Value>>(comm, rows, halo, std::move(pack), std::move(own),
                                                         std::move(remote));
}
template std::unique_ptr<IterationOf<double>> neighbourhood_iteration<double>(MPI_Comm, std::int64_t, const HaloPlan&,
                                                                              PackOf<double>, LocalProductOf<double>,
                                                                              LocalProductOf<double>);
template std::unique_ptr<IterationOf<float>> neighbourhood_iteration<float>(MPI_Comm, std::int64_t, const HaloPlan&,
                                                                            PackOf<float>, LocalProductOf<float>,
                                                                            LocalProductOf<float>);
#endif

template std::unique_ptr<GridIterationOf<double>> grid_iteration<double>(MPI_Comm, Grid, std::int64_t,
                                                                         LocalProductOf<double>);
template std::unique_ptr<IterationOf<double>> global_iteration<double>(MPI_Comm, const std::vector<std::int64_t>&,
                                                                       LocalProductOf<double>);
template std::unique_ptr<IterationOf<double>> local_iteration<double>(MPI_Comm, std::int64_t, const HaloPlan&,
                                                                      PackOf<double>, LocalProductOf<double>,
                                                                      LocalProductOf<double>);
template std::unique_ptr<GridIterationOf<float>> grid_iteration<float>(MPI_Comm, Grid, std::int64_t,
                                                                       LocalProductOf<float>);
template std::unique_ptr<IterationOf<float>> global_iteration<float>(MPI_Comm, const std::vector<std::int64_t>&,
                                                                     LocalProductOf<float>);
template std::unique_ptr<IterationOf<float>> local_iteration<float>(MPI_Comm, std::int64_t, const HaloPlan&,
                                                                    PackOf<float>, LocalProductOf<float>,
                                                                    LocalProductOf<float>);
}  // namespace sparsecast::cluster
