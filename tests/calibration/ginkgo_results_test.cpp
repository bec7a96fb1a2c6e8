// What Ginkgo's benchmark writes, of both ages, and its tables.

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>

#include "calibration/feature_table.hpp"
#include "calibration/ginkgo_results.hpp"
#include "support/command.hpp"

namespace sparsecast::calibration {
namespace {
// A 4 × 5 matrix of 10 entries, as both ages write it.
std::string result(const std::string& columns, const std::string& spmv) {
  return R"([{"problem": {"group": "G", "name": "m", "rows": 4, ")" + columns +
         R"(": 5, "nonzeros": 10, "row_distribution": {"min": 1, "q1": 1.5, "median": 2, "q3": 3, "max": 4,
             "variance": 1}}, "spmv": {)" +
         spmv + "}}]";
}

TEST(GinkgoResults, OldFilesTellNanosecondsAndEntries) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("old.json", result("cols", R"("Coo": {"storage": 10, "time": 20000, "completed": true},
                                    "Csrc": {"storage": 10, "time": 15000, "completed": true},
                                    "Ell": {"storage": 12, "time": 14000, "completed": true},
                                    "CuspHybrid": {"storage": 0, "time": 40000, "completed": true},
                                    "CuspCsr": {"storage": 10, "time": 0, "completed": true})"));
  const std::vector<FeatureRecord> records = read_ginkgo_results(file);
  ASSERT_EQ(records.size(), 4U) << "a time of 0 is none";
  EXPECT_EQ(records[0].kernel, "ginkgo-coo");
  EXPECT_EQ(records[1].kernel, "ginkgo-csr-classical");
  EXPECT_EQ(records[3].kernel, "cusparse-hyb");
  EXPECT_DOUBLE_EQ(records[0].seconds, 20e-6);
  EXPECT_EQ(records[0].repetitions, 1);
  const Structure& s = records[0].structure;
  EXPECT_EQ(s.name, "G/m");
  EXPECT_EQ(s.cols, 5);
  EXPECT_EQ(s.row_std, 1);
  EXPECT_EQ(s.row_quartiles, (std::vector<double>{1.5, 2, 3}));
  EXPECT_EQ(s.row_max, 3) << "ELL stores three entries a row, whatever the file says";
}

TEST(GinkgoResults, NewFilesTellSecondsBytesAndRepetitions) {
  const test::TemporaryFolder folder;
  const auto file = folder.write(
      "new.json", result("columns", R"("csr": {"storage": 140, "time": 5e-6, "repetitions": 8000, "completed": true},
                                       "sellp": {"storage": 3072, "time": 4e-6, "repetitions": 8000, "completed": true},
                                       "hipsparse_hybrid": {"time": 6e-6, "completed": true},
                                       "ell": {"completed": false})"));
  const std::vector<FeatureRecord> records = read_measurements(file);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[2].kernel, "hipsparse-hyb");
  EXPECT_DOUBLE_EQ(records[0].seconds, 5e-6);
  EXPECT_EQ(products_together(records), 8000);
  ASSERT_EQ(records[0].structure.slices.size(), 1U);
  EXPECT_EQ(records[0].structure.slices[0].slice_rows, 64);
  EXPECT_EQ(records[0].structure.slices[0].slots, 256) << "of every kernel's record";
  EXPECT_DOUBLE_EQ(read_ginkgo_results(file, TimeUnit::nanoseconds)[0].seconds, 5e-15);
}

TEST(GinkgoResults, WhatIsNoneIsRefusedInOneLine) {
  const test::TemporaryFolder folder;
  for (const char* text : {"[]", "{}", "[{\"spmv\": {}, \"problem\": {}}]", "[1]", "{\"spmv\": 3, \"problem\": 4}"}) {
    const auto file = folder.write("bad.json", text);
    try {
      (void)read_ginkgo_results(file);
      ADD_FAILURE() << "accepted " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input) << text;
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << text;
    }
  }
  const auto negative = folder.write("negative.json", result("cols", R"("Coo": {"time": -1, "completed": true})"));
  EXPECT_THROW((void)read_ginkgo_results(negative), Error);
}

TEST(GinkgoTables, TellQuartilesStorageAndRepetitions) {
  const test::TemporaryFolder folder;
  const std::string head =
      "matrix\trows\tcols\tnonzeros\trow_min\trow_q1\trow_median\trow_q3\trow_max\trow_variance\tkernel\tstorage_"
      "bytes\t"
      "repetitions\tseconds\n";
  const auto file = folder.write("table.tsv", head + "G/m\t4\t5\t10\t1\t1.5\t2\t3\t4\t1\tginkgo-ell\t144\t10\t1e-5\n" +
                                                  "G/m\t4\t5\t10\t1\t1.5\t2\t3\t4\t1\tginkgo-csr\t\t\t2e-5\n");
  const std::vector<FeatureRecord> records = read_feature_table(file, true);
  ASSERT_EQ(records.size(), 2U);
  for (const FeatureRecord& record : records) {
    EXPECT_EQ(record.structure.row_max, 3) << "144 bytes of ELL are three entries in each of four rows";
    EXPECT_EQ(record.structure.row_std, 1);
    EXPECT_EQ(record.structure.row_min, 1);
    EXPECT_EQ(record.structure.row_quartiles, (std::vector<double>{1.5, 2, 3}));
  }
  EXPECT_EQ(records[0].repetitions, 10);
  EXPECT_EQ(records[1].repetitions, 1) << "an empty field: each product was waited for";
}
}  // namespace
}  // namespace sparsecast::calibration
