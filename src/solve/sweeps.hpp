#pragma once
// Passes over the vectors of a solve, on the plan's threads: every thread goes through its own rows, sums are added in
// the order of the parts, so that the result is the same in every run. What is read and written is named with each pass
// and counted as it runs.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <sparsecast/array.hpp>
#include <vector>

#include "formats/parts/split.hpp"
#include "formats/simd/vector_loops.hpp"
#include "solve/step.hpp"

namespace sparsecast::solve {

class Sweeps {
 public:
  Sweeps(std::int64_t rows, int threads);

  /// body(begin, end) goes through those rows of the vectors `reads` and `writes`; a vector that is updated stands in
  /// both.
  template <class Body>
  void run(std::initializer_list<const double*> reads, std::initializer_list<const double*> writes, const Body& body) {
    count(static_cast<double>(reads.size()), static_cast<double>(writes.size()), false);
    formats::for_each_part(parts_, [&](int part) { body(begin(part), begin(part + 1)); });
  }
  /// The same where body returns a sum of its rows: the sum of all.
  template <class Body>
  double sum(std::initializer_list<const double*> reads, std::initializer_list<const double*> writes,
             const Body& body) {
    count(static_cast<double>(reads.size()), static_cast<double>(writes.size()), true);
    formats::for_each_part(parts_,
                           [&](int part) { partial_[at(part)].sums.first = body(begin(part), begin(part + 1)); });
    return total().first;
  }
  /// The same with two sums.
  template <class Body>
  formats::TwoSums two_sums(std::initializer_list<const double*> reads, std::initializer_list<const double*> writes,
                            const Body& body) {
    count(static_cast<double>(reads.size()), static_cast<double>(writes.size()), true);
    formats::for_each_part(parts_, [&](int part) { partial_[at(part)].sums = body(begin(part), begin(part + 1)); });
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
  [[nodiscard]] std::int64_t begin(int part) const;
  [[nodiscard]] formats::TwoSums total() const;

  std::int64_t rows_;
  int parts_;
  const formats::VectorLoops* loops_;
  std::vector<Partial> partial_;
  std::vector<double> projections_;  // of every part
};

}  // namespace sparsecast::solve
