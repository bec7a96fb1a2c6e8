// How reads of x fill caches and what those at random cost beyond each size of memory.

#include <gtest/gtest.h>

#include <cmath>
#include <sparsecast/generate.hpp>

#include "forecast/physical/gather_curve.hpp"
#include "forecast/physical/x_misses.hpp"

namespace sparsecast {
namespace {

using forecast::MissShares;
using formats::Workload;

constexpr double mega = 1 << 20;

DeviceProperties three_levels() {
  DeviceProperties properties;
  properties.caches = {{1, 32 << 10, 64, 1}, {2, 1 << 20, 64, 1}, {3, 32 << 20, 64, 2}};
  return properties;
}

XReuse reuse_of(const char* kind, std::int64_t rows, double mean, const MatrixParameters& parameters) {
  MatrixSpec spec;
  spec.kind = kind;
  spec.rows = rows;
  spec.row_length = mean;
  spec.seed = 1;
  spec.parameters = parameters;
  const Structure s = analyze(generate(spec));
  for (const XReuse& reuse : s.x_reuse)
    if (reuse.elements_per_line == 8) return reuse;
  return {};
}

TEST(FollowedReads, AreNearlyAllOfAStencilAndNearlyNoneAtRandom) {
  const XReuse band = reuse_of("banded", 400'000, 5, {.bandwidth = 2});
  EXPECT_GT(band.cold_followed, 0.95 * band.cold);
  const XReuse grid = reuse_of("poisson3d", 0, 0, {.size = 80});
  EXPECT_GT(grid.followed_share(512), 0.9 * grid.miss_share(512)) << "planes of 6,400";
  const XReuse random = reuse_of("uniform", 400'000, 5, {});
  EXPECT_LT(random.followed_share(4096), 0.1 * random.miss_share(4096));
}

TEST(FollowedReads, AreCountedExactlyWhereEveryReadIsFollowed) {
  // Lines 0, 1, 2, … in order, 512 of them and twice: every read but the very first comes after the line before.
  Csr<std::int32_t, std::int32_t> csr{2, 4096, {0, 512, 1024}, {}, Array<double>(1024, 1.0)};
  for (int pass = 0; pass < 2; ++pass)
    for (int line = 0; line < 512; ++line) csr.column_indices.push_back(8 * line);
  const Structure s = analyze(Matrix(std::move(csr), "twice"), 1);
  const XReuse& reuse = s.x_reuse[1];
  ASSERT_EQ(reuse.elements_per_line, 8);
  EXPECT_DOUBLE_EQ(reuse.cold, 0.5);
  EXPECT_DOUBLE_EQ(reuse.cold_followed, 0.5) << "line 0 has none before it and is not asked";
  ASSERT_EQ(reuse.followed.size(), 9U);
  EXPECT_DOUBLE_EQ(reuse.followed[8], 0.5) << "511 other lines between two reads of one";
  EXPECT_DOUBLE_EQ(reuse.followed_share(16), 1);
  EXPECT_DOUBLE_EQ(reuse.followed_share(1024), 0.5);
}

TEST(XMisses, ALineReadOftenLetsMoreOfTheMatrixByThanOneReadOnce) {
  // Both read half of their x at 2^12 to 2^13 lines; one reads each line once, the other spends nine reads of ten on
  // near ones, and ten entries of the matrix come by for every line.
  XReuse once, often;
  once.elements_per_line = often.elements_per_line = 8;
  once.distance.assign(13, 0.0);
  once.distance[12] = 0.999;
  once.cold = 0.001;
  often.distance = once.distance;
  often.distance[0] = 0.9;
  often.distance[12] = 0.099;
  often.cold = 0.001;
  const MissShares of_once(once, three_levels()), of_often(often, three_levels());
  // 2^14 lines of x are in a cache of 1 MB; half as many with one entry of 12 bytes beside each, a third with ten.
  EXPECT_LT(of_once.missed[1], 0.1) << "76 bytes each: 13,797 lines";
  EXPECT_GT(of_often.missed[1], 0.05 * 1) << "184 bytes each: 5,700 lines, within the bin";
  EXPECT_LT(of_often.missed[1], 0.1);
}

TEST(XMisses, AProductThatFitsMissesNothing) {
  XReuse reuse;
  reuse.elements_per_line = 8;
  reuse.distance.assign(17, 0.0);
  reuse.distance[16] = 0.9;
  reuse.cold = 0.1;
  const MissShares shares(reuse, three_levels());
  Workload small, large;
  small.format_bytes = 2 * mega;
  large.format_bytes = 2000 * mega;
  forecast::count_misses(shares, 1e6, three_levels(), 1, small);
  forecast::count_misses(shares, 1e6, three_levels(), 1, large);
  EXPECT_LT(small.misses[2], 100) << "a last cache of 32 MB holds it from product to product";
  EXPECT_NEAR(large.misses[1], 1e6, 1);
  EXPECT_NEAR(large.scattered[0], 1e6, 1);
  EXPECT_LT(large.scattered[10], large.scattered[1]) << "x is smaller than a gigabyte";
}

// x at random over S takes 1 ns up to 4 MB and 9 ns from there on, whatever S: the curve is what that makes of it.
TEST(GatherCurve, FindsWhatAReadCostsBeyondEachSize) {
  Profile profile;
  profile.properties = three_levels();
  Curve curve{"gather_rate", 1, {}, {}};
  for (double bytes = 8192; bytes <= 256 * mega; bytes *= 2) {
    const double seconds = 1e-9 + 8e-9 * std::max(0.0, 1 - 4 * mega / bytes);
    curve.x.push_back(bytes);
    curve.y.push_back(1 / seconds);
  }
  profile.curves.push_back(curve);
  const forecast::ScatteredSeconds more = forecast::scattered_seconds(profile, 1);
  for (int level = 0; level < Workload::scatter_levels; ++level)
    EXPECT_NEAR(more[static_cast<std::size_t>(level)], Workload::scatter_capacity(level) == 4 * mega ? 8e-9 : 0, 1e-12)
        << level;
}

TEST(GatherCurve, WithoutACurveALineTakesItsBytesBeyondTheLastCache) {
  Profile profile;
  profile.properties = three_levels();
  profile.curves.push_back({"read_bandwidth", 1, {1e6, 1e9}, {40e9, 20e9}});
  double sum = 0;
  for (const double more : forecast::scattered_seconds(profile, 1)) sum += more;
  EXPECT_DOUBLE_EQ(sum, 64 / 20e9);
}

}  // namespace
}  // namespace sparsecast
