#include "traffic/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text.hpp"

namespace sparsecast::traffic {
namespace {

std::int64_t bytes(double value) { return std::llround(value); }

std::string megabytes(double value) { return fmt::format("{:.2f}", value / 1e6); }

std::string analysis(const RegionTraffic& region) {
  return fmt::format(
      "Memory analysis for body: {}\n"
      "  Total: storage requirement Mbytes (SR):    {:>12}\n"
      "  Total: loaded from L2 -> L1 Mbytes (WSL):  {:>12} ± {}\n"
      "  Total: stored Mbytes (WSS):                {:>12}\n"
      "  DGEMM Mbytes:                              {:>12} ± 0.00\n"
      "  Sparse operations Mbytes:                  {:>12} ± {}\n",
      region.name, megabytes(region.storage_bytes), megabytes(region.load_bytes), megabytes(region.load_uncertainty),
      megabytes(region.store_bytes), megabytes(region.dense_bytes), megabytes(region.sparse_bytes), megabytes(region.sparse_uncertainty));
}

}  // namespace

nlohmann::ordered_json to_json(const ProgramTraffic& traffic) {
  nlohmann::ordered_json document;
  document["program"] = traffic.program;
  document["regions"] = nlohmann::ordered_json::array();
  for (const RegionTraffic& region : traffic.regions) {
    nlohmann::ordered_json row;
    row["name"] = region.name;
    row["file"] = region.file;
    row["first_line"] = region.first_line;
    row["last_line"] = region.last_line;
    row["depth"] = region.depth;
    row["calls"] = bytes(region.calls);
    row["sr_bytes"] = bytes(region.storage_bytes);
    row["wsl_bytes"] = bytes(region.load_bytes);
    row["wsl_uncertainty_bytes"] = bytes(region.load_uncertainty);
    row["wss_bytes"] = bytes(region.store_bytes);
    row["dgemm_bytes"] = bytes(region.dense_bytes);
    row["sparse_bytes"] = bytes(region.sparse_bytes);
    row["sparse_uncertainty_bytes"] = bytes(region.sparse_uncertainty);
    document["regions"].push_back(std::move(row));
  }
  document["lines"] = nlohmann::ordered_json::array();
  for (const LineTraffic& line : traffic.lines) {
    nlohmann::ordered_json row;
    row["file"] = line.file;
    row["line"] = line.line;
    row["wsl_bytes"] = bytes(line.load_bytes);
    row["wss_bytes"] = bytes(line.store_bytes);
    document["lines"].push_back(std::move(row));
  }
  return document;
}

std::string to_text(const ProgramTraffic& traffic) {
  TextTable tree({"region", "lines", "calls", "SR", "WSL", "±", "WSS", "DGEMM", "sparse"});
  for (const RegionTraffic& region : traffic.regions)
    tree.add({std::string(static_cast<std::size_t>(2 * region.depth), ' ') + region.name,
              fmt::format("{}–{}", region.first_line, region.last_line), format_count(bytes(region.calls)),
              format_bytes(region.storage_bytes), format_bytes(region.load_bytes), format_bytes(region.load_uncertainty),
              format_bytes(region.store_bytes), format_bytes(region.dense_bytes), format_bytes(region.sparse_bytes)});
  std::string text = tree.text();
  for (const RegionTraffic& region : traffic.regions) text += "\n" + analysis(region);
  return text;
}

}  // namespace sparsecast::traffic
