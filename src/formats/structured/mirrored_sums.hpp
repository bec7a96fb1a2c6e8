#pragma once
// The inner loops of CSR-SYM and SELL-SYM, in the versions of simd.hpp. An entry is read once and added twice.

#include <atomic>

#include "base/team.hpp"
#include "formats/parts/sizes.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/simd.hpp"
#include "formats/structured/csr_sym.hpp"
#include "formats/structured/sell_sym.hpp"

namespace sparsecast::formats {
// Products of CSR-SYM and SELL-SYM on several threads. A part owns rows in order; what it adds to rows of earlier parts
// goes to a piece of y of its own, no longer than the band, and afterwards every part adds the others' pieces to its
// rows, in the order of the parts: the result depends on the number of parts alone.

template <class Value>
class MirroredParts {
 public:
  /// `rows`: the first of every part, and their end. lowest(part): the lowest row that it adds to.
  template <class Lowest>
  MirroredParts(std::vector<std::int64_t> rows, const char* format, const Lowest& lowest) : rows_(std::move(rows)) {
    std::int64_t size = 0;
    for (int part = 0; part < count(); ++part) {
      far_.push_back({std::min<std::int64_t>(rows_[part], lowest(part)), size});
      size += rows_[part] - far_.back().low;
    }
    // Places are counted from the first slot, even where none is used.
    allocate(pieces_, std::max<std::int64_t>(size, 1), format);
  }

  [[nodiscard]] int count() const { return static_cast<int>(rows_.size()) - 1; }
  [[nodiscard]] std::int64_t first(int part) const { return rows_[part]; }
  [[nodiscard]] std::int64_t low(int part) const { return far_[part].low; }

  /// Calls multiply(part, far) for every part, where far[r] is its place for row r of an earlier part, and adds what
  /// they put there to y.
  template <class Multiply>
  void run(Value* y, const Multiply& multiply) const {
    // A second caller at the same time brings pieces of its own.
    const bool alone = !in_use_.exchange(true, std::memory_order_acquire);
    Array<Value> own;
    if (!alone) own.resize(pieces_.size());
    Value* pieces = alone ? pieces_.data() : own.data();
    const auto own_rows = [&](int part) {
      const auto [low, begin] = far_[part];
      std::fill_n(pieces + begin, rows_[part] - low, Value{0});
      multiply(part, pieces + begin - low);
    };
    const auto collect = [&](int part) {
      for (int other = part + 1; other < count(); ++other) {
        const std::int64_t low = far_[other].low, last = std::min(rows_[part + 1], rows_[other]);
        const Value* piece = pieces + far_[other].begin - low;
        for (std::int64_t row = std::max(rows_[part], low); row < last; ++row) y[row] += piece[row];
      }
    };
    if (count() == 1) {
      own_rows(0);
    } else {
      const int parts = count();
#pragma omp parallel num_threads(base::team_of(std::min(parts, base::most_in_team())))
      {
#pragma omp for schedule(static, 1)
        for (int part = 0; part < parts; ++part) own_rows(part);
#pragma omp for schedule(static, 1)
        for (int part = 0; part < parts; ++part) collect(part);
      }
    }
    if (alone) in_use_.store(false, std::memory_order_release);
  }

 private:
  struct Far {
    std::int64_t low = 0;    // lowest row that the part adds to
    std::int64_t begin = 0;  // of its piece, which ends at the part's first row
  };

  std::vector<std::int64_t> rows_;
  std::vector<Far> far_;  // of every part
  mutable Array<Value> pieces_;
  mutable std::atomic<bool> in_use_{false};
};

/// y = alpha·A·x + beta·y. `far` takes what is added to rows that are not the caller's.
template <class Value>
struct MirroredTask {
  const Value* x = nullptr;
  Value* y = nullptr;
  Value* far = nullptr;
  Value alpha = 1, beta = 0;
};

template <class Value, class Index>
struct MirroredSums {
  /// Rows first … last − 1 in ascending order: y[r] becomes the row's sum over its stored entries, and every entry
  /// (r, c) adds a·x[r] to y[c], or to far[c] where c < first, which is not these rows'. The columns of a row are
  /// distinct, so that its additions to y do not meet.
  void (*rows)(const CsrSym<Value, Index>& sym, std::int64_t first, std::int64_t last, const Value* x, Value* y,
               Value* far);
  /// The same of rows that windows begin and end with, scaled.
  void (*slices)(const SellSym<Value, Index>& sym, std::int64_t first, std::int64_t last,
                 const MirroredTask<Value>& task);
};

template <class Value, class Index>
[[nodiscard]] MirroredSums<Value, Index> mirrored_sums(Simd simd = best_simd());
}  // namespace sparsecast::formats
