#include "formats/jad.hpp"

#include "formats/kernel_list.hpp"
#include "formats/parts/row_lengths.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/lane_sums.hpp"

namespace sparsecast::formats {
template <class Value, class Index>
std::int64_t Jad<Value, Index>::bytes() const {
  return array_bytes(permutation) + array_bytes(diagonal_pointers) + array_bytes(column_indices) + array_bytes(values);
}

std::int64_t jad_bytes(const Structure& structure, int value_bytes) {
  const std::int64_t index = index_bytes(structure.rows, structure.cols);
  const std::int64_t entries = saturating_product(structure.nonzeros, index + value_bytes);
  const std::int64_t pointers = saturating_product(structure.row_max + 1, sizeof(std::int64_t));
  return saturating_sum(entries, saturating_sum(pointers, saturating_product(structure.rows, index)));
}

template <class Value, class Index>
Jad<Value, Index> to_jad(const Matrix& matrix, int threads) {
  constexpr std::int64_t block = 64;  // rows transposed at a time, as in to_ell
  Jad<Value, Index> jad{
      matrix.rows(), matrix.cols(), rows_by_length<Index>(matrix, matrix.rows(), threads), {}, {}, {}};
  matrix.visit([&](const auto& csr) {
    const auto length = [&](std::int64_t position) -> std::int64_t {
      const Index row = jad.permutation[position];
      return csr.row_pointers[row + 1] - csr.row_pointers[row];
    };
    const std::int64_t longest = jad.rows > 0 ? length(0) : 0;
    allocate(jad.diagonal_pointers, longest + 1, "jad");
    allocate(jad.column_indices, matrix.nonzeros(), "jad");
    allocate(jad.values, matrix.nonzeros(), "jad");
    jad.diagonal_pointers[0] = 0;
    std::int64_t having = jad.rows;  // positions whose row reaches diagonal d: the first ones
    for (std::int64_t d = 0; d < longest; ++d) {
      while (having > 0 && length(having - 1) <= d) --having;
      jad.diagonal_pointers[d + 1] = jad.diagonal_pointers[d] + having;
    }

    const std::int64_t blocks = (jad.rows + block - 1) / block;
    for_each_part(threads, [&](int part) {
      const std::int64_t last_block = part_begin(blocks, part + 1, threads);
      for (std::int64_t b = part_begin(blocks, part, threads); b < last_block; ++b) {
        const std::int64_t first = b * block;
        std::int64_t last = std::min(jad.rows, first + block);
        for (std::int64_t d = 0; d < length(first); ++d) {
          while (length(last - 1) <= d) --last;
          for (std::int64_t position = first; position < last; ++position) {
            const std::int64_t from = csr.row_pointers[jad.permutation[position]] + d;
            jad.column_indices[jad.diagonal_pointers[d] + position] = static_cast<Index>(csr.column_indices[from]);
            jad.values[jad.diagonal_pointers[d] + position] = static_cast<Value>(csr.values[from]);
          }
        }
      }
    });
  });
  return jad;
}

#define SPARSECAST_INSTANTIATE(Value, Index) \
  template struct Jad<Value, Index>;         \
  template Jad<Value, Index> to_jad(const Matrix&, int);
SPARSECAST_FOR_INDICES(SPARSECAST_INSTANTIATE)
#undef SPARSECAST_INSTANTIATE

// Host product `jad`: blocks of sorted rows; a block's sums stay in cache while its piece of every diagonal is added,
// and go to their rows at the end.

namespace {
template <class Value, class Index>
class JadProduct final : public HostProduct<Value> {
 public:
  JadProduct(const Matrix& matrix, int threads) : jad_(to_jad<Value, Index>(matrix, threads)) {
    // Positions dealt by non-zeros: the sum of the lengths before a position, from the diagonals' lengths.
    Array<std::int64_t> before;
    allocate(before, jad_.rows + 1, "jad");
    before[0] = 0;
    std::int64_t length = jad_.diagonals();
    for (std::int64_t position = 0; position < jad_.rows; ++position) {
      while (length > 0 && diagonal_rows(length - 1) <= position) --length;
      before[position + 1] = before[position] + length;
    }
    positions_ = rows_by_nonzeros(before.data(), jad_.rows, threads);
  }

