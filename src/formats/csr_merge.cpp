// A part writes the rows that end in it; what it has of a row that ends in a later part is carried over and added
// afterwards, in the order of the parts.

#include "formats/csr_merge.hpp"

#include <vector>

#include "formats/csr_vectors.hpp"
#include "formats/parts/split.hpp"
#include "formats/product_dots.hpp"
#include "formats/simd/row_sums.hpp"

namespace sparsecast::formats {
namespace {
template <class Value>
class CsrMergeProduct final : public CsrBased<Value> {
 public:
  CsrMergeProduct(const Matrix& matrix, int threads) : CsrBased<Value>(matrix, threads) {
    csr_.visit([&](const auto& csr) { points_ = merge_path_partition(csr.row_pointers, csr.rows, threads); });
    for (const MergeCoordinate& point : points_) rows_.push_back(point.row);  // what cuts no rows deals whole ones
  }

  void apply(std::span<const Value> x, std::span<Value> y) const override {
    const int parts = static_cast<int>(points_.size()) - 1;
    std::vector<Value> carry(static_cast<std::size_t>(parts));
    csr_.visit([&](const auto& csr) {
      using View = std::decay_t<decltype(csr)>;
      const auto sums = row_sums<Value, typename View::Offset, typename View::Index>();
      for_each_part(parts, [&](int part) {
        const MergeCoordinate begin = points_[part], end = points_[part + 1];
        std::int64_t row = begin.row, nonzero = begin.nonzero;
        if (row < end.row) {
          y[row] = sums.part(csr, nonzero, csr.row_pointers[row + 1], x.data());
          sums.rows(csr, row + 1, end.row, x.data(), y.data());
          nonzero = csr.row_pointers[end.row];
        }
        carry[part] = sums.part(csr, nonzero, end.nonzero, x.data());
      });
      for (int part = 0; part < parts; ++part)
        if (points_[part + 1].row < csr.rows) y[points_[part + 1].row] += carry[part];
    });
  }

  // Rows that end in a part are whole but for its first one, to which parts before may carry.
  [[nodiscard]] bool apply_with_dots(const Value* w, const Value* x, Value* y, DotSums<Value>& dots) const override {
    struct alignas(64) Part {
      Value carry{};
      DotSums<Value> dots;
    };
    const int parts = static_cast<int>(points_.size()) - 1;
    std::vector<Part> of(static_cast<std::size_t>(parts));
    csr_.visit([&](const auto& csr) {
      using View = std::decay_t<decltype(csr)>;
      const auto sums = row_sums<Value, typename View::Offset, typename View::Index>();
      for_each_part(parts, [&](int part) {
        const MergeCoordinate begin = points_[part], end = points_[part + 1];
        std::int64_t nonzero = begin.nonzero;
        if (begin.row < end.row) {
          y[begin.row] = sums.part(csr, nonzero, csr.row_pointers[begin.row + 1], x);
          for (std::int64_t first = begin.row + 1; first < end.row; first += dotted_rows) {
            const std::int64_t last = std::min(end.row, first + dotted_rows);
            sums.rows(csr, first, last, x, y);
            of[part].dots += dots_of_rows<Value>(last - first, w + first, y + first);
          }
          nonzero = csr.row_pointers[end.row];
        }
        of[part].carry = sums.part(csr, nonzero, end.nonzero, x);
      });
      for (int part = 0; part < parts; ++part)
        if (points_[part + 1].row < csr.rows) y[points_[part + 1].row] += of[part].carry;
    });
    for (int part = 0; part < parts; ++part) {
      const std::int64_t first = points_[part].row;
      if (first < points_[part + 1].row) of[part].dots += dots_of_rows<Value>(1, w + first, y + first);
      dots += of[part].dots;
    }
    return true;
  }

  // The same with a carry for every vector.
  void apply_block(const Scaling<Value>& scaling, const Vectors<const Value>& x, const Vectors<Value>& y,
                   Workspace<Value>& workspace) const override {
    if constexpr (is_complex_value<Value>) {
      CsrBased<Value>::apply_block(scaling, x, y, workspace);
    } else {
      const ByRows<Value> by_rows(x, this->bytes(), workspace);
      const BlockTask<Value> task = block_task(scaling, by_rows.vectors(), y, this->bytes(), true);
      const std::int64_t parts = std::ssize(points_) - 1;
      auto carry = workspace.borrow(saturating_product(parts, y.vectors));
      csr_.visit([&](const auto& csr) {
        for_each_part(static_cast<int>(parts), [&](int part) {
          const MergeCoordinate begin = points_[part], end = points_[part + 1];
          std::int64_t nonzero = begin.nonzero;
          if (begin.row < end.row) {
            part_of_row(csr, nonzero, csr.row_pointers[begin.row + 1], task, task.y + begin.row * task.y_row);
            block_of_rows(csr_, begin.row + 1, end.row, task);
            nonzero = csr.row_pointers[end.row];
          }
          BlockTask<Value> of_carry{task.x, task.x_stride, task.vectors};
          of_carry.alpha = task.alpha;
          part_of_row(csr, nonzero, end.nonzero, of_carry, carry.data() + part * y.vectors);
        });
        for (std::int64_t part = 0; part < parts; ++part) {
          const std::int64_t row = points_[static_cast<std::size_t>(part) + 1].row;
          if (row >= csr.rows) continue;
          Value* to = task.y + row * task.y_row;
          for (std::int64_t v = 0; v < y.vectors; ++v) to[v * task.y_vector] += carry.data()[part * y.vectors + v];
        }
      });
    }
  }

 private:
  // Entries first … last − 1, all of one row, times the vectors of the task, to y.
  template <class Csr>
  static void part_of_row(const Csr& csr, std::int64_t first, std::int64_t last, BlockTask<Value> task, Value* y) {
    using Offset = typename Csr::Offset;
    const std::array<Offset, 2> ends{static_cast<Offset>(first), static_cast<Offset>(last)};
    task.y = y;
    block_rows<Value, Offset, typename Csr::Index>().rows({1, csr.cols, ends.data(), csr.column_indices, csr.values}, 0,
                                                          1, task);
  }

  using CsrBased<Value>::csr_, CsrBased<Value>::rows_;
  std::vector<MergeCoordinate> points_;
};
}  // namespace

template <class Value>
std::unique_ptr<HostProduct<Value>> build_csr_merge(const Matrix& matrix, int threads) {
  return std::make_unique<CsrMergeProduct<Value>>(matrix, threads);
}
template std::unique_ptr<HostProduct<float>> build_csr_merge(const Matrix&, int);
template std::unique_ptr<HostProduct<double>> build_csr_merge(const Matrix&, int);
template std::unique_ptr<HostProduct<std::complex<float>>> build_csr_merge(const Matrix&, int);
template std::unique_ptr<HostProduct<std::complex<double>>> build_csr_merge(const Matrix&, int);
}  // namespace sparsecast::formats
