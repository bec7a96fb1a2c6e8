#pragma once
// Whether ranks can be started here.

#include <filesystem>

#include "support/command.hpp"

namespace sparsecast::cluster {
inline bool has_mpi() {
  const bool built =
      std::filesystem::exists(std::filesystem::path(SPARSECAST_COMMAND).parent_path() / "sparsecast-rank");
  return built && test::run_program("sh", {"-c", "command -v mpirun"}).exit_code == 0;
}
}  // namespace sparsecast::cluster
