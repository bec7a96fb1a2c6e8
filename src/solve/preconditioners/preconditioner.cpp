#include "solve/preconditioners/preconditioner.hpp"

#include <algorithm>
#include <sparsecast/error.hpp>
#include <utility>

#include "formats/parts/split.hpp"
#include "solve/preconditioners/dense_blocks.hpp"
#include "solve/preconditioners/incomplete.hpp"
#include "solve/requirements.hpp"

namespace sparsecast::solve {
namespace {

class Nothing final : public Preconditioner {
 public:
  explicit Nothing(std::int64_t rows) : rows_(rows) {}
  void apply(const double* r, double* z) const override { std::copy_n(r, rows_, z); }

 private:
  std::int64_t rows_;
};

class Diagonal final : public Preconditioner {
 public:
  Diagonal(const Matrix& matrix) : inverse_(diagonal_of(matrix)) {
    for (double& value : inverse_) value = 1 / value;
  }
  [[nodiscard]] const double* diagonal() const override { return inverse_.data(); }
  void apply(const double* r, double* z) const override {
    for (std::size_t i = 0; i < inverse_.size(); ++i) z[i] = inverse_[i] * r[i];
  }

 private:
  Array<double> inverse_;
};

class Factors final : public Preconditioner {
 public:
  Factors(const Matrix& matrix, bool positive, int threads) {
    const IncompleteFactors factors = incomplete_factors(matrix, positive);
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

std::unique_ptr<Preconditioner> make_preconditioner(const Matrix& matrix, PreconditionerKind kind, int threads) {
  switch (kind) {
    case PreconditionerKind::none:
      return std::make_unique<Nothing>(matrix.rows());
    case PreconditionerKind::jacobi:
      return std::make_unique<Diagonal>(matrix);
    case PreconditionerKind::block_jacobi:
      return make_dense_blocks(matrix, threads);
    case PreconditionerKind::ic0:
    case PreconditionerKind::ilu0:
      break;
  }
  if (!Matrix::fits32(matrix.rows()))
    throw Error(ErrorCode::too_large, "incomplete factors number their rows with 32 bits", {matrix.name()},
                "take jacobi or block-jacobi");
  return std::make_unique<Factors>(matrix, kind == PreconditionerKind::ic0, threads);
}

PreconditionerWork preconditioner_work(const Matrix& matrix, PreconditionerKind kind, int threads) {
  PreconditionerWork work{kind, static_cast<double>(matrix.rows()), static_cast<double>(matrix.nonzeros()), {}, {}, 0};
  if (kind != PreconditionerKind::ic0 && kind != PreconditionerKind::ilu0) return work;
  work.lower = triangle_work(matrix, Side::lower, threads);
  work.upper = triangle_work(matrix, Side::upper, threads);
  work.eliminations = eliminations(matrix);
  return work;
}

}  // namespace sparsecast::solve
