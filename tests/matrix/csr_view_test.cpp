// A matrix in the caller's own arrays: what is taken, what is refused, that nothing is copied and who lives how long.

#include <sparsecast/csr_view.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/matrix.hpp>
#include <sparsecast/structure.hpp>
#include <sparsecast/write.hpp>

#include "matrix/structure/structure_json.hpp"
#include "support/command.hpp"
#include "support/matrices.hpp"
#include "support/own_arrays.hpp"

namespace sparsecast {
namespace {

// [4 0 1; 0 5 0; 0 0 0]
struct Small {
  std::vector<std::int32_t> row_pointers{0, 2, 3, 3};
  std::vector<std::int32_t> columns{0, 2, 1};
  std::vector<double> values{4, 1, 5};
  [[nodiscard]] CsrView view() const { return {3, 3, row_pointers, columns, values}; }
};

template <class Arrays>
class LentArrays : public ::testing::Test {};
TYPED_TEST_SUITE(LentArrays, test::LentTypes<::testing::Types>);

TYPED_TEST(LentArrays, AreReadWhereTheyAre) {
  const TypeParam mine(test::random_matrix(60, 70, 500, 1));
  const Matrix matrix(mine.view(), "mine");
  for (const Matrix& any : {matrix, matrix.renamed("yours")}) {
    any.visit([&](const auto& csr) {
      EXPECT_EQ(static_cast<const void*>(csr.row_pointers.data()), mine.row_pointers.data());
      EXPECT_EQ(static_cast<const void*>(csr.column_indices.data()), mine.column_indices.data());
      EXPECT_EQ(static_cast<const void*>(csr.values.data()), mine.values.data());
    });
  }
  EXPECT_EQ(matrix.name(), "mine");
  EXPECT_EQ(matrix.rows(), 60);
  EXPECT_EQ(matrix.cols(), 70);
  EXPECT_EQ(matrix.nonzeros(), static_cast<std::int64_t>(mine.values.size()));
  EXPECT_EQ(matrix.bytes(),
            static_cast<std::int64_t>(61 * sizeof(mine.row_pointers[0]) +
                                      mine.values.size() * (sizeof(mine.column_indices[0]) + sizeof(mine.values[0]))));
}

TYPED_TEST(LentArrays, HaveTheStructureOfTheMatrix) {
  // The second is large enough to be sampled.
  for (const Matrix& matrix :
       {test::random_matrix(300, 200, 4000, 2), generate({"powerlaw", 0, 9, 40000, 30000, 3, {}})}) {
    const TypeParam mine(matrix);
    const Structure lent = analyze(Matrix(mine.view(), matrix.name()), 2);
    Structure own = analyze(matrix, 2);
    // Values that were rounded to float are those that float holds.
    EXPECT_EQ(own.compact.single_exact, 0);
    own.compact.single_exact = sizeof(mine.values[0]) == 4 ? 1 : 0;
    EXPECT_EQ(matrix::structure_to_json(lent).dump(), matrix::structure_to_json(own).dump());
  }
}

TYPED_TEST(LentArrays, AreWrittenAsTheMatrixWithTheirValues) {
  const TypeParam mine(generate({"random", 0, 5, 40, 40, 3, {}}));
  const test::TemporaryFolder folder;
  write_matrix_market(Matrix(mine.view(), "m"), folder.path() / "lent.mtx");
  write_matrix_market(mine.copied().renamed("m"), folder.path() / "copied.mtx");
  EXPECT_EQ(test::read_text(folder.path() / "lent.mtx"), test::read_text(folder.path() / "copied.mtx"));
}

TYPED_TEST(LentArrays, MayBeEmpty) {
  const TypeParam nothing{Matrix()};
  EXPECT_EQ(analyze(Matrix(nothing.view(), "nothing")).nonzeros, 0);
  const TypeParam no_entries(test::random_matrix(5, 4, 0, 1));
  EXPECT_EQ(analyze(Matrix(no_entries.view(), "no entries")).empty_rows, 5);
}

TEST(CsrView, IsHeldUntilTheLastMatrixGoesAndNoLonger) {
  auto arrays = std::make_shared<const Small>();
  const std::weak_ptr<const Small> alive = arrays;
  auto first =
      std::make_unique<Matrix>(CsrView{3, 3, arrays->row_pointers, arrays->columns, arrays->values, arrays}, "");
  arrays.reset();
  EXPECT_FALSE(alive.expired());
  auto second = std::make_unique<Matrix>(first->renamed("another"));
  first.reset();
  EXPECT_FALSE(alive.expired());
  EXPECT_EQ(analyze(*second).nonzeros, 3);
  *second = Matrix();
  EXPECT_TRUE(alive.expired());
}

TEST(CsrView, OfARefusedMatrixIsLetGo) {
  auto arrays = std::make_shared<const Small>();
  EXPECT_THROW(Matrix({9, 9, arrays->row_pointers, arrays->columns, arrays->values, arrays}, "m"), Error);
  EXPECT_EQ(arrays.use_count(), 1);
}

void expect_refused(const CsrView& view, const std::string& reason, CsrCheck check = CsrCheck::everything) {
  try {
    const Matrix matrix(view, "m");
    FAIL() << "accepted where it should say: " << reason;
  } catch (const Error& refused) {
    EXPECT_EQ(refused.code(), ErrorCode::bad_input);
    EXPECT_EQ(refused.reason(), reason);
    EXPECT_EQ(refused.place().file, "m");
    EXPECT_EQ(std::ranges::count(std::string(refused.what()), '\n'), 0);
  }
  if (check == CsrCheck::sizes) {
    EXPECT_THROW(Matrix(view, "m", CsrCheck::sizes), Error);
  } else {
    EXPECT_NO_THROW(Matrix(view, "m", CsrCheck::sizes));
  }
}

TEST(CsrView, OfWrongSizesIsRefusedInOneLineWhateverIsToBeChecked) {
  const Small good;
  CsrView view = good.view();
  view.rows = 2;
  expect_refused(view, "not a CSR matrix: 2 rows, 3 columns, 4 row pointers, 3 column indices, 3 values",
                 CsrCheck::sizes);
  view = good.view();
  view.cols = -3;
  expect_refused(view, "not a CSR matrix: 3 rows, -3 columns, 4 row pointers, 3 column indices, 3 values",
                 CsrCheck::sizes);
  view = good.view();
  view.values = std::span<const double>(good.values).first(2);
  expect_refused(view, "not a CSR matrix: 3 rows, 3 columns, 4 row pointers, 3 column indices, 2 values",
                 CsrCheck::sizes);
  expect_refused({}, "not a CSR matrix: 0 rows, 0 columns, 0 row pointers, 0 column indices, 0 values",
                 CsrCheck::sizes);

  Small wrong;
  wrong.row_pointers = {0, 2, 3, 4};
  expect_refused(wrong.view(), "not a CSR matrix: row pointers from 0 to 4 for 3 values", CsrCheck::sizes);
  wrong.row_pointers = {1, 2, 3, 3};
  expect_refused(wrong.view(), "not a CSR matrix: row pointers from 1 to 3 for 3 values", CsrCheck::sizes);

  const std::vector<std::int64_t> wide(good.columns.begin(), good.columns.end());
  view = good.view();
  view.column_indices = wide;
  expect_refused(view, "not a CSR matrix: 32-bit row pointers beside 64-bit column indices", CsrCheck::sizes);
}

TEST(CsrView, OfWrongIndicesIsRefusedWithTheRowUnlessTheyAreTheCallersWord) {
  Small wrong;
  wrong.row_pointers = {0, 2, 1, 3};
  expect_refused(wrong.view(), "not a canonical CSR matrix: row 1 begins at non-zero 2 and ends before 1");
  wrong.row_pointers = {0, 7, 7, 3};
  expect_refused(wrong.view(), "not a canonical CSR matrix: row 0 ends before non-zero 7 of 3");
  wrong = Small();
  wrong.columns = {0, 2, 3};
  expect_refused(wrong.view(), "not a canonical CSR matrix: row 1 has column 3 of 3, counted from 0");
  wrong.columns = {-1, 2, 1};
  expect_refused(wrong.view(), "not a canonical CSR matrix: row 0 has column -1 of 3, counted from 0");
  wrong.columns = {2, 0, 1};
  expect_refused(wrong.view(), "not a canonical CSR matrix: row 0 has column 0 after column 2");
  wrong.columns = {2, 2, 1};
  expect_refused(wrong.view(), "not a canonical CSR matrix: row 0 has column 2 after column 2");
  EXPECT_FALSE(Matrix(wrong.view(), "m", CsrCheck::sizes).is_canonical());
  EXPECT_TRUE(Matrix(Small().view(), "m", CsrCheck::sizes).is_canonical());
}

}  // namespace
}  // namespace sparsecast
