// Host product `csr-merge`: CSR cut along the merge path. A part writes the rows that end in it; what it has of a row
// that ends in a later part is carried over and added afterwards, in the order of the parts.

#include "formats/csr_vectors.hpp"
#include "formats/host_builders.hpp"
#include "formats/parts/merge_path.hpp"
#include "formats/parts/split.hpp"
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

 private:
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

}  // namespace sparsecast::formats
