#include "cluster/rank/job_folder.hpp"

#include <fstream>

#include "base/clock.hpp"
#include "base/files.hpp"
#include "fields/wording.hpp"

namespace sparsecast::cluster {
std::string JobFolder::read(const std::string& name) const {
  return base::read_file(
      file(name), {.what = "job on rank 0",
                   .remedy = wording::format("the job folder must be on a file system that the first node can use ({})",
                                             wording::option("scratch"))});
}

void JobFolder::write(const std::string& name, std::string_view text) const {
  base::write_file_atomically(file(name), text, {.what = "ranks' answer", .remedy = "check whether the disk is full"});
}

void JobFolder::alive() {
  if (rank_ != 0) return;
  // The machine's own clock, not MPI_Wtime: in a simulation the simulated one may stand still for long.
  const double now = base::now_s();
  if (now - last_ < 0.5) return;
  last_ = now;
  std::ofstream(file("alive")) << now << '\n';
}
}  // namespace sparsecast::cluster
