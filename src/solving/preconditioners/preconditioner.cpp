#include "solving/preconditioners/preconditioner.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>

#include "fields/wording.hpp"
#include "formats/parts/split.hpp"
#include "solving/laplacian.hpp"
#include "solving/preconditioners/incomplete_factors.hpp"
#include "solving/requirements.hpp"

namespace sparsecast::solving {
namespace {
using Block = Eigen::Matrix<double, block_rows, block_rows>;  // by columns: an entry of r meets a column
constexpr std::int64_t block_entries = block_rows * block_rows;

class DenseBlocks final : public Preconditioner {
 public:
  DenseBlocks(const Matrix& matrix, int threads, bool positive) : rows_(matrix.rows()), threads_(threads) {
    const std::int64_t blocks = (rows_ + block_rows - 1) / block_rows;
    inverse_.resize(static_cast<std::size_t>(blocks * block_entries));
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t first = b * block_rows;
      // Rows beyond the last are those of the identity.
      Block block = Block::Identity();
      matrix.visit([&](const auto& csr) {
        for (std::int64_t row = first; row < std::min(first + block_rows, rows_); ++row) {
          block(row - first, row - first) = 0;
          const auto* columns = csr.column_indices.data();
          std::int64_t k =
              std::lower_bound(columns + csr.row_pointers[row], columns + csr.row_pointers[row + 1], first) - columns;
          for (; k < csr.row_pointers[row + 1] && columns[k] < first + block_rows; ++k)
            block(row - first, static_cast<std::int64_t>(columns[k]) - first) = csr.values[k];
        }
      });
      const Eigen::FullPivLU<Block> factors(block);
      const bool indefinite = positive && Eigen::LLT<Block>(block).info() != Eigen::Success;
      if (!factors.isInvertible() || indefinite)
        throw Error(
            ErrorCode::bad_input,
            fmt::format("block-jacobi: the block of rows {} to {} {}", first + 1, std::min(first + block_rows, rows_),
                        factors.isInvertible() ? "is not positive definite" : "has no inverse"),
            {matrix.name()},
            wording::format("use {} none or ilu0, or {}", wording::option("preconditioner"), asking_for_spd()));
      Eigen::Map<Block>(inverse_.data() + b * block_entries) = factors.inverse();
    }
  }

  void apply(const double* r, double* z) const override {
    const std::int64_t whole = rows_ / block_rows;
    formats::for_each_part(threads_, [&](int part) {
      const std::int64_t end = formats::part_begin(whole, part + 1, threads_);
      for (std::int64_t b = formats::part_begin(whole, part, threads_); b < end; ++b) {
        const Eigen::Map<const Block> inverse(inverse_.data() + b * block_entries);
        const Eigen::Map<const Eigen::Matrix<double, block_rows, 1>> from(r + b * block_rows);
        Eigen::Map<Eigen::Matrix<double, block_rows, 1>>(z + b * block_rows).noalias() = inverse * from;
      }
    });
    for (std::int64_t row = whole * block_rows; row < rows_; ++row) {
      z[row] = 0;
      for (std::int64_t column = whole * block_rows; column < rows_; ++column)
        z[row] += inverse_[static_cast<std::size_t>(whole * block_entries + (column - whole * block_rows) * block_rows +
                                                    (row - whole * block_rows))] *
                  r[column];
    }
  }

 private:
  std::int64_t rows_;
  int threads_;
  Array<double> inverse_;
};

class Nothing final : public Preconditioner {
 public:
  explicit Nothing(std::int64_t rows) : rows_(rows) {}
  void apply(const double* r, double* z) const override { std::copy_n(r, rows_, z); }

 private:
  std::int64_t rows_;
};

class Diagonal final : public Preconditioner {
 public:
  explicit Diagonal(const Matrix& matrix) : inverse_(inverse_diagonal(matrix)) {}
  [[nodiscard]] const double* diagonal() const override { return inverse_.data(); }
  void apply(const double* r, double* z) const override {
    for (std::size_t i = 0; i < inverse_.size(); ++i) z[i] = inverse_[i] * r[i];
  }

 private:
  Array<double> inverse_;
};

class Factors final : public Preconditioner {
 public:
  Factors(const Matrix& matrix, PreconditionerKind kind, bool positive, int threads) {
    const IncompleteFactors factors = incomplete_factors(matrix, positive, name_of(kind));
    const Array<double> ones(factors.inverse.size(), 1.0);
    lower_ = make_triangle(matrix, factors.values, ones, Side::lower, threads);
    upper_ = make_triangle(matrix, factors.values, factors.inverse, Side::upper, threads);
  }
  void apply(const double* r, double* z) const override {
    lower_.solve(r, z);
    upper_.solve(z, z);
  }

 private:
  Triangle lower_, upper_;
};
}  // namespace

std::unique_ptr<Preconditioner> make_preconditioner(const Matrix& matrix, PreconditionerKind kind, int threads,
                                                    bool positive) {
  switch (kind) {
    case PreconditionerKind::none: return std::make_unique<Nothing>(matrix.rows() * numbers_of_value(matrix));
    case PreconditionerKind::jacobi: return std::make_unique<Diagonal>(matrix);
    case PreconditionerKind::block_jacobi: return std::make_unique<DenseBlocks>(matrix, std::max(1, threads), positive);
    case PreconditionerKind::ic0:
    case PreconditionerKind::ilu0: break;
  }
  if (!Matrix::fits32(matrix.rows()))
    throw Error(ErrorCode::too_large, "incomplete factors number their rows with 32 bits", {matrix.name()},
                "use jacobi or block-jacobi");
  return std::make_unique<Factors>(matrix, kind, positive || kind == PreconditionerKind::ic0, threads);
}

PreconditionerWork preconditioner_work(const Matrix& matrix, PreconditionerKind kind, int threads) {
  const auto numbers = static_cast<double>(matrix.rows() * numbers_of_value(matrix));
  PreconditionerWork work{kind, numbers, static_cast<double>(matrix.nonzeros()), {}, {}, 0};
  if (kind != PreconditionerKind::ic0 && kind != PreconditionerKind::ilu0) return work;
  work.lower = triangle_work(matrix, Side::lower, threads);
  work.upper = triangle_work(matrix, Side::upper, threads);
  work.eliminations = eliminations(matrix);
  return work;
}
}  // namespace sparsecast::solving
