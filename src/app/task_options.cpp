#include "app/task_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace sparsecast::app {

void add_task_options(CLI::App& command, devices::ProductTask& task) {
  constexpr std::int64_t most = 1 << 20;
  command.add_option("--vectors", task.vectors, "multiply so many vectors at once, a block by rows (the host alone)")
      ->check(CLI::Range(std::int64_t{1}, most))
      ->capture_default_str();
  command.add_flag("--transposed", task.transposed, "multiply by the transpose of the matrix (the host alone)");
}

std::string task_text(const devices::ProductTask& task) {
  std::string text;
  if (task.vectors > 1) text += fmt::format(", {} vectors at once", base::format_count(task.vectors));
  if (task.transposed) text += ", transposed";
  return text;
}

void add_task(nlohmann::ordered_json& document, const devices::ProductTask& task) {
  document["vectors"] = task.vectors;
  document["transposed"] = task.transposed;
}

}  // namespace sparsecast::app
