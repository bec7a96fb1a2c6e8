// What a cluster profile is allowed to hold. A sound one is spoilt in every way that a file can be, one place at a
// time.

#include "cluster/cluster_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <string>
#include <utility>

#include "cluster/models/choice.hpp"
#include "cluster/models/model_table.hpp"
#include "cluster/models/prediction.hpp"
#include "cluster/models/svr_model.hpp"
#include "made_up.hpp"
#include "support/command.hpp"
#include "support/schema.hpp"

namespace sparsecast::cluster {
namespace {
TEST(ClusterProfile, ComesBackFromItsFile) {
  ClusterProfile p = made_up_profile();
  p.threads = 3;
  p.runs[2].features.node_s[0] = 2e-6;
  p.regressions = {{Scheme::global_rows, LocalFormat::coo, 4, 0.25, 0.3, 0.1}};
  p.placed = {{4, 1}};
  const test::TemporaryFolder folder;
  write_cluster_profile(p, folder.path() / "a.json");
  const ClusterProfile q = read_cluster_profile(folder.path() / "a.json");
  write_cluster_profile(q, folder.path() / "b.json");
  EXPECT_EQ(test::read_text(folder.path() / "a.json"), test::read_text(folder.path() / "b.json"));
  EXPECT_EQ(q.runs.size(), p.runs.size());
  EXPECT_EQ(q.threads, 3);
  EXPECT_EQ(q.runs[2].features.node_s[0], 2e-6);
  ASSERT_EQ(q.regressions.size(), 1u);
  EXPECT_EQ(q.regressions[0].gamma, 0.3);
  ASSERT_EQ(q.placed.size(), 1u);
  EXPECT_EQ(q.placed[0].nodes, 1);
  for (const char* const bad : {"", "{}", "[1", R"({"schema":"sparsecast/cluster-profile/1"})"})
    EXPECT_THROW(read_cluster_profile(folder.write("bad.json", bad)), Error) << bad;
}

TEST(ClusterProfile, SaysWhereProcessesWereOnOtherNodesThanTheyAreTakenFor) {
  ClusterProfile p;
  p.cores_per_node = 2;
  p.placed = {{2, 2}, {4, 1}};
  EXPECT_EQ(remark_on_places(p, 1), "");
  EXPECT_EQ(remark_on_places(p, 8), "");
  EXPECT_TRUE(
      remark_on_places(p, 4).starts_with("4 processes ran on one node and are taken for 2 nodes with room for 2 each"));
  EXPECT_TRUE(
      remark_on_places(p, 2).starts_with("2 processes ran on 2 nodes and are taken for one node with room for 2"));
}

using ProfileJson = nlohmann::ordered_json;

Matrix random_matrix(std::int64_t rows, double row_length) {
  MatrixSpec spec;
  spec.kind = "random";
  spec.rows = rows;
  spec.row_length = row_length;
  return generate(spec);
}

// It is not the schemes that are at fault.
TEST(ClusterProfile, WithoutTrainingRunsNothingIsForecastAndThatIsSaid) {
  ClusterProfile p = made_up_profile();
  p.runs.clear();
  p.messages.clear();  // there are none on one process
  PredictOptions options;
  options.processes = {1};
  const Prediction none = predict_cluster(random_matrix(300, 4), p, options);
  EXPECT_TRUE(none.forecasts.empty());
  EXPECT_EQ(none.missing, "the calibration holds no training run, and nothing is forecast by what it holds");
}

/// A little of everything: two curves, every pattern, blocks, runs of every scheme on 1 and 4 processes.
ProfileJson sound_profile() {
  ClusterProfile p;
  p.name = "sound";
  p.cores_per_node = 4;
  p.node.bandwidth = {{8, 1, {1e4, 1e6}, {2e10, 1e10}}, {4, 2, {1e4, 1e6}, {2e10, 1e10}}};
  p.node.latency.bytes = {1e4, 1e8};
  p.node.latency.seconds = {1e-9, 1e-7};
  p.node.fma_s = 1e-10;
  for (const MessagePattern pattern :
       {MessagePattern::grid, MessagePattern::grid_reduce, MessagePattern::grid_bcast, MessagePattern::allgatherv,
        MessagePattern::ping_pong_near, MessagePattern::halo})
    for (const int processes : {1, 4})
      p.messages.push_back({pattern, processes, 1, 8e3 * processes, processes - 1, 1e-6 * processes});
  for (const int processes : {1, 4})
    for (const double length : {1.0, 4.0, 9.0})
      for (const Scheme scheme : all_schemes()) {
        const Matrix matrix = random_matrix(300, length);
        // On one process no scheme needs a partitioner; what a scheme does on four is made up from it.
        SchemeFeatures f = scheme_features(matrix, scheme, place(matrix, 1, 1, true), p.caches, p.cores_per_node);
        f.processes = processes;
        if (scheme == Scheme::two_d_uniform)
          p.blocks.push_back({LocalFormat::csr, f.ranks[0].own, 1e-9 * f.ranks[0].own.nonzeros});
        p.runs.push_back({"random", true, LocalFormat::csr, 1, 1e-6 * length, 1e-7, f});
      }
  const test::TemporaryFolder folder;
  write_cluster_profile(p, folder.path() / "p.json");
  return ProfileJson::parse(test::read_text(folder.path() / "p.json"));
}

/// Calls visit(pointer, value) for every value below; of messages, blocks and runs for the first three, which are of
/// every kind.
template <class Visit>
void walk(const ProfileJson& value, const ProfileJson::json_pointer& at, const Visit& visit) {
  visit(at, value);
  if (value.is_object())
    for (const auto& [key, below] : value.items()) walk(below, at / key, visit);
  if (value.is_array())
    for (std::size_t k = 0; k < value.size() && (k < 3 || !value[k].is_object()); ++k) walk(value[k], at / k, visit);
}

class SpoiltProfile : public testing::Test {
 protected:
  const ProfileJson sound = sound_profile();
  const Matrix matrix = random_matrix(500, 5);
  const Placement one = place(matrix, 1, 1, false), four = place(matrix, 4, 1, false);
  const test::TemporaryFolder folder;
  int refused = 0, accepted = 0;

