// LOBPCG: the smallest eigenvalues of a symmetric matrix, a block at a time. Of every iteration the block x, the
// preconditioned residuals r and the last direction p span what the next block is found in; their products with the
// matrix are carried along, so that one product of a block is made.

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "base/random.hpp"
#include "solving/run/methods.hpp"
#include "solving/run/problem.hpp"

namespace sparsecast::solving {
namespace {
using Dense = Eigen::MatrixXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Index = Eigen::Index;

// An eigenvalue that is so much smaller than the matrix has four digits at most.
constexpr double is_zero = 1e-12;
// Rows whose share of all six blocks stays in a near cache.
constexpr std::int64_t rows_at_once = 128;

class Lobpcg {
 public:
  Lobpcg(Problem& problem, int block) : p_(problem), k_(block), n_(problem.rows()) {
    for (Vector* one : {&x_, &r_, &d_, &ax_, &ar_, &ad_}) one->resize(static_cast<std::size_t>(n_ * k_));
    std::ranges::fill(d_, 0.0);
    std::ranges::fill(ad_, 0.0);
    base::Random random(1);
    for (double& value : x_) value = random.uniform() - 0.5;
    product(x_, ax_);
    values_ = Eigen::VectorXd::Zero(k_);
    rotate(false, false);
  }

  // The products that are carried along, anew; the residuals of the block as it is. No step of the method.
  double true_residuals() {
    const Amounts counted = p_.sweeps.counted;
    product(x_, ax_);
    const double residual = residuals();
    p_.sweeps.counted = counted;
    return residual;
  }

  // Residuals and the largest of them, beside their eigenvalues. An eigenvalue of a singular matrix comes to the
  // rounding of its products, and stands for nothing to be compared with: the size of the matrix does then.
  double residuals() {
    p_.sweeps.count(2 * k_, k_, true);
    Eigen::ArrayXXd squares = Eigen::ArrayXXd::Zero(k_, p_.sweeps.threads()), of_image = squares;
    formats::for_each_part(p_.sweeps.threads(), [&](int part) {
      for_chunks(part, [&](std::int64_t first, std::int64_t rows) {
        Eigen::Map<Rows> r(r_.data() + first * k_, rows, k_);
        r.noalias() = map(ax_, first, rows) - map(x_, first, rows) * values_.asDiagonal();
        squares.col(part) += r.colwise().squaredNorm().transpose().array();
        of_image.col(part) += map(ax_, first, rows).colwise().squaredNorm().transpose().array();
      });
    });
    const Eigen::ArrayXd norms = squares.rowwise().sum().sqrt(), sizes = values_.array().abs();
    largest_image_ = std::max(largest_image_, std::sqrt(of_image.rowwise().sum().maxCoeff()));
    const Eigen::ArrayXd beside = (sizes > is_zero * largest_image_).select(sizes, largest_image_);
    return (norms / beside.max(1e-300)).maxCoeff();
  }

  void precondition() {
    if (p_.applied == Preconditioning::none) return;
    if (p_.applied == Preconditioning::diagonal) {
      p_.sweeps.count(1 + k_, k_, false);
      const double* m = p_.preconditioner.diagonal();
      formats::for_each_part(p_.sweeps.threads(), [&](int part) {
        for_chunks(part, [&](std::int64_t first, std::int64_t rows) {
          for (std::int64_t row = first; row < first + rows; ++row)
            for (int j = 0; j < k_; ++j) r_[row * k_ + j] *= m[row];
        });
      });
      return;
    }
    if (one_.empty()) {
      one_ = p_.vector();
      other_ = p_.vector();
    }
    for (int j = 0; j < k_; ++j) {
      copy(r_.data() + j, k_, one_.data(), 1, k_, 1);
      p_.precondition(one_, other_);
      copy(other_.data(), 1, r_.data() + j, k_, 1, k_);
    }
  }

  // The next block and direction. False where what spans them has lost its independence.
  bool iterate(bool with_direction) {
    product(r_, ar_);
    return rotate(true, with_direction);
  }

  [[nodiscard]] std::vector<double> values() const { return {values_.begin(), values_.end()}; }

 private:
  using Blocks = std::array<const Vector*, 3>;

  template <class F>
  void for_chunks(int part, const F& f) const {
    const int parts = p_.sweeps.threads();
    const std::int64_t begin = formats::part_begin(n_, part, parts), end = formats::part_begin(n_, part + 1, parts);
    for (std::int64_t first = begin; first < end; first += rows_at_once) f(first, std::min(rows_at_once, end - first));
  }
  [[nodiscard]] Eigen::Map<const Rows> map(const Vector& block, std::int64_t first, std::int64_t rows) const {
    return {block.data() + first * k_, rows, k_};
  }

  void copy(const double* from, std::int64_t from_stride, double* to, std::int64_t to_stride, double reads,
            double writes) {
    p_.sweeps.count(reads, writes, false);
    formats::for_each_part(p_.sweeps.threads(), [&](int part) {
      for_chunks(part, [&](std::int64_t first, std::int64_t rows) {
        for (std::int64_t row = first; row < first + rows; ++row) to[row * to_stride] = from[row * from_stride];
      });
    });
  }

  void product(const Vector& x, Vector& y) {
    const VectorBlock<const double> from{.data = x, .vectors = k_};
    const VectorBlock<double> to{.data = y, .vectors = k_};
    p_.plan.apply_block(from, to);
    p_.sweeps.counted.products += 1;
  }

