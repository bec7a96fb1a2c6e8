#include "cluster/rank/job_folder.hpp"

#include <fstream>
#include <sparsecast/error.hpp>
#include <sstream>

#include "base/clock.hpp"

namespace sparsecast::cluster {

std::string JobFolder::read(const std::string& name) const {
  std::ifstream stream(file(name), std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream)
    throw Error(ErrorCode::bad_input, "rank 0 cannot read it", {file(name).string()},
                "the job folder must be on a file system that the first node sees (--scratch)");
  return text.str();
}

void JobFolder::write(const std::string& name, std::string_view text) const {
  const auto beside = file(name + ".new");
  std::ofstream stream(beside, std::ios::binary);
  stream << text;
  stream.close();
  std::error_code failure;
  if (stream) std::filesystem::rename(beside, file(name), failure);
  if (!stream || failure)
    throw Error(ErrorCode::failed, "cannot be written", {file(name).string()}, "is the disk full?");
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
