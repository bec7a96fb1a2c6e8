#include "plan/search/block_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sparsecast/device.hpp>
#include <sparsecast/generate.hpp>

#include "support/matrices.hpp"

namespace sparsecast {
namespace {

std::vector<RowLengthCount> counted(const std::map<std::int64_t, std::int64_t>& rows) {
  std::vector<RowLengthCount> lengths;
  for (const auto& [length, count] : rows) lengths.push_back({length, count});
  return lengths;
}

// Mode and HYB's split of every range of strips, against counting from scratch.
TEST(GrowingLengths, AgreesWithCountingAgain) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 20; ++trial) {
    planning::GrowingLengths growing(500);
    std::map<std::int64_t, std::int64_t> all;
    for (int strip = 0; strip < 30; ++strip) {
      std::map<std::int64_t, std::int64_t> own;
      const auto centre = static_cast<std::int64_t>(random() % (trial % 2 == 0 ? 20 : 200));
      for (int entry = 0; entry < 12; ++entry)
        own[entry == 11 && strip % 7 == 3 ? 500 : centre + static_cast<std::int64_t>(random() % 15)] +=
            static_cast<std::int64_t>(1 + random() % 300);
      for (const auto& [length, rows] : own) all[length] += rows;
      growing.add(counted(own));

      Structure whole;
      whole.row_histogram = counted(all);
      for (const RowLengthCount& entry : whole.row_histogram) whole.rows += entry.rows;
      const HybSplit expected = hyb_split(whole);
      EXPECT_EQ(growing.hyb().width, expected.width);
      EXPECT_EQ(growing.hyb().overflow, expected.overflow);
      EXPECT_EQ(growing.mode(), std::ranges::max_element(whole.row_histogram, {}, &RowLengthCount::rows)->length);
    }
    growing.clear();
    EXPECT_EQ(growing.hyb().overflow, 0);
  }
}

TEST(StripSums, AddUpToTheWholeMatrix) {
  const Matrix matrix = test::random_matrix(5000, 3000, 40000, 7);
  const Structure s = analyze(matrix, 1);
  for (const std::int64_t strip_rows : {1, 7, 1000, 1024, 4999, 5000, 9000}) {
    const planning::StripSums strips(matrix, strip_rows, 1 << 20);
    EXPECT_EQ(strips.strips(), (5000 + strip_rows - 1) / strip_rows);
    EXPECT_EQ(strips.whole().rows, 5000);
    EXPECT_EQ(strips.whole().nonzeros, static_cast<double>(s.nonzeros));
    EXPECT_EQ(strips.whole().longest, s.row_max);
    std::vector<RowLengthCount> all;
    for (std::int64_t strip = 1; strip <= strips.strips(); ++strip)
      all.insert(all.end(), strips.lengths(strip).begin(), strips.lengths(strip).end());
    planning::merge_lengths(all);
    ASSERT_EQ(all.size(), s.row_histogram.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].length, s.row_histogram[i].length);
      EXPECT_EQ(all[i].rows, s.row_histogram[i].rows);
    }
  }
}

// With everything looked at, locality is that of analyze(); slots are exact where strips hold whole windows.
TEST(StripSums, SeeWhatAnalyzeSees) {
  const Matrix matrix = generate({"banded", 0, 9, 6000, 0, 3, R"({"bandwidth": 40})"});
  const Structure s = analyze(matrix, 1);
  const planning::StripSums strips(matrix, 2048, std::int64_t{1} << 30);
  const planning::StripContent& whole = strips.whole();
  EXPECT_EQ(whole.slots_8, static_cast<double>(s.slice(8, 1024)->slots));
  EXPECT_EQ(whole.slots_32, static_cast<double>(s.slice(32, 1024)->slots));
  EXPECT_NEAR(2 * whole.adjacent / whole.nonzeros, s.neighbours, 1e-9);
  EXPECT_NEAR(whole.span / whole.rows, s.bandwidth_scaled, 1e-9);
  EXPECT_NEAR(whole.similar / whole.rows, s.cross_row_similarity, 0.01);
}

// Guo, Wang & Chen (2014), table 3: the numbers of strips of 22 matrices on a Tesla C2050.
TEST(StripSums, CountThePapersStrips) {
  struct PaperMatrix {
    const char* name;
    std::int64_t rows, strips;
  };
  const std::int64_t strip = describe_device("tesla-c2050").strip("csr-vector");
  for (const PaperMatrix& known :
       {PaperMatrix{"linverse", 11999, 18},       PaperMatrix{"ex11", 16614, 25},
        PaperMatrix{"neos", 479119, 713},         PaperMatrix{"finan512", 74752, 112},
        PaperMatrix{"nasasrb", 54870, 82},        PaperMatrix{"hcircuit", 105676, 158},
        PaperMatrix{"OPF_6000", 29902, 45},       PaperMatrix{"OPF_10000", 43887, 66},
        PaperMatrix{"dense2", 2000, 3},           PaperMatrix{"pdb1HYS", 36417, 55},
        PaperMatrix{"consph", 83334, 125},        PaperMatrix{"cant", 62451, 93},
        PaperMatrix{"rma10", 46835, 70},          PaperMatrix{"qcd5_4", 49152, 74},
        PaperMatrix{"shipsec1", 140874, 210},     PaperMatrix{"mc2depi", 525825, 783},
        PaperMatrix{"pwtk", 217918, 325},         PaperMatrix{"mac_econ_fwd500", 206500, 308},
        PaperMatrix{"cop20k_A", 121192, 181},     PaperMatrix{"scircuit", 170998, 255},
        PaperMatrix{"webbase-1M", 1000005, 1489}, PaperMatrix{"rail4284", 4284, 7}}) {
    const auto pointers = static_cast<std::size_t>(known.rows) + 1;
    const Matrix matrix(Csr<std::int32_t, std::int32_t>{known.rows, 1, Array<std::int32_t>(pointers, 0), {}, {}}, "m");
    EXPECT_EQ(planning::StripSums(matrix, strip, 1024).strips(), known.strips) << known.name;
  }
}

TEST(StripSums, TakeAMatrixWithoutRows) {
  const planning::StripSums strips(Matrix(), 1024, 1024);
  EXPECT_EQ(strips.strips(), 1);
  EXPECT_EQ(strips.whole().rows, 0);
}

}  // namespace
}  // namespace sparsecast
