#pragma once
// The forms in which the papers write the time of a kernel, as functions of two numbers of a matrix: its strips I and
// its row length P (Guo, Wang & Chen 2014, section 3.5; Wang, Gu & Li 2017, section 3.2). Each is fitted to the times
// of benchmark matrices whose I and P are known. Symbols as in the papers.

#include <optional>
#include <vector>

#include "forecast/papers/line.hpp"

namespace sparsecast::forecast {
/// The time of one benchmark matrix.
struct GridPoint {
  double strips = 0;      ///< I; for COO the strips of non-zeros
  double row_length = 0;  ///< P_NZ
  double seconds = 0;     ///< T
};

/// CSR with a (half-)warp per row: T = E(P) at a fixed I, T' = E'(I) at a fixed P of a benchmark matrix M with time T2;
/// forecast = E(P0) / T2 · E'(I0). Both have a break at P = the most threads per block: two lines each, M on P0's side.
class CsrForm {
 public:
  /// nullopt where the points hold no line in P or none in I.
  static std::optional<CsrForm> fit(const std::vector<GridPoint>& points, double break_at);
  [[nodiscard]] double operator()(double strips, double row_length) const;
  /// Whether the line on that side of the break was measured; where it was not, the other side's stands in for it.
  [[nodiscard]] bool has_line(double row_length) const { return row_length <= break_at_ ? has_below_ : has_above_; }

 private:
  struct Side {
    Line over_row_length;  // E
    Line over_strips;      // E'
    double reference_s;    // T2
  };
  static std::optional<Side> fit_side(const std::vector<GridPoint>& points);
  Side below_{}, above_{};
  bool has_below_ = false, has_above_ = false;
  double break_at_ = 0;
};

/// One thread per row (ELL, JAD, CSR-scalar): for each I, T = f(I)·P + g(I); f(I) linear in I; e(I), the time at a
/// fixed P1, linear in I; g(I) = e(I) − f(I)·P1. Forecast = f(I0)·P0 + g(I0).
class EllForm {
 public:
  static std::optional<EllForm> fit(const std::vector<GridPoint>& points);
  [[nodiscard]] double operator()(double strips, double row_length) const;

 private:
  Line f_, e_;
  double p1_ = 0;
};

/// COO: T linear in the strips of non-zeros.
class CooForm {
 public:
  static std::optional<CooForm> fit(const std::vector<GridPoint>& points);
  [[nodiscard]] double operator()(double strips) const { return line_(strips); }

 private:
  Line line_;
};
}  // namespace sparsecast::forecast
