
#include "formats/csr_vectors.hpp"
#include "formats/kernel_list.hpp"
#include "formats/structured/mirrored_sums.hpp"
#include "matrix/structure/symmetry.hpp"

namespace sparsecast::formats {
template <class Value, class Index>
std::int64_t CsrSym<Value, Index>::bytes() const {
  return array_bytes(row_pointers) + array_bytes(column_indices) + array_bytes(values) + array_bytes(diagonal);
}

std::int64_t csr_sym_bytes(const Structure& structure, int value_bytes) {
  if (structure.symmetry.symmetric != 1) return csr_bytes(structure, value_bytes);
  const std::int64_t below = (structure.nonzeros - structure.symmetry.diagonal) / 2, offset = sizeof(std::int64_t);
  return saturating_sum(saturating_product(below, index_bytes(structure.rows, structure.cols) + value_bytes),
                        (structure.rows + 1) * offset + structure.rows * value_bytes);
}

std::string csr_sym_refusal(const Structure& structure) {
  if (structure.symmetry.symmetric < 0) return "the structure does not tell whether the values are symmetric";
  if (structure.symmetry.symmetric == 0) return "its values are not symmetric";
  if (csr_sym_bytes(structure, 8) > csr_bytes(structure, 8)) return "it has only diagonal entries";
  return {};
}

template <class Value, class Index>
CsrSym<Value, Index> to_csr_sym(const Matrix& matrix, int threads) {
  const std::int64_t rows = matrix.rows();
  CsrSym<Value, Index> sym{rows, {}, {}, {}, {}};
  allocate(sym.row_pointers, rows + 1, "csr-sym");
  allocate(sym.diagonal, rows, "csr-sym");
  sym.row_pointers[0] = 0;
  matrix.visit([&](const auto& csr) {
    const auto columns = csr.column_indices.begin();
    const auto first_from = [&](std::int64_t row) {  // of the row's entries, on the diagonal or behind it
      return std::lower_bound(columns + csr.row_pointers[row], columns + csr.row_pointers[row + 1], row) - columns;
    };
    for_each_part(threads, [&](int part) {
      for (std::int64_t row = part_begin(rows, part, threads); row < part_begin(rows, part + 1, threads); ++row)
        sym.row_pointers[row + 1] = first_from(row) - csr.row_pointers[row];
    });
    for (std::int64_t row = 0; row < rows; ++row) sym.row_pointers[row + 1] += sym.row_pointers[row];
    allocate(sym.column_indices, sym.row_pointers[rows], "csr-sym");
    allocate(sym.values, sym.row_pointers[rows], "csr-sym");

    const auto bounds = rows_by_nonzeros(sym.row_pointers.data(), rows, threads);
    for_each_part(threads, [&](int part) {
      for (std::int64_t row = bounds[part]; row < bounds[part + 1]; ++row) {
        std::int64_t from = csr.row_pointers[row];
        for (std::int64_t k = sym.row_pointers[row]; k < sym.row_pointers[row + 1]; ++k, ++from) {
          sym.column_indices[k] = static_cast<Index>(csr.column_indices[from]);
          sym.values[k] = static_cast<Value>(csr.values[from]);
        }
        const bool filled = from < csr.row_pointers[row + 1] && csr.column_indices[from] == row;
        sym.diagonal[row] = filled ? stored<Value>(csr.values[from]) : padding_value<Value>;
      }
    });
  });
  return sym;
}

#define SPARSECAST_INSTANTIATE(Value, Index) \
  template struct CsrSym<Value, Index>;      \
  template CsrSym<Value, Index> to_csr_sym(const Matrix&, int);
SPARSECAST_FOR_INDICES(SPARSECAST_INSTANTIATE)
#undef SPARSECAST_INSTANTIATE

// Host product `csr-sym`: rows dealt by their entries below the diagonal.

namespace {
template <class Value, class Index>
class CsrSymProduct final : public HostProduct<Value> {
 public:
  CsrSymProduct(const Matrix& matrix, int threads)
      : sym_(to_csr_sym<Value, Index>(matrix, threads)),
        rows_(rows_by_nonzeros(sym_.row_pointers.data(), sym_.rows, threads)),
        parts_(rows_, "csr-sym", [&](int part) {
          // Columns ascend within a row: the first of each is the lowest.
          std::int64_t low = rows_[part];
          for (std::int64_t row = rows_[part]; row < rows_[part + 1]; ++row)
            if (const std::int64_t k = sym_.row_pointers[row]; k < sym_.row_pointers[row + 1])
              low = std::min<std::int64_t>(low, sym_.column_indices[k]);
          return low;
        }) {}

  void apply(std::span<const Value> x, std::span<Value> y) const override {
    const auto sums = mirrored_sums<Value, Index>();
    parts_.run(y.data(),
               [&](int part, Value* far) { sums.rows(sym_, rows_[part], rows_[part + 1], x.data(), y.data(), far); });
  }
  [[nodiscard]] std::int64_t bytes() const override { return sym_.bytes(); }

 private:
  CsrSym<Value, Index> sym_;
  std::vector<std::int64_t> rows_;
  MirroredParts<Value> parts_;
};
}  // namespace

template <class Value>
std::unique_ptr<HostProduct<Value>> build_csr_sym(const Matrix& matrix, int threads) {
  if (matrix::value_symmetry(matrix, threads).symmetric != 1) return build_csr<Value>(matrix, threads);
  return build_with_index<CsrSymProduct, Value>(matrix, threads);
}

// Kernel `csr-sym`: half of the entries, each of which is added twice.

void count_mirrored(const Structure& s, const WorkContext& context, Workload& w) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  const double below = number(s.nonzeros - s.symmetry.diagonal) / 2;
  w.slots = std::max(1.0, below + w.rows);
  w.mispredictions = mispredicted_share(s) * number(s.rows);
  // Rows of earlier parts that a part adds to: those within the bandwidth.
  for (int part = 1; part < context.threads; ++part)
    w.overflow += std::min(number(s.diagonal_bandwidth), w.rows * part / context.threads);
  w.thread_parts = parts_in_order(s, by_nonzeros, context.threads);
  count_remembered(s, false, w);
}

KernelInfo csr_sym_kernel() {
  return {.name = "csr-sym",
          .format = "csr-sym",
          .unit = WorkUnit::balanced,
          .form = PaperForm::csr,
          .summary = "symmetric: lower triangle, both products at once",
          .source = "Schubert et al. 2011",
          .host = {csr_sym_bytes, build_csr_sym<float>, build_csr_sym<double>},
          .made_for = MadeFor::symmetry,
          .refusal = csr_sym_refusal,
          .padding = Padding::triangle,
          .count = count_mirrored,
          .whole_only = true};
}
}  // namespace sparsecast::formats
