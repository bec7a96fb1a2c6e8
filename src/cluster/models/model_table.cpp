#include "cluster/models/model_table.hpp"

#include <fmt/format.h>
#include <sparsecast/error.hpp>
#include <utility>

#include "cluster/models/linear_model.hpp"
#include "cluster/models/microbench_model.hpp"
#include "cluster/models/sparsecast_model.hpp"
#include "cluster/models/svr_model.hpp"

namespace sparsecast::cluster {
std::vector<std::unique_ptr<ClusterModel>> cluster_models(const ClusterProfile& profile, const std::string& which,
                                                          bool full) {
  using Make = std::unique_ptr<ClusterModel> (*)(const ClusterProfile&, bool);
  static constexpr std::pair<const char*, Make> table[] = {
      {"sparsecast", [](const ClusterProfile& p, bool) { return sparsecast_model(p); }},
      {"microbench", [](const ClusterProfile& p, bool) { return microbench_model(p); }},
      {"svr", svr_model},
      {"linear", [](const ClusterProfile& p, bool) { return linear_model(p); }}};
  std::vector<std::unique_ptr<ClusterModel>> models;
  for (const auto& [name, make] : table)
    if (which == "all" || which == name) models.push_back(make(profile, full));
  if (models.empty())
    throw Error(ErrorCode::usage, fmt::format("there is no cluster model '{}'", which), {},
                "use sparsecast, microbench, svr, linear or all");
  return models;
}
}  // namespace sparsecast::cluster
