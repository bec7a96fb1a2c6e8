// Simulated iterations of l1dr without SimGrid: times that follow from the shares of links, and SimGrid's own where it
// is here.

#include "cluster/simulate/rows_iteration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "cluster/launch/job.hpp"
#include "cluster/launch/platform.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::cluster {
namespace {
using test::TemporaryFolder;

const std::filesystem::path skylake = std::string(SPARSECAST_SOURCE_DIR) + "/profiles/platforms/skylake-edr.xml";

// 1 GB/s and 1 µs between nodes, 10 GB/s and 100 ns within.
constexpr NodeLinks toy{1e9, 1e-6, 10e9, 1e-7};

TEST(SharedLinks, AMessageAloneHasTheAdapterAndLeavesTheWayBack) {
  SharedLinks links(toy, 2);
  EXPECT_TRUE(std::isinf(links.until_next_end()));
  links.begin(7, 0, 1, 1e6);
  EXPECT_NEAR(links.until_next_end(), 1e-3, 1e-12);
  EXPECT_EQ(links.pass(1e-3), std::vector<int>{7});
}

TEST(SharedLinks, MessagesIntoOneNodeShareItsAdapterAndOthersAreNotHeldUp) {
  SharedLinks links(toy, 4);
  links.begin(0, 0, 2, 1e6);
  links.begin(1, 1, 2, 1e6);
  links.begin(2, 0, 3, 1e6);
  // Into node 2 each has half. Out of node 0 goes the other half, less the acknowledgements of nothing that comes in.
  EXPECT_NEAR(links.until_next_end(), 2e-3, 1e-9);
  EXPECT_EQ(links.pass(2e-3).size(), 3u);
}

// Both ways at once: each takes a twentieth of the other's link for acknowledgements.
TEST(SharedLinks, TwoWaysAtOnceTakeATwentiethLonger) {
  SharedLinks links(toy, 2);
  links.begin(0, 0, 1, 1e6);
  links.begin(1, 1, 0, 1e6);
  EXPECT_NEAR(links.until_next_end(), 1.05e-3, 1e-9);
}

TEST(SharedLinks, WhatTheFirstLeavesIsForTheOthers) {
  SharedLinks links(toy, 3);
  links.begin(0, 0, 1, 1e6);
  links.begin(1, 0, 2, 3e6);
  EXPECT_NEAR(links.until_next_end(), 2e-3, 1e-9);  // half each
  EXPECT_EQ(links.pass(2e-3), std::vector<int>{0});
  EXPECT_NEAR(links.until_next_end(), 2e-3, 1e-9);  // of 3 MB 2 are left, at the whole rate
}

TEST(RowsIteration, ProductsMessagesAndWhatIsHiddenAddUp) {
  // Rank 1 waits for rank 0's entries: packing 3 µs, latency 1 µs, 8 kB at 1 GB/s, then its remote product, 2 µs.
  std::vector<SimulatedLoad> loads(2);
  loads[0] = {1000, 3e-6, 1e-6, 0, {}, {{1, 1000}}};
  loads[1] = {1000, 0, 4e-6, 2e-6, {{0, 1000}}, {}};
  const double clock = 4 * 1e-8;  // packing and the remote product read the clock twice
  EXPECT_NEAR(rows_iteration_seconds(toy, 1, loads, 1), 3e-6 + 1e-6 + 8e-6 + 2e-6 + clock, 1e-11);
  // On one node: 100 ns and 8 kB at 10 GB/s less a twentieth, hidden behind rank 1's own product.
  EXPECT_NEAR(rows_iteration_seconds(toy, 2, loads, 1), 4e-6 + 2e-6 + 6e-8, 1e-11);
  EXPECT_EQ(rows_iteration_seconds(toy, 2, {}, 1), 0);
}

// Everybody to everybody, of unequal lengths, so that messages matter. SimGrid's ranks leave the barrier a microsecond
// apart.
TEST(RowsIteration, TakesAsLongAsInSimGrid) {
  const auto program = std::filesystem::path(SPARSECAST_COMMAND).parent_path() / "sparsecast-rank-smpi";
  if (!std::filesystem::exists(program)) SKIP_OR_FAIL(test::parts::simgrid);
  constexpr int processes = 44;  // 36 on the first node
  const Platform platform = read_platform(skylake);
  ASSERT_TRUE(platform.links.known());
  for (const std::int64_t entries : {2'000, 40'000}) {  // the latter beyond what leaves its sender free at once
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<SimulatedLoad> loads(processes);
    for (SimulatedLoad& load : loads)
      load = {100'000, 1e-5 * uniform(random), 1e-4 * uniform(random), 3e-5 * uniform(random), {}, {}};
    for (int to = 0; to < processes; ++to)
      for (int from = 0; from < processes; ++from) {
        if (from == to || uniform(random) > 0.6) continue;
        const auto count =
            1 + static_cast<std::int64_t>(static_cast<double>(entries) * uniform(random) * uniform(random));
        loads[static_cast<std::size_t>(to)].receives.push_back({from, count});
        loads[static_cast<std::size_t>(from)].sends.push_back({to, count});
      }
    const TemporaryFolder folder;
    std::string lines;
    for (const SimulatedLoad& load : loads) lines += to_line(load);
    folder.write("loads-0.txt", lines);
    Job job;
    job.task = Task::simulate;
    job.iterations = 2;
    job.cases.push_back({Scheme::local_rows, LocalFormat::csr});
    folder.write("job.json", to_text(job));
    std::vector<std::string> words = simulation_command(skylake, processes, folder.path());
    words.insert(words.end(), {program.string(), folder.path().string()});
    const test::CommandResult run = test::run_program(words[0], {words.begin() + 1, words.end()});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const double theirs =
        nlohmann::json::parse(test::read_text(folder.path() / "outcome.json")).at("cases")[0].at("seconds");
    const double ours = rows_iteration_seconds(platform.links, platform.cores_per_host, loads, 2);
    EXPECT_NEAR(ours, theirs, 0.01 * theirs + 1e-6) << entries;
  }
}

TEST(RowsIteration, ThousandsOfMessagesTakeNoTimeToSpeakOf) {
  constexpr int processes = 256;
  std::vector<SimulatedLoad> loads(processes);
  for (int to = 0; to < processes; ++to)
    for (int from = 0; from < processes; ++from)
      if (from != to) {
        loads[static_cast<std::size_t>(to)].receives.push_back({from, 100 + (from * 31 + to * 17) % 400});
        loads[static_cast<std::size_t>(from)].sends.push_back({to, 0});
      }
  const double seconds = rows_iteration_seconds(read_platform(skylake).links, 36, loads, 1);
  // What enters a full node: 36 ranks × 220 others × 2.4 kB on average, at 12.5 GB/s less a twentieth.
  EXPECT_NEAR(seconds, 36 * 220 * 8 * 299.5 / 12.5e9 * 1.05, 0.1 * seconds);
}
}  // namespace
}  // namespace sparsecast::cluster
