// Kernel `csr-pairs`: CSR with two sums per row, so that an addition waits for the one before the last and not for the
// last. Rows are dealt by non-zeros.

#include <algorithm>

#include "formats/csr.hpp"
#include "formats/kernel_list.hpp"
#include "formats/parts/split.hpp"

namespace sparsecast::formats {
namespace {

template <class Value>
class CsrPairs final : public HostProduct<Value> {
 public:
  CsrPairs(const Matrix& matrix, int threads) : csr_(to_csr<Value>(matrix, threads)) {
    csr_.visit([&](const auto& csr) { rows_ = rows_by_nonzeros(csr.row_pointers, csr.rows, threads); });
  }
  void apply(std::span<const Value> x, std::span<Value> y) const override {
    csr_.visit([&](const auto& csr) {
      for_each_part(static_cast<int>(rows_.size()) - 1, [&](int part) {
        for (std::int64_t row = rows_[part]; row < rows_[part + 1]; ++row) {
          Value even = 0, odd = 0;
          std::int64_t k = csr.row_pointers[row];
          const std::int64_t end = csr.row_pointers[row + 1];
          for (; k + 1 < end; k += 2) {
            even += csr.values[k] * x[csr.column_indices[k]];
            odd += csr.values[k + 1] * x[csr.column_indices[k + 1]];
          }
          if (k < end) even += csr.values[k] * x[csr.column_indices[k]];
          y[row] = even + odd;
        }
      });
    });
  }
  [[nodiscard]] std::int64_t bytes() const override { return csr_.bytes(); }

 private:
  CsrLayout<Value> csr_;
  std::vector<std::int64_t> rows_;
};

template <class Value>
std::unique_ptr<HostProduct<Value>> build(const Matrix& matrix, int threads) {
  return std::make_unique<CsrPairs<Value>>(matrix, threads);
}

// Each sum has every other entry of the row: those beyond what two of them overlap wait.
void count(const Structure& s, const WorkContext& context, Workload& w) {
  count_row_ends(s, w);
  for (const RowLengthCount& entry : s.row_histogram)
    w.chained += std::max(0.0, static_cast<double>(entry.length) / 2 - Workload::chain_free) * 2 *
                 static_cast<double>(entry.rows);
  w.thread_parts = parts_in_order(s, by_nonzeros, context.threads);
}

}  // namespace

KernelInfo csr_pairs_kernel() {
  return {.name = "csr-pairs",
          .format = csr_format,
          .unit = WorkUnit::balanced,
          .form = PaperForm::csr,
          .summary = "two sums per row",
          .source = "docs/extending-kernel.md",
          .host = {csr_bytes, build<float>, build<double>},
          .count = count};
}

}  // namespace sparsecast::formats
