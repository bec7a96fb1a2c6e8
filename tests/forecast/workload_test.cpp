#include "forecast/physical/workload.hpp"

#include <gtest/gtest.h>

#include <sparsecast/generate.hpp>

namespace sparsecast {
namespace {

DeviceProperties host() {
  DeviceProperties properties;
  properties.kind = DeviceKind::host;
  return properties;
}

Structure generated(const char* kind, double row_length) {
  MatrixSpec spec;
  spec.kind = kind;
  spec.rows = spec.cols = 4096;
  spec.row_length = row_length;
  return analyze(generate(spec));
}

forecast::Workload work(const Structure& s, const char* kernel) {
  return forecast::workload(s, kernel, host(), Precision::double_, 1);
}

// Of a Structure from elsewhere only the histogram may be known. Where all rows are alike it says as much as counting.
TEST(Workload, GroupsThatWereNotCountedFollowFromTheHistogramOfEvenRows) {
  for (const double length : {3.0, 8.0, 12.0, 16.0, 17.0, 40.0}) {
    const Structure counted = generated("constant", length);
    ASSERT_GT(counted.row_groups.groups, 0);
    Structure told = counted;
    told.row_groups = {};
    for (const char* kernel : {"csr", "csr-merge", "ell", "hyb"}) {
      const forecast::Workload a = work(counted, kernel), b = work(told, kernel);
      EXPECT_EQ(a.more_vectors, b.more_vectors) << kernel << length;
      EXPECT_EQ(a.long_rows, b.long_rows) << kernel << length;
      EXPECT_EQ(a.rest, b.rest) << kernel << length;
      EXPECT_EQ(a.partial, b.partial) << kernel << length;
      EXPECT_EQ(a.empty, b.empty) << kernel << length;
    }
  }
}

// Otherwise it takes rows of one length to stand together, the least that eight rows at once can leave empty.
TEST(Workload, GroupsThatWereNotCountedAreTakenToBeSorted) {
  const Structure counted = generated("uniform", 10);
  Structure told = counted;
  told.row_groups = {};
  EXPECT_GT(work(counted, "ell").partial, 0);
  EXPECT_EQ(work(told, "ell").partial, 0);
  EXPECT_NEAR(work(told, "ell").empty, work(told, "ell").padding / RowGroups::rows,
              static_cast<double>(counted.row_histogram.size() * static_cast<std::size_t>(counted.row_max)));
}

TEST(Workload, AFeatureRecordIsNotCounted) {
  Structure record;
  record.rows = record.cols = 100;
  record.nonzeros = 500;
  const forecast::Workload w = work(record, "csr");
  EXPECT_FALSE(w.exact);
  EXPECT_EQ(w.nonzeros, 500);
  EXPECT_EQ(w.row_mean, 5);
}

}  // namespace
}  // namespace sparsecast
