// Tables of a tuning space: what a row is read as, and which rows are refused.
#include "gpu_code/tuning_table.hpp"

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>

namespace sparsecast::gpu_code {
namespace {

const std::string head = "grid\tblock\tdefines\tseconds\n";

Place refused(const std::string& text) {
  try {
    (void)parse_tuning_table(text, "t.tsv");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input) << text;
    return error.place();
  }
  ADD_FAILURE() << "was read: " << text;
  return {};
}

TEST(TuningTables, ColumnsAreByNameAndMayBeMissing) {
  const auto rows = parse_tuning_table("seconds\tblock\tgrid\n0.5\t64x2\t8\n\t32\t4\n", "t.tsv");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].block, (Dim3{64, 2, 1}));
  EXPECT_EQ(rows[0].seconds, 0.5);
  EXPECT_TRUE(rows[0].kernel.empty());
  EXPECT_TRUE(rows[0].defines.empty());
  EXPECT_FALSE(rows[1].seconds);
}

TEST(TuningTables, AByteOrderMarkIsNoPartOfTheFirstColumn) {
  const auto rows = parse_tuning_table("\xef\xbb\xbfkernel\tgrid\tblock\ntwice\t8\t64\n", "t.tsv");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].kernel, "twice");
}

TEST(TuningTables, RowsWithMoreCellsThanColumnsAreRefused) {
  const auto place = refused(head + "8\t64\tN=1\t0.5\t0.1\n");
  EXPECT_EQ(place.line, 2);
  EXPECT_EQ(place.column, 14);
  EXPECT_EQ(parse_tuning_table(head + "8\t64\tN=1\t0.5\t\t\n", "t.tsv").size(), 1u) << "empty ones are no cells";
}

TEST(TuningTables, TimesThatAreNoneAreRefused) {
  for (const auto* time : {"inf", "nan", "0", "-1", "fast", "1e999"})
    EXPECT_EQ(refused(head + "8\t64\tN=1\t" + time + "\n").line, 2) << time;
}

}  // namespace
}  // namespace sparsecast::gpu_code
