#pragma once
// Threads that are measured stay on cores of their own. Where another program takes a core, the system may put two of a
// team on the other, and every parallel loop then waits for time slices: 8 ms for what takes half a microsecond.

#include <vector>

namespace sparsecast::hardware {
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