  /// Refused with the file named, or every forecast is a time.
  void read(const ProfileJson& document, const std::string& what) {
    const std::filesystem::path file = folder.write("p.json", document.dump());
    try {
      const ClusterProfile profile = read_cluster_profile(file);
      const SchemeFeatures features[] = {
          scheme_features(matrix, Scheme::two_d_uniform, one, profile.caches, profile.cores_per_node),
          scheme_features(matrix, Scheme::two_d_uniform, four, profile.caches, profile.cores_per_node)};
      for (const char* const name : {"sparsecast", "microbench", "linear"}) {
        const auto model = std::move(cluster_models(profile, name).front());
        for (SchemeFeatures f : features)
          for (const int processes : {f.processes, 65536}) {
            f.processes = processes;
            check(model->forecast(f, LocalFormat::csr), what);
          }
      }
      ++accepted;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input) << what << ": " << error.what();
      EXPECT_EQ(error.place().file, file.string()) << what;
      EXPECT_FALSE(error.remedy().empty()) << what;
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << what;
      ++refused;
    }
  }

  static void check(const std::optional<ClusterForecast>& f, const std::string& what) {
    if (!f) return;
    EXPECT_TRUE(std::isfinite(f->seconds) && f->seconds >= 0) << what << ": " << f->model << " says " << f->seconds;
    EXPECT_TRUE(f->nodes >= 1 && f->nodes <= f->processes) << what << ": " << f->nodes << " nodes";
  }

  std::string reason(const ProfileJson& document) {
    try {
      (void)read_cluster_profile(folder.write("p.json", document.dump()));
    } catch (const Error& error) {
      return error.reason();
    }
    return "accepted";
  }

