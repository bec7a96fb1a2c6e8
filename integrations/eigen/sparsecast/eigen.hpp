#pragma once
// A plan where Eigen's expressions and iterative solvers expect a sparse matrix: y = A·x, y += α·A·x and the same with
// Aᵀ go to Plan::apply with their α and β, in y's own memory.
//
//   #include <Eigen/IterativeLinearSolvers>
//   #include <sparsecast/eigen.hpp>
//   …
//   const sparsecast::Plan plan = sparsecast::plan({.matrix = matrix});
//   const sparsecast::EigenPlan a(plan);
//   Eigen::ConjugateGradient<sparsecast::EigenPlan, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner>
//   solver(a); const Eigen::VectorXd x = solver.solve(b);
//
// Preconditioners that read entries need the matrix itself: a plan has none. A matrix in Eigen's own arrays becomes a
// plan without a copy by matrix_of().
//
// Thread safety: immutable; threads may share one and multiply at once, as they may the plan.

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <functional>
#include <span>
#include <sparsecast/error.hpp>
#include <sparsecast/plan.hpp>
#include <sparsecast/precision.hpp>
#include <string>
#include <utility>

namespace sparsecast {
template <class Scalar, bool Transposed, bool Conjugated>
class BasicEigenPlan;
}  // namespace sparsecast

namespace Eigen::internal {
// What Eigen asks of a matrix type; the plan takes the place of a sparse one.
template <class S, bool T, bool C>
struct traits<sparsecast::BasicEigenPlan<S, T, C>> : traits<SparseMatrix<S>> {};
}  // namespace Eigen::internal

namespace sparsecast {

/// Holds a copy of the plan, which shares its converted blocks. `Scalar` is the precision of the plan, real or complex:
/// Error usage at the first product where it is not. It multiplies by A, by Aᵀ, or by the conjugate of that.
template <class ScalarType, bool Transposed = false, bool Conjugated = false>
class BasicEigenPlan : public Eigen::EigenBase<BasicEigenPlan<ScalarType, Transposed, Conjugated>> {
  static_assert(Transposed || !Conjugated, "a plan multiplies by the conjugate of the transpose alone");

 public:
  using Scalar = ScalarType;
  using RealScalar = typename Eigen::NumTraits<ScalarType>::Real;
  using StorageIndex = int;
  enum {
    ColsAtCompileTime = Eigen::Dynamic,
    MaxColsAtCompileTime = Eigen::Dynamic,
    RowsAtCompileTime = Eigen::Dynamic,
    MaxRowsAtCompileTime = Eigen::Dynamic,
    IsRowMajor = false
  };

  explicit BasicEigenPlan(Plan plan) : plan_(std::move(plan)) {}

  [[nodiscard]] Eigen::Index rows() const { return Transposed ? plan_.cols() : plan_.rows(); }
  [[nodiscard]] Eigen::Index cols() const { return Transposed ? plan_.rows() : plan_.cols(); }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] auto transpose() const requires(!Conjugated) { return BasicEigenPlan<Scalar, !Transposed>(plan_); }
  [[nodiscard]] auto adjoint() const requires(Conjugated || !Transposed || !is_complex_value<Scalar>) {
    using Adjoint = BasicEigenPlan<Scalar, !Transposed, (!Transposed && is_complex_value<Scalar>)>;
    return Adjoint(plan_);
  }

  /// Vectors y and x must not overlap, as with Eigen's noalias(): Error usage. Blocks that may are copied first.
  template <class Rhs>
  Eigen::Product<BasicEigenPlan, Rhs, Eigen::AliasFreeProduct> operator*(const Eigen::MatrixBase<Rhs>& x) const {
    return {*this, x.derived()};
  }

  /// y = alpha·A·x + beta·y on vectors that lie in one piece.
  void apply(const Scalar* x, Scalar* y, Scalar alpha, Scalar beta) const {
    const std::span<const Scalar> from(x, static_cast<std::size_t>(cols()));
    const std::span<Scalar> to(y, static_cast<std::size_t>(rows()));
    if constexpr (Conjugated) {
      plan_.apply_adjoint(from, to, alpha, beta);
    } else if constexpr (Transposed) {
      plan_.apply_transposed(from, to, alpha, beta);
    } else {
      plan_.apply(from, to, alpha, beta);
    }
  }

 private:
  Plan plan_;
};

using EigenPlan = BasicEigenPlan<double>;
using EigenPlanf = BasicEigenPlan<float>;

