// Rates in HPCG of machines that are known by their parts.

#include "cluster/machine/hpcg_rate.hpp"

#include <gtest/gtest.h>

namespace sparsecast::cluster {
namespace {

HpcgRate rate_of(const char* computer, std::int64_t cores) { return hpcg_rate(machine_parts(computer, cores)); }

// What memory allows: 6 bytes a flop, and no system reaches much more than its data sheets' bandwidth.
TEST(HpcgRate, StaysBelowTheRoofAndWithinItsInterval) {
  for (const char* computer :
       {"A — A64FX 48C 2.2GHz, Tofu interconnect D", "A — Xeon Platinum 8480+ 56C 2GHz, Infiniband NDR200",
        "A — NVIDIA Grace 72C 3.1GHz, Slingshot-11, NVIDIA GH200 Superchip"}) {
    const HpcgRate rate = rate_of(computer, 100'000);
    EXPECT_GT(rate.rate, 0.2 * rate.bandwidth / 6) << computer;
    EXPECT_LT(rate.rate, 1.5 * rate.bandwidth / 6) << computer;
    EXPECT_LT(rate.low, rate.rate);
    EXPECT_GT(rate.high, rate.rate);
    EXPECT_GT(rate.sweep_s, 10 * rate.sums_s) << "sums over all nodes are short beside a sweep";
  }
}

TEST(HpcgRate, OfWhatNothingIsKnownIsWiderAndOfMoreNodesThanAnyIsMarked) {
  const HpcgRate known = rate_of("A — AMD EPYC 7763 64C 2.45GHz, Slingshot-11, NVIDIA A100 SXM4 40 GB", 560 * 100);
  const HpcgRate unknown = rate_of("A — AMD EPYC 9454 48C, Infiniband NDR, AMD Instinct MI355X", (96 + 8 * 256) * 100);
  EXPECT_GE(known.alike, 3);
  EXPECT_EQ(unknown.alike, 0);
  EXPECT_GT(unknown.high / unknown.low, known.high / known.low);
  EXPECT_FALSE(known.extrapolated);
  EXPECT_TRUE(rate_of("A — A64FX 48C 2.2GHz, Tofu interconnect D", 48LL * 10'000'000).extrapolated);
}

TEST(HpcgRate, OfMoreNodesThanAnyIsKnownLessWell) {
  double before = 0;
  for (const std::int64_t nodes : {10'000'000LL, 100'000'000LL, 10'000'000'000LL, 100'000'000'000'000'000LL}) {
    const HpcgRate rate = rate_of("A — A64FX 48C 2.2GHz, Tofu interconnect D", 48 * nodes);
    EXPECT_TRUE(rate.extrapolated);
    EXPECT_GT(rate.high / rate.low, before) << nodes;
    before = rate.high / rate.low;
  }
  // Less than a socket is no machine.
  EXPECT_NE(machine_parts("A — AMD EPYC 7763 64C 2.45GHz, Slingshot-11", 1).reason, "");
  EXPECT_EQ(machine_parts("A — AMD EPYC 7763 64C 2.45GHz, Slingshot-11", 64).reason, "");
}

TEST(HpcgRate, ANameIsOfOneFoldHoweverItIsWritten) {
  EXPECT_EQ(hpcg_fold("Site 1 (GPU)"), hpcg_fold("site1 gpu"));
  EXPECT_NE(hpcg_fold("Site 1"), hpcg_fold("Site 2"));
  // Two names of different folds have numbers that were learned from different systems.
  const char* const parts = " — Xeon Gold 6148 20C 2.4GHz, Infiniband EDR";
  EXPECT_NE(rate_of(("Site 1" + std::string(parts)).c_str(), 40'000).rate,
            rate_of(("Site 2" + std::string(parts)).c_str(), 40'000).rate);
}

}  // namespace
}  // namespace sparsecast::cluster
