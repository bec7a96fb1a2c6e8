#include "solve/preconditioners/dense_blocks.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "formats/parts/split.hpp"

namespace sparsecast::solve {
namespace {

using Block = Eigen::Matrix<double, block_rows, block_rows>;  // by columns: an entry of r meets a column
constexpr std::int64_t block_entries = block_rows * block_rows;

class DenseBlocks final : public Preconditioner {
 public:
  DenseBlocks(const Matrix& matrix, int threads) : rows_(matrix.rows()), threads_(threads) {
    const std::int64_t blocks = (rows_ + block_rows - 1) / block_rows;
    inverse_.resize(static_cast<std::size_t>(blocks * block_entries));
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t first = b * block_rows;
      // Rows beyond the last are those of the identity.
      Block block = Block::Identity();
      matrix.visit([&](const auto& csr) {
        for (std::int64_t row = first; row < std::min(first + block_rows, rows_); ++row) {
          block(row - first, row - first) = 0;
          const auto* columns = csr.column_indices.data();
          std::int64_t k =
              std::lower_bound(columns + csr.row_pointers[row], columns + csr.row_pointers[row + 1], first) - columns;
          for (; k < csr.row_pointers[row + 1] && columns[k] < first + block_rows; ++k)
            block(row - first, static_cast<std::int64_t>(columns[k]) - first) = csr.values[k];
        }
      });
      const Eigen::FullPivLU<Block> factors(block);
      if (!factors.isInvertible())
        throw Error(ErrorCode::bad_input,
                    fmt::format("block-jacobi: the block of rows {} to {} has no inverse", first + 1,
                                std::min(first + block_rows, rows_)),
                    {matrix.name()}, "take --preconditioner none or ilu0, or --shift spd");
      Eigen::Map<Block>(inverse_.data() + b * block_entries) = factors.inverse();
    }
  }

  void apply(const double* r, double* z) const override {
    const std::int64_t whole = rows_ / block_rows;
    formats::for_each_part(threads_, [&](int part) {
      const std::int64_t end = formats::part_begin(whole, part + 1, threads_);
      for (std::int64_t b = formats::part_begin(whole, part, threads_); b < end; ++b) {
        const double* inverse = inverse_.data() + b * block_entries;
        const double* from = r + b * block_rows;
        double sums[block_rows] = {};
        for (int column = 0; column < block_rows; ++column)
          for (int row = 0; row < block_rows; ++row) sums[row] += inverse[column * block_rows + row] * from[column];
        std::copy_n(sums, block_rows, z + b * block_rows);
      }
    });
    for (std::int64_t row = whole * block_rows; row < rows_; ++row) {
      z[row] = 0;
      for (std::int64_t column = whole * block_rows; column < rows_; ++column)
        z[row] += inverse_[static_cast<std::size_t>(whole * block_entries + (column - whole * block_rows) * block_rows +
                                                    (row - whole * block_rows))] *
                  r[column];
    }
  }

 private:
  std::int64_t rows_;
  int threads_;
  Array<double> inverse_;
};

}  // namespace

std::unique_ptr<Preconditioner> make_dense_blocks(const Matrix& matrix, int threads) {
  return std::make_unique<DenseBlocks>(matrix, std::max(1, threads));
}

}  // namespace sparsecast::solve
