#pragma once
// The host as a device: its cores run the kernels of the table of kernels (formats/kernels.hpp).

#include "hardware/device.hpp"

namespace sparsecast::hardware {
/// Properties of this machine with all cores that this process may use, from the operating system.
DeviceProperties host_properties();
std::unique_ptr<Device> open_host(int threads);

// Micro-benchmarks of the host: what its memory gives for a footprint, what a miss costs, what a parallel region costs.

/// Appends what is not there yet, for so many threads:
/// - read_bandwidth: bytes/s summing an array, over its bytes (all threads together);
/// - gather_rate: elements/s of y += v[i]·x[index[i]] with random indices, over the bytes of x (all threads together);
/// - dot_bandwidth, update_bandwidth: bytes/s of both vectors in x·y and y += a·x, as solvers make them, over those
///   bytes (all threads together);
/// - latency: seconds of one dependent load, over the bytes of the ring (one thread);
/// - fresh_bandwidth: bytes/s of writing memory just asked for, in small pages and in huge ones (one thread);
/// - launch: seconds of one empty parallel region, x = threads.
void measure_host_curves(std::vector<Curve>& curves, const DeviceProperties& properties, int threads, bool quick,
                         const base::ProgressFunction& progress = {});

/// Bytes/s that so many threads read together of an array of so many bytes.
double host_read_bandwidth(std::int64_t bytes, int threads);

/// Counts of what the process may use; 0 where not known.
struct Topology {
  int sockets = 0;
  int numa_domains = 0;
  std::vector<CacheLevel> caches;  ///< of the first processor, ascending by level; shared_by counts processors
};

/// By hwloc (Broquedis et al. 2010) where the build has it, else by the system's files, which tell the caches alone.
[[nodiscard]] Topology host_topology();

/// The system's numbers of the processors that this process may use, one of every core first, then the second of every
/// core, …; empty without hwloc.
[[nodiscard]] std::vector<int> processors_by_core();

// Threads that are measured stay on cores of their own. Where another program takes a core, the system may put two of a
// team on the other, and every parallel loop then waits for time slices: 8 ms for what takes half a microsecond.

/// Binds every thread of the calling thread's OpenMP team to a processor of its own, one of each core first, until it
/// is destroyed. Does nothing for one thread, for more threads than processors, and where the user has bound them
/// (OMP_PROC_BIND, OMP_PLACES). One at a time; while it lives, parallel loops are to have as many threads, or again()
/// is to be called after one that has not: a thread that starts anew stands where the calling thread is.
class BoundTeam {
 public:
  explicit BoundTeam(int threads);
  ~BoundTeam();
  BoundTeam(const BoundTeam&) = delete;
  BoundTeam& operator=(const BoundTeam&) = delete;

  void again() const noexcept;

 private:
  std::vector<int> processors_;  // of each thread; empty: nothing is bound
  std::vector<int> all_;         // that the calling thread could use before
};
}  // namespace sparsecast::hardware
