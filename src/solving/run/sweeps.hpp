#pragma once
// Passes over the vectors of a solve, on the plan's threads: every thread goes through its own rows, sums are added in
// the order of the parts, so that the result is the same in every run. What is read and written is named with each pass
// and counted as it runs.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "formats/simd/vector_loops.hpp"
#include "solving/handover.hpp"
#include "solving/step.hpp"

namespace sparsecast::solving {
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
}  // namespace sparsecast::solving
