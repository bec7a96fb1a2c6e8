#include "cluster/launch/solver_folder.hpp"

#include <fmt/format.h>
#include <sparsecast/error.hpp>
#include <string>

#include "base/embedded.hpp"
#include "base/files.hpp"
#include "cluster/scheme/partition.hpp"
#include "cluster/scheme/scheme.hpp"
#include "fields/cluster_forecast.hpp"
#include "fields/wording.hpp"

namespace sparsecast::embedded {
std::span<const File> solver_example();  // examples/cluster/
}  // namespace sparsecast::embedded

namespace sparsecast::cluster {
void write_solver(const Matrix& matrix, const ClusterForecast& choice, const std::filesystem::path& folder) {
  if (choice.scheme != Scheme::local_rows)
    throw Error(ErrorCode::usage, fmt::format("the solver's products use l1dr, not {}", to_string(choice.scheme)), {},
                wording::format("give {}", wording::option("schemes", Scheme::local_rows)));
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  for (const embedded::File& file : embedded::solver_example())
    base::write_file_atomically(folder / file.name, file.text, {.what = "solver"});
  std::string parts;
  for (const std::int32_t part : partition_rows(matrix, choice.processes)) parts += std::to_string(part) + '\n';
  base::write_file_atomically(folder / "parts.txt", parts, {.what = "partition"});
}
}  // namespace sparsecast::cluster
