#pragma once
// What a method works on: the plan of the matrix, the preconditioner and passes over vectors, all counted.

#include <initializer_list>
#include <sparsecast/plan.hpp>

#include "solving/handover.hpp"
#include "solving/preconditioners/preconditioner.hpp"

namespace sparsecast::solving {
// Passes over the vectors of a solve, on the plan's threads: every thread goes through its own rows, sums are added in
// the order of the parts, so that the result is the same in every run. What is read and written is named with each pass
// and counted as it runs.

class Sweeps {
 public:
  /// `shared` tells which rows of an operand other threads read too; it may be empty and must outlive this.
  Sweeps(std::int64_t rows, int threads, const SharedRows* shared = nullptr);

  /// body(begin, end) goes through those rows of the vectors `reads` and `writes`; a vector that is updated stands in
  /// both. A pass that writes the operand of the next product is body(loops, begin, end) and stores it by those loops:
  /// around the caches in rows that several threads read.
  template <class Body>
  void run(std::initializer_list<const double*> reads, std::initializer_list<const double*> writes, const Body& body) {
    count(static_cast<double>(reads.size()), static_cast<double>(writes.size()), false);
    formats::for_each_part(parts_, [&](int part) { go(part, body, [](auto&& stretch) { stretch(); }); });
  }
  /// The same where body returns a sum of its rows: the sum of all.
  template <class Body>
  double sum(std::initializer_list<const double*> reads, std::initializer_list<const double*> writes,
             const Body& body) {
    count(static_cast<double>(reads.size()), static_cast<double>(writes.size()), true);
    formats::for_each_part(parts_, [&](int part) {
      double all = 0;
      go(part, body, [&](auto&& stretch) { all += stretch(); });
      partial_[at(part)].sums.first = all;
    });
    return total().first;
  }
  /// The same with two sums.
  template <class Body>
  formats::TwoSums two_sums(std::initializer_list<const double*> reads, std::initializer_list<const double*> writes,
                            const Body& body) {
    count(static_cast<double>(reads.size()), static_cast<double>(writes.size()), true);
    formats::for_each_part(parts_, [&](int part) {
      formats::TwoSums all;
      go(part, body, [&](auto&& stretch) {
        const formats::TwoSums sums = stretch();
        all.first += sums.first;
        all.second += sums.second;
      });
      partial_[at(part)].sums = all;
    });
    return total();
  }

  /// h[j] = basis[j]·w, all in one pass.
  void project(std::span<const double* const> basis, const double* w, std::span<double> h);
  /// w = before·w + Σ h[j]·basis[j], before being 0 or 1; w·w.
  double combine(std::span<const double* const> basis, std::span<const double> h, double before, double* w);

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] int threads() const { return parts_; }
  [[nodiscard]] const formats::VectorLoops& loops() const { return *loops_; }

  /// For passes that are made elsewhere.
  void count(double reads, double writes, bool sums);
  Amounts counted;

 private:
  // On a line of its own, so that no two threads write one.
  struct alignas(64) Partial {
    formats::TwoSums sums;
  };

  static std::size_t at(int part) { return static_cast<std::size_t>(part); }
  // Multiples of eight rows: no two threads write one line, and vectors are whole registers.
  [[nodiscard]] std::int64_t begin(int part) const { return pass_begin(rows_, part, parts_); }
  [[nodiscard]] formats::TwoSums total() const;

  // take(stretch) for every stretch of the part's rows: all of them, or those that are stored alike.
  template <class Body, class Take>
  void go(int part, const Body& body, const Take& take) const {
    const std::int64_t first = begin(part), last = begin(part + 1);
    if constexpr (std::is_invocable_v<Body, const formats::VectorLoops&, std::int64_t, std::int64_t>) {
      if (shared_ == nullptr || shared_->empty()) return take([&] { return body(*loops_, first, last); });
      for (std::int64_t from = first, to = from; from < last; from = to) {
        const bool around = shared_->at(from);
        to = std::min(last, shared_->end_of_stretch(from));
        take([&] { return body(around ? *around_ : *loops_, from, to); });
      }
    } else {
      take([&] { return body(first, last); });
    }
  }

  std::int64_t rows_;
  int parts_;
  const formats::VectorLoops *loops_, *around_;
  const SharedRows* shared_;
  std::vector<Partial> partial_;
  std::vector<double> projections_;  // of every part
};

