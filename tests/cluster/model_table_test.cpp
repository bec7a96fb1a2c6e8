#include "cluster/models/model_table.hpp"

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>
#include <string>

#include "made_up.hpp"

namespace sparsecast::cluster {
namespace {
TEST(ClusterModels, AreFourAndKnownByName) {
  const ClusterProfile p = made_up_profile();
  std::vector<std::string> names;
  for (const auto& model : cluster_models(p)) names.push_back(model->name());
  EXPECT_EQ(names, (std::vector<std::string>{"sparsecast", "microbench", "svr", "linear"}));
  EXPECT_THROW(cluster_models(p, "oracle"), Error);
}
}  // namespace
}  // namespace sparsecast::cluster
