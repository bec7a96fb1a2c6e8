// Micro-benchmarks of instructions and memory: what the rings visit, and that the chains run where a device is.

#include "hardware/gpu/micro_benchmarks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "hardware/gpu/gpu_kernels.hpp"
#include "support/parts.hpp"
#ifdef SPARSECAST_OPENCL
#include "hardware/gpu/opencl/runtime.hpp"
#endif

namespace sparsecast {
namespace {

// Rows that a chase from `start` visits before it is back.
std::vector<std::int64_t> follow(const hardware::PointerRing& ring, std::int64_t start) {
  const std::vector<std::int64_t> links = ring.links();
  std::vector<std::int64_t> visited;
  std::int64_t at = start;
  do {
    visited.push_back(at / ring.row_elements);
    at = links[static_cast<std::size_t>(at)] / 8;
    EXPECT_EQ(at % ring.row_elements, start % ring.row_elements) << "a chase stays in its column";
  } while (at != start && visited.size() <= ring.order.size());
  return visited;
}

TEST(PointerRing, AShuffledOneVisitsEveryLineOfItsFootprintOnce) {
  constexpr std::int64_t bytes = 5 << 20;  // two pages and a half
  const hardware::PointerRing ring = hardware::shuffled_ring(bytes);
  EXPECT_EQ(8 * ring.elements(), bytes);
  const auto visited = follow(ring, 3);
  EXPECT_EQ(static_cast<std::int64_t>(visited.size()), bytes / 128);
  EXPECT_EQ(std::set<std::int64_t>(visited.begin(), visited.end()).size(), visited.size());
  // Page by page, and within a page not in order.
  int changes = 0, neighbours = 0;
  for (std::size_t i = 1; i < visited.size(); ++i) {
    changes += visited[i] / 16384 != visited[i - 1] / 16384 ? 1 : 0;
    neighbours += std::abs(visited[i] - visited[i - 1]) == 1 ? 1 : 0;
  }
  EXPECT_LE(changes, 3);
  EXPECT_LT(neighbours, 100);
}

TEST(PointerRing, AStreamingOneIsReadFromFrontToBackByItsGroups) {
  constexpr std::int64_t stride = 12;
  const hardware::PointerRing ring = hardware::streaming_ring(1 << 20, 256, stride);
  EXPECT_NEAR(static_cast<double>(8 * ring.elements()), 1 << 20, 2048.0 * stride);
  std::set<std::int64_t> seen;
  for (std::int64_t group = 0; group < stride; ++group) {
    const auto visited = follow(ring, group * 256 + 255);
    EXPECT_EQ(visited.size(), ring.order.size()) << "one ring, whatever row it is entered at";
    EXPECT_EQ(visited[1], visited[0] + stride);
    seen.insert(visited.begin(), visited.begin() + 3);
  }
  EXPECT_EQ(static_cast<std::int64_t>(seen.size()), 3 * stride) << "no row is read twice in a round";
}

TEST(PointerRing, IsARingHoweverSmall) {
  EXPECT_EQ(follow(hardware::shuffled_ring(0), 0).size(), 2U);
  EXPECT_EQ(follow(hardware::streaming_ring(0, 256, 1), 0).size(), 2U);
}

TEST(MicroBenchmarks, EveryKindHasItsFunction) {
  EXPECT_GT(hardware::micro_benchmark_kinds().size(), 10U);
  for (const hardware::MicroBenchmarkKind& kind : hardware::micro_benchmark_kinds()) {
    EXPECT_NO_THROW((void)hardware::gpu_function(kind.function)) << kind.name;
    EXPECT_TRUE(kind.latency || kind.throughput) << kind.name;
  }
}

TEST(MicroBenchmarks, RunOnTheDeviceThatIsHere) {
#ifdef SPARSECAST_OPENCL
  if (hardware::opencl_devices().empty()) SKIP_OR_FAIL(test::parts::opencl);
  const auto runtime = hardware::open_opencl(0);
  const auto readings = hardware::run_micro_benchmarks(*runtime, true);
  EXPECT_GT(readings.size(), 20U);
  std::int64_t l1 = 0, l2 = 0, memory = 0;
  for (const MicroBenchmark& b : readings) {
    EXPECT_EQ(b.longer.steps, 3 * b.shorter.steps) << b.name;
    EXPECT_GT(b.longer.seconds, 0) << b.name;
    EXPECT_GT(b.groups * b.threads, 0) << b.name;
    EXPECT_EQ(b.longer.cycles, 0) << b.name << ": OpenCL C has no clock";
    if (b.throughput) continue;
    if (b.name == "load-l1") l1 = b.bytes;
    if (b.name == "load-l2") l2 = b.bytes;
    if (b.name == "load-memory") memory = b.bytes;
  }
  EXPECT_LT(l1, l2);
  EXPECT_LT(l2, memory);
#else
  SKIP_OR_FAIL(test::parts::opencl_headers);
#endif
}

}  // namespace
}  // namespace sparsecast