  void apply(std::span<const Value> x, std::span<Value> y) const override {
    const auto sums = lane_sums<Value, Index>();
    for_each_part(static_cast<int>(positions_.size()) - 1, [&](int part) {
      alignas(64) std::array<Value, lane_block> block;  // else its place on the stack decides how fast it is
      const Value* values = jad_.values.data();
      const Index* columns = jad_.column_indices.data();
      for (std::int64_t first = positions_[part]; first < positions_[part + 1]; first += lane_block) {
        const std::int64_t count = std::min(lane_block, positions_[part + 1] - first);
        std::fill_n(block.begin(), count, Value{0});
        for (std::int64_t d = 0; d < jad_.diagonals(); ++d) {
          const std::int64_t reaching = std::min(count, diagonal_rows(d) - first);
          if (reaching <= 0) break;
          const std::int64_t slot = jad_.diagonal_pointers[d] + first;
          const std::int64_t next = d + 1 < jad_.diagonals() ? jad_.diagonal_pointers[d + 1] + first : first + count;
          sums.add_column(values + slot, columns + slot, reaching, values + next, columns + next, x.data(),
                          block.data());
        }
        for (std::int64_t i = 0; i < count; ++i) y[jad_.permutation[first + i]] = block[i];
      }
    });
  }
  [[nodiscard]] std::int64_t bytes() const override { return jad_.bytes(); }
  [[nodiscard]] int transposed_parts() const override { return static_cast<int>(positions_.size()) - 1; }
  void add_transposed(int part, Value alpha, const Value* x, Value* y) const override {
    pieces_of(part, [&](std::int64_t d, std::int64_t first, std::int64_t last) {
      const std::int64_t begin = jad_.diagonal_pointers[d];
      for (std::int64_t position = first; position < last; ++position)
        y[jad_.column_indices[begin + position]] +=
            alpha * x[jad_.permutation[position]] * jad_.values[begin + position];
    });
  }
  [[nodiscard]] bool update_values(const Matrix& matrix) override {
    matrix.visit([&](const auto& csr) {
      for_each_part(transposed_parts(), [&](int part) {
        pieces_of(part, [&](std::int64_t d, std::int64_t first, std::int64_t last) {
          for (std::int64_t position = first; position < last; ++position) {
            const std::int64_t row = jad_.permutation[position], from = csr.row_pointers[row] + d;
            if (from < csr.row_pointers[row + 1])
              jad_.values[jad_.diagonal_pointers[d] + position] = static_cast<Value>(csr.values[from]);
          }
        });
      });
    });
    return true;
  }

 private:
  // Calls work(diagonal, first position, last + 1) for the blocks of a part, diagonal by diagonal within each.
  template <class Work>
  void pieces_of(int part, const Work& work) const {
    for (std::int64_t first = positions_[part]; first < positions_[part + 1]; first += lane_block) {
      const std::int64_t last = std::min(positions_[part + 1], first + lane_block);
      for (std::int64_t d = 0; d < jad_.diagonals() && diagonal_rows(d) > first; ++d)
        work(d, first, std::min(last, diagonal_rows(d)));
    }
  }
  [[nodiscard]] std::int64_t diagonal_rows(std::int64_t d) const {
    return jad_.diagonal_pointers[d + 1] - jad_.diagonal_pointers[d];
  }

  Jad<Value, Index> jad_;
  std::vector<std::int64_t> positions_;
};
}  // namespace

// Kernel `jad`.

namespace {
// Sorted rows in blocks: each block begins a loop per diagonal, as many as its longest row has entries.
double loops_begun(const Structure& s) {
  double calls = 0;
  std::int64_t before = 0;  // rows that are longer
  for (auto entry = s.row_histogram.rbegin(); entry != s.row_histogram.rend(); ++entry) {
    // Blocks whose first row has this length.
    const std::int64_t first = (before + lane_block - 1) / lane_block,
                       last = (before + entry->rows + lane_block - 1) / lane_block;
    calls += static_cast<double>(last - first) * static_cast<double>(entry->length);
    before += entry->rows;
  }
  return calls;
}

// Lengths fall from row to row, so that no end of one is a surprise.
void count(const Structure& s, const WorkContext& context, Workload& w) {
  w.calls = loops_begun(s);
  w.thread_parts = parts_longest_first(s, lane_block, context.threads);
  w.shared_lines = lines_shared_longest_first(s, context.threads);
}
}  // namespace

KernelInfo jad_kernel() {
  return {.name = "jad",
          .format = jad_format,
          .unit = WorkUnit::row_per_thread,
          .on_gpu = true,
          .form = PaperForm::ell,
          .summary = "jagged diagonals of rows sorted by length",
          .source = "Li & Saad 2013",
          .host = {jad_bytes, build_with_index<JadProduct, float>, build_with_index<JadProduct, double>},
          .transposes = true,
          .count = count,
          .gpu = {.form = GpuForm::jad, .bytes = jad_bytes, .count = count_jad_on_gpu, .longest_first = true}};
}
}  // namespace sparsecast::formats