  std::string reason(const char* pointer, const ProfileJson& value) {
    ProfileJson document = sound;
    document.at(ProfileJson::json_pointer(pointer)) = value;
    return reason(document);
  }
};

TEST_F(SpoiltProfile, IsSoundBefore) {
  read(sound, "sound");
  EXPECT_EQ(accepted, 1);
}

TEST_F(SpoiltProfile, IsRefusedByPath) {
  const auto says = [&](const std::string& reason, const std::string& words) {
    EXPECT_NE(reason.find(words), std::string::npos) << reason;
  };
  says(reason("/node/bandwidth/0/rate", ProfileJson::array()), "node.bandwidth[0].rate has 0 elements, 2 are needed");
  says(reason("/node/bandwidth/1/bytes/1", 1e3), "node.bandwidth[1].bytes[1] is not larger");
  says(reason("/node/latency/seconds", ProfileJson::array()), "node.latency.seconds has 0 elements");
  says(reason("/node/latency", {{"bytes", ProfileJson::array()}, {"seconds", ProfileJson::array()}}),
       "node.latency.bytes");
  says(reason("/runs/0/attributes", ProfileJson::array({1, 2})), "runs[0].attributes has 2 elements, 5 are needed");
  says(reason("/cores_per_node", 2147483647), "cores_per_node is 2147483647, not between 1 and");
  says(reason("/messages/3/seconds", -1e-6), "messages[3].seconds is -1e-06");
  says(reason("/messages/3/processes", 18446744073709551615u), "messages[3].processes");
  says(reason("/cache_share_bytes/2", 1e300), "cache_share_bytes[2] is not a whole number");
  says(reason("/runs/1/way", "3du"), "runs[1].way is not one of");
  says(reason("/schema", "sparsecast/profile/1"), "schema is not sparsecast/cluster-profile/1");
  ProfileJson document = sound;
  document["node"].erase("fma_s");
  says(reason(document), "node has no fma_s");
}

// They are printed, and tell measured times from simulated ones.
TEST(ClusterProfile, HasAnOriginAndAPrintableName) {
  const test::TemporaryFolder folder;
  const auto refused = [&](const std::string& name, const std::string& source) {
    ClusterProfile p = made_up_profile();
    p.name = name;
    p.source = source;
    const auto file = folder.path() / "a.json";
    write_cluster_profile(p, file);
    try {
      (void)read_cluster_profile(file);
    } catch (const Error& error) {
      return error.code() == ErrorCode::bad_input;
    }
    return false;
  };
  EXPECT_FALSE(refused("Größe 1", "simulated:here"));
  EXPECT_TRUE(refused("a\nb", "measured"));
  EXPECT_TRUE(refused("a\x1b[31m", "measured"));
  EXPECT_TRUE(refused("a", "simulated:"));
  EXPECT_TRUE(refused("a", "guessed"));
  EXPECT_TRUE(refused("a", ""));
}

TEST_F(SpoiltProfile, NeverCrashesTheForecasts) {
  walk(sound, ProfileJson::json_pointer(), [&](const ProfileJson::json_pointer& at, const ProfileJson& value) {
    const auto with = [&](const ProfileJson& other, const std::string& what) {
      ProfileJson document = sound;
      document.at(at) = other;
      read(document, at.to_string() + " " + what);
    };
    if (value.is_number())
      for (const ProfileJson& number :
           {ProfileJson(0), ProfileJson(-1), ProfileJson(2147483647), ProfileJson(1e300), ProfileJson(-0.5)})
        with(number, number.dump());
    if (value.is_array() && !value.empty()) {
      with(ProfileJson::array(), "emptied");
      ProfileJson shorter = value, longer = value;
      shorter.erase(shorter.size() - 1);
      longer.push_back(value.back());
      with(shorter, "shortened");
      with(longer, "lengthened");
    }
    if (value.is_object())
      for (const auto& [key, below] : value.items()) {
        ProfileJson less = value;
        less.erase(key);
        with(less, "without " + key);
      }
    with(nullptr, "null");
    with("text", "text");
  });
  EXPECT_GT(refused, 1000);
  EXPECT_GT(accepted, 50);
}

// The regression's grid search takes its time: it sees the places that it reads.
TEST_F(SpoiltProfile, NeverCrashesTheRegression) {
  PredictOptions options;
  options.processes = {1};
  options.schemes = {Scheme::two_d_uniform};
  options.model = "svr";
  for (const ProfileJson& number : {ProfileJson(0), ProfileJson(2147483647)}) {
    ProfileJson document = sound;
    for (ProfileJson& run : document["runs"]) run["attributes"][2] = number;
    const ClusterProfile profile = read_cluster_profile(folder.write("p.json", document.dump()));
    for (const ClusterForecast& f : predict_cluster(matrix, profile, options).forecasts)
      EXPECT_TRUE(std::isfinite(f.seconds) && f.seconds >= 0) << number;
  }
}

TEST_F(SpoiltProfile, IsOneLineAndExitCode3OfTheCommand) {
  const std::string file =
      folder.write("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 1\n");
  ProfileJson document = sound;
  document["node"]["bandwidth"][0]["rate"] = ProfileJson::array();
  const std::string profile = folder.write("bad.cluster.json", document.dump());
  for (const char* const command : {"predict", "script"}) {
    const auto result = test::sparsecast({"cluster", command, file, "--cluster", profile, "--processes", "1"});
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_NE(result.err.find("bad.cluster.json: "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("node.bandwidth[0].rate"), std::string::npos) << result.err;
  }
}

TEST(Nodes, AreCountedWithoutOverflow) {
  EXPECT_EQ(nodes_for(1, 2147483647), 1);
  EXPECT_EQ(nodes_for(2147483647, 2147483647), 1);
  EXPECT_EQ(nodes_for(2147483647, 2), 1073741824);
  EXPECT_EQ(nodes_for(5, 4), 2);
  EXPECT_EQ(nodes_for(4, 4), 1);
}
}  // namespace
}  // namespace sparsecast::cluster
