// Matrices that a method cannot take are refused before any work; --shift spd makes all square ones fit.

#include "solving/requirements.hpp"

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>

#include "solving/laplacian.hpp"
#include "solving/preconditioners/preconditioner.hpp"
#include "support/matrices.hpp"

namespace sparsecast::test {
namespace {

using namespace solving;
using enum PreconditionerKind;

Matrix small(std::int64_t rows, std::int64_t cols, std::vector<std::vector<double>> dense) {
  Csr<std::int32_t, std::int32_t> csr;
  csr.rows = rows;
  csr.cols = cols;
  csr.row_pointers = {0};
  for (const std::vector<double>& row : dense) {
    for (std::size_t column = 0; column < row.size(); ++column)
      if (row[column] != 0) {
        csr.column_indices.push_back(static_cast<std::int32_t>(column));
        csr.values.push_back(row[column]);
      }
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.values.size()));
  }
  return {std::move(csr), "small"};
}

std::string refusal(const Matrix& matrix, const char* method, PreconditionerKind kind = none) try {
  require_fit(matrix, parse_method(method), kind);
  return {};
} catch (const Error& error) {
  EXPECT_EQ(error.code(), ErrorCode::bad_input);
  return error.reason();
}

TEST(Requirements, RemediesNameTheQuestionThatHasThem) {
  try {
    require_fit(small(2, 2, {{2, 1}, {0, 2}}), parse_method("cg"), none);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(error.remedy().find("solve"), std::string::npos) << error.remedy();  // compare and plan have no --shift
  }
}

TEST(Requirements, AreSaidInOneLine) {
  const Matrix wide = small(2, 3, {{1, 0, 2}, {0, 1, 0}});
  EXPECT_EQ(refusal(wide, "bicgstab"), "bicgstab needs a square matrix, and this one has 2 rows and 3 columns");
  const Matrix lopsided = small(2, 2, {{2, 1}, {0.5, 2}});
  EXPECT_EQ(refusal(lopsided, "cg"), "cg needs a symmetric matrix; entries (1, 2) and (2, 1) differ");
  EXPECT_EQ(refusal(lopsided, "gmres", ic0), "ic0 needs a symmetric matrix; entries (1, 2) and (2, 1) differ");
  EXPECT_EQ(refusal(lopsided, "bicgstab"), "");
  const Matrix one_sided = small(2, 2, {{2, 1}, {0, 2}});
  EXPECT_EQ(refusal(one_sided, "chebyshev"), "chebyshev needs a symmetric matrix; entries (1, 2) and (2, 1) differ");
  EXPECT_EQ(refusal(small(2, 2, {{2, 0}, {1, 2}}), "cg"),
            "cg needs a symmetric matrix; entries (2, 1) and (1, 2) differ");
  const Matrix hollow = small(2, 2, {{0, 1}, {1, 2}});
  EXPECT_EQ(refusal(hollow, "jacobi"), "jacobi divides by the diagonal, which is zero in row 1");
  EXPECT_EQ(refusal(hollow, "bicgstab", jacobi), "jacobi divides by the diagonal, which is zero in row 1");
  EXPECT_EQ(refusal(hollow, "cg"), "cg needs a positive definite matrix; the diagonal is 0 in row 1");
  EXPECT_EQ(refusal(hollow, "bicgstab", block_jacobi), "");
  const Matrix negative = small(2, 2, {{2, 1}, {1, -2}});
  EXPECT_EQ(refusal(negative, "cg"), "cg needs a positive definite matrix; the diagonal is -2 in row 2");
  const Matrix three = small(3, 3, {{2, 1, 0}, {1, -2, 0}, {0, 0, 1}});
  EXPECT_EQ(refusal(three, "lobpcg:1"), "");
  EXPECT_EQ(refusal(three, "lobpcg:1", jacobi),
            "lobpcg:1 needs a positive definite preconditioner; the diagonal, of which jacobi is made, is -2 in row 2");
  EXPECT_THROW(require_fit(negative, parse_method("power"), jacobi), Error);
}