  // Of x, r and d: the basis as it stands in a chunk of rows.
  void gather(const Blocks& blocks, int count, std::int64_t first, std::int64_t rows, Rows& to) const {
    to.resize(rows, static_cast<Index>(count) * k_);
    for (int b = 0; b < count; ++b)
      to.middleCols(static_cast<Index>(b) * k_, k_) = map(*blocks[static_cast<std::size_t>(b)], first, rows);
  }

  // Rayleigh & Ritz in the span of x, and of r and d where they count.
  bool rotate(bool with_residuals, bool with_direction) {
    const int count = with_residuals ? (with_direction ? 3 : 2) : 1;
    const Index size = static_cast<Index>(count) * k_;
    const Blocks basis{&x_, &r_, &d_}, image{&ax_, &ar_, &ad_};
    const int parts = p_.sweeps.threads();
    std::vector<Dense> inner(static_cast<std::size_t>(parts)), outer(static_cast<std::size_t>(parts));
    p_.sweeps.count(2.0 * count * k_, 0, true);
    formats::for_each_part(parts, [&](int part) {
      Dense s = Dense::Zero(size, size), a = Dense::Zero(size, size);
      Rows of_basis, of_image;
      for_chunks(part, [&](std::int64_t first, std::int64_t rows) {
        gather(basis, count, first, rows, of_basis);
        gather(image, count, first, rows, of_image);
        s.noalias() += of_basis.transpose() * of_basis;
        a.noalias() += of_basis.transpose() * of_image;
      });
      inner[static_cast<std::size_t>(part)] = std::move(s);
      outer[static_cast<std::size_t>(part)] = std::move(a);
    });
    Dense s = Dense::Zero(size, size), a = Dense::Zero(size, size);
    for (int part = 0; part < parts; ++part) {
      s += inner[static_cast<std::size_t>(part)];
      a += outer[static_cast<std::size_t>(part)];
    }
    // Residuals shrink and the basis is not orthogonal: every vector to the length 1 first.
    const Eigen::VectorXd scale = s.diagonal().array().max(1e-300).rsqrt();
    s = (scale.asDiagonal() * s * scale.asDiagonal()).eval();
    a = (scale.asDiagonal() * (a + a.transpose()) / 2 * scale.asDiagonal()).eval();
    const Eigen::LLT<Dense> factor(s);
    if (factor.info() != Eigen::Success || factor.rcond() < 1e-12) return false;
    const Eigen::GeneralizedSelfAdjointEigenSolver<Dense> solver(a, s);
    if (solver.info() != Eigen::Success) return false;
    values_ = solver.eigenvalues().head(k_);
    const Dense c = scale.asDiagonal() * solver.eigenvectors().leftCols(k_);
    update(basis, image, count, c);
    return true;
  }

  // x = basis·c, d the same without x's own part; and their images.
  void update(const Blocks& basis, const Blocks& image, int count, const Dense& c) {
    p_.sweeps.count(2.0 * count * k_, 4.0 * k_, false);
    formats::for_each_part(p_.sweeps.threads(), [&](int part) {
      Rows from;
      Dense direction(rows_at_once, k_), block(rows_at_once, k_);
      const auto one = [&](const Blocks& blocks, Vector& to_x, Vector& to_d, std::int64_t first, std::int64_t rows) {
        gather(blocks, count, first, rows, from);
        const Index rest = from.cols() - k_;
        direction.topRows(rows).noalias() = from.rightCols(rest) * c.bottomRows(rest);
        block.topRows(rows).noalias() = from.leftCols(k_) * c.topRows(k_);
        block.topRows(rows) += direction.topRows(rows);
        Eigen::Map<Rows>(to_d.data() + first * k_, rows, k_) = direction.topRows(rows);
        Eigen::Map<Rows>(to_x.data() + first * k_, rows, k_) = block.topRows(rows);
      };
      for_chunks(part, [&](std::int64_t first, std::int64_t rows) {
        one(basis, x_, d_, first, rows);
        one(image, ax_, ad_, first, rows);
      });
    });
  }

  Problem& p_;
  int k_;
  std::int64_t n_;
  Vector x_, r_, d_, ax_, ar_, ad_, one_, other_;
  Eigen::VectorXd values_;
  double largest_image_ = 0;  ///< ‖A·x‖ of vectors of length 1, among them the random ones of the start
};
}  // namespace

void run_lobpcg(Problem& p, History& history, int block, std::vector<double>& eigenvalues) {
  if (3 * static_cast<std::int64_t>(block) > p.rows())
    return history.break_down("three blocks have more vectors than the matrix has rows");
  Lobpcg state(p, block);
  eigenvalues = state.values();
  double residual = state.residuals();
  history.begin(residual);
  bool direction = false;
  int anew = most_continuations - 1;
  for (bool on = true; on;) {
    state.precondition();
    if (state.iterate(direction)) {
      direction = true;
    } else if (direction) {
      direction = false;  // begin anew from here, without it
    } else {
      return history.break_down("the vectors of the block have become dependent on each other");
    }
    residual = state.residuals();
    eigenvalues = state.values();
    on = history.goes_on(residual);
    if (on || history.ending() != Ending::converged) continue;
    residual = state.true_residuals();
    history.correct(residual);
    on = history.goes_on_from(residual) && anew-- > 0;
    if (on) history.begin(residual);
  }
}
}  // namespace sparsecast::solving
