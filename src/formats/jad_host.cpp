// Host product `jad`: blocks of sorted rows; a block's sums stay in cache while its piece of every diagonal is added,
// and go to their rows at the end.

#include <algorithm>
#include <array>

#include "formats/host_builders.hpp"
#include "formats/jad.hpp"
#include "formats/parts/index_choice.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/lane_sums.hpp"

namespace sparsecast::formats {
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

template <class Value>
std::unique_ptr<HostProduct<Value>> build_jad(const Matrix& matrix, int threads) {
  return build_with_index<JadProduct, Value>(matrix, threads);
}
template std::unique_ptr<HostProduct<float>> build_jad(const Matrix&, int);
template std::unique_ptr<HostProduct<double>> build_jad(const Matrix&, int);

}  // namespace sparsecast::formats
