#include "cluster/rank/handover_probe.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>

namespace sparsecast::cluster {
#ifdef SPARSECAST_SIMULATION
HandoverProbe::HandoverProbe(const Communicator& ranks) : ranks_(ranks) {}
double HandoverProbe::seconds() { return 0; }
#else
HandoverProbe::HandoverProbe(const Communicator& ranks) : ranks_(ranks) {
  if (ranks.size() != 2) return;
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(ranks.handle(), MPI_COMM_TYPE_SHARED, ranks.rank(), MPI_INFO_NULL, &node);
  int together = 0;
  MPI_Comm_size(node, &together);
  if (together == 2) {
    // Where there is no room for shared memory, times are of no known state.
    MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
    constexpr MPI_Aint line = 64, room = 4 * line;
    void* mine = nullptr;
    const bool made =
        MPI_Win_allocate_shared(ranks.rank() == 0 ? room : 0, 1, MPI_INFO_NULL, node, &mine, &window_) == MPI_SUCCESS;
    if (ranks.sum(made ? 1 : 0) == 2) {
      MPI_Aint size = 0;
      int unit = 0;
      void* first = nullptr;
      MPI_Win_shared_query(window_, 0, &size, &unit, &first);
      // Each has it at an address of its own, at the same place within a page.
      std::size_t space = room;
      turn_ = static_cast<int*>(std::align(line, sizeof(int), first, space));
    }
  }
  MPI_Comm_free(&node);
}

HandoverProbe::~HandoverProbe() {
  if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
}

double HandoverProbe::seconds() {
  if (turn_ == nullptr) return 0;
  constexpr int handovers = 400, series = 3;
  // Both on one core would wait out their time slices: after so many looks they are, or the other is not running.
  constexpr int most_looks = 1 << 16;
  std::atomic_ref<int> turn(*turn_);
  double shortest = std::numeric_limits<double>::infinity();
  for (int s = 0; s < series; ++s) {
    if (ranks_.rank() == 0) turn.store(-1, std::memory_order_release);
    MPI_Barrier(ranks_.handle());
    // The clock starts when both are there.
    if (ranks_.rank() == 1) turn.store(0, std::memory_order_release);
    bool through = true;
    const auto wait_for = [&](int value) {
      for (int looks = 0; through && turn.load(std::memory_order_acquire) != value; ++looks)
        through = looks < most_looks;
    };
    wait_for(ranks_.rank());
    const double start = MPI_Wtime();
    for (int i = ranks_.rank(); through && i < handovers; i += 2) {
      if (i > ranks_.rank()) wait_for(i);
      if (through) turn.store(i + 1, std::memory_order_release);
    }
    double took = through ? MPI_Wtime() - start : std::numeric_limits<double>::infinity();
    MPI_Bcast(&took, 1, MPI_DOUBLE, 0, ranks_.handle());
    shortest = std::min(shortest, took);
  }
  // No cores of one node are so far apart: one of the two was not running.
  constexpr double farthest_s = 1e-6;
  return shortest < farthest_s * handovers ? shortest / handovers : 0;
}
#endif
}  // namespace sparsecast::cluster
