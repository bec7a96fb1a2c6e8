// Host product `bsr`: groups of rows dealt to threads by their blocks.

#include <algorithm>

#include "formats/csr_vectors.hpp"
#include "formats/host_builders.hpp"
#include "formats/parts/index_choice.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/many_vectors.hpp"
#include "formats/simd/past_caches.hpp"
#include "formats/structured/block_sums.hpp"
#include "formats/structured/bsr.hpp"

namespace sparsecast::formats {
namespace {

template <class Value, class Index>
class BsrProduct final : public HostProduct<Value> {
 public:
  BsrProduct(const Matrix& matrix, int threads)
      : bsr_(to_bsr<Value, Index>(matrix, threads)),
        groups_(rows_by_nonzeros(bsr_.block_pointers.data(), bsr_.row_groups(), threads)) {}

  void apply(std::span<const Value> x, std::span<Value> y) const override {
    const auto sums = block_sums<Value, Index>(bsr_.block_rows, bsr_.block_cols);
    for_each_part(static_cast<int>(groups_.size()) - 1,
                  [&](int part) { sums.groups(bsr_, groups_[part], groups_[part + 1], x.data(), y.data()); });
  }
  [[nodiscard]] std::int64_t bytes() const override { return bsr_.bytes(); }

  void apply_block(const Scaling<Value>& scaling, const Vectors<const Value>& x, const Vectors<Value>& y,
                   Workspace<Value>& workspace) const override {
    const ByRows<Value> by_rows(x, workspace);
    const BlockTask<Value> task = block_task(scaling, by_rows.vectors(), y, bytes());
    const auto sums = formats::block_groups<Value, Index>();
    const std::int64_t slots = std::int64_t{bsr_.block_rows} * bsr_.block_cols;
    for_each_part(static_cast<int>(groups_.size()) - 1, [&](int part) {
      for (std::int64_t group = groups_[part]; group < groups_[part + 1]; ++group) {
        const std::int64_t begin = bsr_.block_pointers[group], row = group * bsr_.block_rows;
        sums.group({bsr_.values.data() + begin * slots, bsr_.column_indices.data() + begin,
                    bsr_.block_pointers[group + 1] - begin, bsr_.block_rows, bsr_.block_cols, row,
                    static_cast<int>(std::min<std::int64_t>(bsr_.block_rows, bsr_.rows - row))},
                   task);
      }
      if (task.past_caches) finish_past_caches();
    });
  }

 private:
  Bsr<Value, Index> bsr_;
  std::vector<std::int64_t> groups_;
};

}  // namespace

template <class Value>
std::unique_ptr<HostProduct<Value>> build_bsr(const Matrix& matrix, int threads) {
  return build_with_index<BsrProduct, Value>(matrix, threads);
}
template std::unique_ptr<HostProduct<float>> build_bsr(const Matrix&, int);
template std::unique_ptr<HostProduct<double>> build_bsr(const Matrix&, int);

}  // namespace sparsecast::formats