// Norms of products with such entries would be infinite, or 0 as if the solve had converged.
TEST(Requirements, SquaresMustFitADouble) {
  for (const double scale : {1e-200, 1e200})
    for (const MethodInfo& info : method_table()) {
      const Matrix scaled = small(3, 3, {{2 * scale, -scale, 0}, {-scale, 2 * scale, -scale}, {0, -scale, 2 * scale}});
      const std::string reason = refusal(scaled, std::string(info.name).c_str());
      EXPECT_EQ(reason.find("a double does not hold the square of the largest entry") != std::string::npos,
                info.squares)
          << info.name << ": " << reason;
    }
  EXPECT_EQ(refusal(small(2, 2, {{1e100, 1e-300}, {0, 1}}), "gmres"), "");
  EXPECT_EQ(refusal(small(2, 2, {{0, 0}, {0, 0}}), "gmres"), "");
}

TEST(Requirements, OfAStructureAreWhatItTells) {
  const auto told = [](const Matrix& matrix, const char* method) -> std::string {
    try {
      require_fit(analyze(matrix), parse_method(method));
      return "";
    } catch (const Error& error) {
      return error.reason();
    }
  };
  const Matrix wide = small(2, 3, {{1, 0, 2}, {0, 1, 0}});
  EXPECT_EQ(told(wide, "bicgstab"), refusal(wide, "bicgstab"));
  const Matrix lopsided = small(2, 2, {{2, 1}, {0.5, 2}});
  EXPECT_EQ(told(lopsided, "cg"), "cg needs a symmetric matrix, and this one is not symmetric");
  EXPECT_EQ(told(lopsided, "gmres"), "");
  const Matrix three = small(3, 3, {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}});
  EXPECT_EQ(told(three, "lobpcg:1"), "");
  EXPECT_EQ(told(three, "lobpcg:2"), "lobpcg:2 needs 6 rows, three for each eigenvalue, and the matrix has 3");
  EXPECT_EQ(told(three, "lobpcg:2"), refusal(three, "lobpcg:2"));
}

TEST(Requirements, OfComplexMatrices) {
  const auto two = [](Array<double> real, Array<double> imaginary) {
    return Matrix(Csr<std::int32_t, std::int32_t>{2, 2, {0, 2, 4}, {0, 1, 0, 1}, std::move(real), std::move(imaginary)},
                  "two");
  };
  const Matrix hermitian = two({2, 1, 1, 3}, {0, 1, -1, 0});
  EXPECT_EQ(refusal(hermitian, "cg", jacobi), "");
  EXPECT_EQ(refusal(hermitian, "cg", ic0), "ic0 needs real values, and these are complex");
  EXPECT_EQ(refusal(hermitian, "gmres"), "gmres:30 solves real systems, and the values are complex");
  EXPECT_EQ(refusal(two({2, 1, 1, 3}, {0, 1, 1, 0}), "cg"),
            "cg needs a Hermitian matrix; entries (1, 2) and (2, 1) differ");
  EXPECT_EQ(refusal(two({2, 1, 1, 3}, {1, 1, -1, 0}), "cg"),
            "cg needs a Hermitian matrix; entries (1, 1) and (1, 1) differ");
}

TEST(Requirements, PivotsThatFailAreToldWithTheirRow) {
  const Matrix indefinite = small(2, 2, {{1, 2}, {2, 1}});
  try {
    (void)make_preconditioner(indefinite, ic0, 1);
    FAIL() << "factorised";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_EQ(error.reason(), "ic0: the pivot of row 2 is -3, so that it is not positive definite");
  }
  EXPECT_NO_THROW((void)make_preconditioner(indefinite, ilu0, 1));
  EXPECT_THROW((void)make_preconditioner(small(2, 2, {{1, 1}, {1, 1}}), block_jacobi, 1), Error);
}

TEST(SpdShift, IsTheLaplacianOfTheGraphAndTheIdentity) {
  EXPECT_EQ(dense(spd_shift(small(3, 3, {{0, 5, 0}, {0, 7, 0}, {-1, 0, 0}}))), "3 -1 -1\n-1 2 .\n-1 . 2\n");
  for (const char* method : {"cg", "jacobi", "chebyshev"})
    EXPECT_EQ(refusal(spd_shift(random_matrix(300, 300, 2000, 3)), method, none), "");
  EXPECT_THROW((void)spd_shift(small(1, 2, {{1, 1}})), Error);
}

}  // namespace
}  // namespace sparsecast::test