/// Eigen's compressed row-major matrix as a Matrix on the same arrays, which must stay as long as what is made of it.
/// Error bad_input where it is not compressed or its columns do not ascend.
template <class Scalar, class StorageIndex>
[[nodiscard]] Matrix matrix_of(const Eigen::SparseMatrix<Scalar, Eigen::RowMajor, StorageIndex>& a,
                               std::string name = "matrix") {
  const auto rows = static_cast<std::size_t>(a.rows()), entries = static_cast<std::size_t>(a.nonZeros());
  if (!a.isCompressed()) throw Error(ErrorCode::bad_input, "the matrix is not compressed", {name}, "makeCompressed()");
  return Matrix({.rows = a.rows(),
                 .cols = a.cols(),
                 .row_pointers = std::span<const StorageIndex>(a.outerIndexPtr(), rows + 1),
                 .column_indices = std::span<const StorageIndex>(a.innerIndexPtr(), entries),
                 .values = std::span<const Scalar>(a.valuePtr(), entries)},
                std::move(name));
}

}  // namespace sparsecast

namespace Eigen::internal {

// Of a vector, and of a block of them column by column.
template <class S, bool T, bool C, class Rhs>
struct sparsecast_product {
  using Lhs = sparsecast::BasicEigenPlan<S, T, C>;
  using Column = Eigen::Matrix<S, Eigen::Dynamic, 1>;

  template <class Dest>
  static void evalTo(Dest& y, const Lhs& a, const Rhs& x) {
    multiply(y, a, x, S(1), S(0));
  }
  template <class Dest>
  static void addTo(Dest& y, const Lhs& a, const Rhs& x) {
    multiply(y, a, x, S(1), S(1));
  }
  template <class Dest>
  static void subTo(Dest& y, const Lhs& a, const Rhs& x) {
    multiply(y, a, x, S(-1), S(1));
  }
  template <class Dest>
  static void scaleAndAddTo(Dest& y, const Lhs& a, const Rhs& x, const S& alpha) {
    multiply(y, a, x, alpha, S(1));
  }

 private:
  template <class Dest>
  static void multiply(Dest& y, const Lhs& a, const Rhs& x, S alpha, S beta) {
    // Eigen asserts that, where assertions are on.
    if (x.rows() != a.cols() || y.rows() != a.rows() || y.cols() != x.cols())
      throw sparsecast::Error(sparsecast::ErrorCode::usage,
                              "a plan of " + std::to_string(a.cols()) + " columns times " + std::to_string(x.rows()) +
                                  " rows into " + std::to_string(y.rows()) + " of " + std::to_string(a.rows()));
    // Column by column: what was written to one would be read as another.
    if (x.cols() > 1 && may_overlap(y, x)) {
      const Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic> copy = x;
      return multiply_columns(y, a, copy, alpha, beta);
    }
    multiply_columns(y, a, x, alpha, beta);
  }

  // What an expression reads is not known.
  template <class Dest>
  static bool may_overlap(const Dest& y, const Rhs& x) {
    if constexpr ((int(traits<Rhs>::Flags) & int(traits<Dest>::Flags) & DirectAccessBit) != 0) {
      const auto end = [](const auto& of) {
        return of.data() + (of.rows() - 1) * of.rowStride() + (of.cols() - 1) * of.colStride() + 1;
      };
      const std::less<const void*> before;
      return x.rows() > 0 && y.rows() > 0 && before(x.data(), end(y)) && before(y.data(), end(x));
    } else {
      return true;
    }
  }

  template <class Dest, class From>
  static void multiply_columns(Dest& y, const Lhs& a, const From& x, S alpha, S beta) {
    for (Index c = 0; c < x.cols(); ++c) {
      const Ref<const Column> in(x.col(c));  // copied where it does not lie in one piece
      auto out = y.col(c);
      using Out = decltype(out);
      if constexpr ((int(traits<Out>::Flags) & DirectAccessBit) != 0) {
        if (out.innerStride() == 1) {
          a.apply(in.data(), out.data(), alpha, beta);
          continue;
        }
      }
      Column copy = out;
      a.apply(in.data(), copy.data(), alpha, beta);
      out = copy;
    }
  }
};

// Whatever Eigen's choice by sizes is: a matrix by a vector, by a matrix, or by something small of fixed size.
template <class S, bool T, bool C, class Rhs, int ProductTag>
struct generic_product_impl<sparsecast::BasicEigenPlan<S, T, C>, Rhs, SparseShape, DenseShape, ProductTag>
    : sparsecast_product<S, T, C, Rhs> {};

}  // namespace Eigen::internal