// The residual of a solve as it goes: when it is done, and when it will not be.

struct RunOptions {
  double tolerance = 1e-8;       ///< of the residual, relative to the right-hand side
  std::int64_t iterations = 0;   ///< at most so many; 0: as many as the tolerance takes
  bool until_tolerance = true;   ///< false: so many iterations, however small the residual
  std::int64_t most = 100'000;   ///< where no number is given
  std::int64_t patience = 2000;  ///< iterations without progress that count as stagnation
};

enum class Ending { converged, limit, stagnated, diverged, broke_down };

class History {
 public:
  explicit History(const RunOptions& options);

  /// The clock starts: everything before is preparation. `residual`: relative, of the first guess. Where there were
  /// iterations already, it goes on.
  void begin(double residual);
  /// After every iteration, or after so many at once; false where it was the last.
  [[nodiscard]] bool goes_on(double residual, std::int64_t iterations = 1);
  /// The method cannot go on, and why.
  void break_down(std::string reason);

  [[nodiscard]] std::int64_t iterations() const { return iterations_; }
  [[nodiscard]] double seconds() const { return seconds_; }  ///< of the iterations alone
  /// From the making of this history to the first iteration.
  [[nodiscard]] double preparation_s() const { return preparation_s_; }
  [[nodiscard]] Ending ending() const { return ending_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] double residual() const { return residual_; }
  /// Of every iteration while there are few, then of every second, fourth …: at most 2000.
  [[nodiscard]] const std::vector<double>& residuals() const { return kept_; }
  [[nodiscard]] std::int64_t every() const { return every_; }
  /// "1, 0.1, 0.02, …": eight of them.
  [[nodiscard]] std::string text() const;

 private:
  bool end(Ending ending);

  RunOptions options_;
  std::int64_t iterations_ = 0, best_at_ = 0, every_ = 1;
  double start_s_ = 0, preparation_s_ = 0, seconds_ = 0, residual_ = 1, first_ = 1, best_ = 1;
  Ending ending_ = Ending::limit;
  std::string reason_;
  std::vector<double> kept_;
};

/// A Hermitian system is one of real numbers, twice as many: the two parts of each value lie side by side, and the sums
/// of the methods are the real parts of complex ones, whose imaginary parts are zero. `rows` counts these numbers.
struct Problem {
  const Plan& plan;
  const Preconditioner& preconditioner;
  Preconditioning applied;
  Sweeps& sweeps;
  const Vector& b;
  double b_norm = 1;

  [[nodiscard]] std::int64_t rows() const { return sweeps.rows(); }
  [[nodiscard]] Vector vector() const { return Vector(static_cast<std::size_t>(rows()), 0.0); }
  [[nodiscard]] const formats::VectorLoops& loops() const { return sweeps.loops(); }
  [[nodiscard]] double relative(double square) const;

  /// y = A·x
  void product(const Vector& x, Vector& y);
  /// y = Aᵀ·x
  void transposed(const Vector& x, Vector& y);
  /// z = M⁻¹·r in a step of its own
  void precondition(const Vector& r, Vector& z);
  /// r = b − A·x; r·r
  double residual(const Vector& x, Vector& r);
  double dot(const Vector& x, const Vector& y);
};

// The methods: from x on, until the history says that it is enough. What `answer` is of the eigenvalue methods is in x,
// and the eigenvalues in `eigenvalues`.
void run_cg(Problem& problem, History& history, Vector& x);
void run_bicgstab(Problem& problem, History& history, Vector& x);
void run_gmres(Problem& problem, History& history, Vector& x, int restart);
void run_chebyshev(Problem& problem, History& history, Vector& x);
void run_jacobi(Problem& problem, History& history, Vector& x, const Vector& inverse_diagonal);
void run_power(Problem& problem, History& history, Vector& x, std::vector<double>& eigenvalues);
void run_pagerank(Problem& problem, History& history, Vector& x, const Vector& inverse_degrees);
void run_lobpcg(Problem& problem, History& history, int block, std::vector<double>& eigenvalues);

/// Steps of cg by which chebyshev finds its bounds.
inline constexpr int chebyshev_bound_steps = 40;
}  // namespace sparsecast::solving
