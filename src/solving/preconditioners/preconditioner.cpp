#include "solving/preconditioners/preconditioner.hpp"

#include <fmt/format.h>
#include <Eigen/LU>
#include <cmath>
#include <numeric>
#include <sparsecast/error.hpp>

#include "base/team.hpp"
#include "fields/wording.hpp"
#include "formats/parts/split.hpp"
#include "solving/requirements.hpp"

namespace sparsecast::solving {
namespace {
constexpr std::array<PreconditionerInfo, 5> preconditioners{{
    {PreconditionerKind::none, "none", "nothing", Preconditioning::none, 1},
    {PreconditionerKind::jacobi, "jacobi", "the diagonal, within the passes over vectors", Preconditioning::diagonal,
     1},
    {PreconditionerKind::block_jacobi, "block-jacobi", "inverses of dense blocks of four rows", Preconditioning::step,
     0.8},
    {PreconditionerKind::ic0, "ic0", "incomplete Cholesky factors on the pattern of the matrix", Preconditioning::step,
     0.3, true},
    {PreconditionerKind::ilu0, "ilu0", "incomplete LU factors on the pattern of the matrix", Preconditioning::step,
     0.3},
}};

// Entries of a level that take as long as the threads' wait at its end, and more.
constexpr double shared_level = 8000;
// Rows back that a processor has not finished when it comes to a row.
constexpr std::int64_t under_way = 4;

// level[row], from 0; f gets every row's off-diagonal columns on its side.
template <class Pattern, class F>
void each_row(const Pattern& csr, Side side, const F& f) {
  for (std::int64_t i = 0; i < csr.rows; ++i) {
    const std::int64_t row = side == Side::lower ? i : csr.rows - 1 - i;
    std::int64_t first = csr.row_pointers[row], last = csr.row_pointers[row + 1];
    const auto* columns = csr.column_indices.data();
    if (side == Side::lower) {
      last = std::lower_bound(columns + first, columns + last, row) - columns;
    } else {
      first = std::upper_bound(columns + first, columns + last, row) - columns;
    }
    f(row, first, last);
  }
}

struct Levels {
  std::vector<std::int32_t> of_row;
  std::int64_t count = 0;
};

template <class Pattern>
Levels levels_of(const Pattern& csr, Side side, TriangleWork& work) {
  Levels levels{std::vector<std::int32_t>(static_cast<std::size_t>(csr.rows)), 0};
  each_row(csr, side, [&](std::int64_t row, std::int64_t first, std::int64_t last) {
    std::int32_t level = 0;
    std::int64_t nearest = csr.rows;
    for (std::int64_t k = first; k < last; ++k) {
      const std::int64_t column = csr.column_indices[k];
      level = std::max(level, levels.of_row[static_cast<std::size_t>(column)] + 1);
      nearest = std::min(nearest, side == Side::lower ? row - column : column - row);
    }
    levels.of_row[static_cast<std::size_t>(row)] = level;
    levels.count = std::max<std::int64_t>(levels.count, level + 1);
    work.entries += static_cast<double>(last - first);
    work.chained += nearest <= under_way ? 1 : 0;
  });
  work.rows = static_cast<double>(csr.rows);
  work.levels = static_cast<double>(levels.count);
  return levels;
}

void decide(TriangleWork& work, int threads) {
  work.shared = threads > 1 && work.rows + work.entries >= shared_level * work.levels;
}

// Of the entries of a factor (in the matrix's pattern) on one side of the diagonal; `inverse` is that of its diagonal.
Triangle make_triangle(const Matrix& pattern, const Array<double>& factor, const Array<double>& inverse, Side side,
                       int threads) {
  Triangle out;
  pattern.visit_pattern([&](const auto& csr) {
    TriangleWork work;
    const Levels levels = levels_of(csr, side, work);
    decide(work, threads);
    const auto rows = static_cast<std::size_t>(csr.rows);
    // Where a row stands in the order.
    std::vector<std::int64_t> place(rows);
    if (work.shared) {
      std::vector<std::int64_t> next(static_cast<std::size_t>(levels.count) + 1, 0);
      for (const std::int32_t level : levels.of_row) ++next[static_cast<std::size_t>(level) + 1];
      std::partial_sum(next.begin(), next.end(), next.begin());
      out.levels.assign(next.begin(), next.end());
      out.threads = threads;
      each_row(csr, side, [&](std::int64_t row, std::int64_t, std::int64_t) {
        place[static_cast<std::size_t>(row)] =
            next[static_cast<std::size_t>(levels.of_row[static_cast<std::size_t>(row)])]++;
      });
    } else {
      std::int64_t next = 0;
      each_row(csr, side,
               [&](std::int64_t row, std::int64_t, std::int64_t) { place[static_cast<std::size_t>(row)] = next++; });
    }
    out.rows.resize(rows);
    out.inverse.resize(rows);
    out.row_pointers.resize(rows + 1);
    out.row_pointers[0] = 0;
    each_row(csr, side, [&](std::int64_t row, std::int64_t first, std::int64_t last) {
      const auto at = static_cast<std::size_t>(place[static_cast<std::size_t>(row)]);
      out.rows[at] = static_cast<std::int32_t>(row);
      out.inverse[at] = inverse[static_cast<std::size_t>(row)];
      out.row_pointers[at + 1] = last - first;
    });
    std::partial_sum(out.row_pointers.begin(), out.row_pointers.end(), out.row_pointers.begin());
    out.columns.resize(static_cast<std::size_t>(out.row_pointers[rows]));
    out.values.resize(out.columns.size());
    each_row(csr, side, [&](std::int64_t row, std::int64_t first, std::int64_t last) {
      auto to =
          static_cast<std::size_t>(out.row_pointers[static_cast<std::size_t>(place[static_cast<std::size_t>(row)])]);
      for (std::int64_t k = first; k < last; ++k, ++to) {
        out.columns[to] = static_cast<std::int32_t>(csr.column_indices[k]);
        out.values[to] = factor[static_cast<std::size_t>(k)];
      }
    });
  });
  return out;
}

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
        throw Error(
            ErrorCode::bad_input,
            fmt::format("block-jacobi: the block of rows {} to {} has no inverse", first + 1,
                        std::min(first + block_rows, rows_)),
            {matrix.name()},
            wording::format("take {} none or ilu0, or {}", wording::option("preconditioner"), asking_for_spd()));
      Eigen::Map<Block>(inverse_.data() + b * block_entries) = factors.inverse();
    }
  }

  void apply(const double* r, double* z) const override {
    const std::int64_t whole = rows_ / block_rows;
    formats::for_each_part(threads_, [&](int part) {
      const std::int64_t end = formats::part_begin(whole, part + 1, threads_);
      for (std::int64_t b = formats::part_begin(whole, part, threads_); b < end; ++b) {
        const Eigen::Map<const Block> inverse(inverse_.data() + b * block_entries);
        const Eigen::Map<const Eigen::Matrix<double, block_rows, 1>> from(r + b * block_rows);
        Eigen::Map<Eigen::Matrix<double, block_rows, 1>>(z + b * block_rows).noalias() = inverse * from;
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

class Nothing final : public Preconditioner {
 public:
  explicit Nothing(std::int64_t rows) : rows_(rows) {}
  void apply(const double* r, double* z) const override { std::copy_n(r, rows_, z); }

 private:
  std::int64_t rows_;
};

class Diagonal final : public Preconditioner {
 public:
  explicit Diagonal(const Matrix& matrix) : inverse_(inverse_diagonal(matrix)) {}
  [[nodiscard]] const double* diagonal() const override { return inverse_.data(); }
  void apply(const double* r, double* z) const override {
    for (std::size_t i = 0; i < inverse_.size(); ++i) z[i] = inverse_[i] * r[i];
  }

 private:
  Array<double> inverse_;
};

class Factors final : public Preconditioner {
 public:
  Factors(const Matrix& matrix, bool positive, int threads) {
    const IncompleteFactors factors = incomplete_factors(matrix, positive);
    const Array<double> ones(factors.inverse.size(), 1.0);
    lower_ = make_triangle(matrix, factors.values, ones, Side::lower, threads);
    upper_ = make_triangle(matrix, factors.values, factors.inverse, Side::upper, threads);
  }
  void apply(const double* r, double* z) const override {
    lower_.solve(r, z);
    upper_.solve(z, z);
  }

 private:
  Triangle lower_, upper_;
};
}  // namespace

std::span<const PreconditionerInfo> preconditioner_table() { return preconditioners; }

const PreconditionerInfo& info_of(PreconditionerKind kind) {
  return *std::ranges::find(preconditioners, kind, &PreconditionerInfo::kind);
}

std::string_view name_of(PreconditionerKind kind) { return info_of(kind).name; }

PreconditionerKind parse_preconditioner(std::string_view name) {
  const auto found = std::ranges::find(preconditioners, name, &PreconditionerInfo::name);
  if (found != preconditioners.end()) return found->kind;
  std::string names;
  for (const PreconditionerInfo& one : preconditioners)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
  throw Error(ErrorCode::usage, fmt::format("there is no preconditioner '{}'", name), {},
              "the preconditioners are " + names);
}

TriangleWork triangle_work(const Matrix& matrix, Side side, int threads) {
  TriangleWork work;
  matrix.visit_pattern([&](const auto& csr) { static_cast<void>(levels_of(csr, side, work)); });
  decide(work, threads);
  return work;
}

void Triangle::solve(const double* r, double* z) const {
  const auto stretch = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const std::int32_t row = rows[at];
      double sum = r[row];
      const std::int64_t end = row_pointers[at + 1];
      for (std::int64_t k = row_pointers[at]; k < end; ++k)
        sum -= values[static_cast<std::size_t>(k)] * z[columns[static_cast<std::size_t>(k)]];
      z[row] = sum * inverse[at];
    }
  };
  const int team = levels.empty() ? 1 : std::min(threads, base::most_in_team());
  if (team == 1) return stretch(0, static_cast<std::int64_t>(rows.size()));
#pragma omp parallel num_threads(team)
  {
    const int mine = omp_get_thread_num(), all = omp_get_num_threads();
    for (std::size_t level = 0; level + 1 < levels.size(); ++level) {
      const std::int64_t first = levels[level], count = levels[level + 1] - first;
      stretch(first + formats::part_begin(count, mine, all), first + formats::part_begin(count, mine + 1, all));
#pragma omp barrier
    }
  }
}

IncompleteFactors incomplete_factors(const Matrix& matrix, bool positive) {
  IncompleteFactors out;
  matrix.visit([&](const auto& csr) {
    out.values.assign(csr.values.begin(), csr.values.end());
    out.inverse.resize(static_cast<std::size_t>(csr.rows));
    std::vector<std::int64_t> diagonal(static_cast<std::size_t>(csr.rows));
    // Where the row at hand has each column; −1: nowhere.
    std::vector<std::int64_t> place(static_cast<std::size_t>(csr.rows), -1);
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      const std::int64_t first = csr.row_pointers[row], last = csr.row_pointers[row + 1];
      for (std::int64_t k = first; k < last; ++k) place[static_cast<std::size_t>(csr.column_indices[k])] = k;
      for (std::int64_t k = first; k < last && csr.column_indices[k] < row; ++k) {
        const std::int64_t above = csr.column_indices[k];
        const double multiplier = out.values[k] *= out.inverse[static_cast<std::size_t>(above)];
        for (std::int64_t j = diagonal[static_cast<std::size_t>(above)] + 1; j < csr.row_pointers[above + 1]; ++j)
          if (const std::int64_t at = place[static_cast<std::size_t>(csr.column_indices[j])]; at >= 0)
            out.values[at] -= multiplier * out.values[j];
      }
      const std::int64_t pivot = place[static_cast<std::size_t>(row)];
      const double value = pivot < 0 ? 0 : out.values[pivot];
      if (positive ? !(value > 0) : !(std::abs(value) > 0))
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: the pivot of row {} is {:g}", positive ? "ic0" : "ilu0", row + 1, value), {matrix.name()},
            wording::format("take {} jacobi or none, or {}", wording::option("preconditioner"), asking_for_spd()));
      diagonal[static_cast<std::size_t>(row)] = pivot;
      out.inverse[static_cast<std::size_t>(row)] = 1 / value;
      for (std::int64_t k = first; k < last; ++k) place[static_cast<std::size_t>(csr.column_indices[k])] = -1;
    }
  });
  return out;
}

double eliminations(const Matrix& matrix) {
  return matrix.visit_pattern([](const auto& csr) {
    double total = 0;
    std::vector<double> above_diagonal(static_cast<std::size_t>(csr.rows));
    const auto* columns = csr.column_indices.data();
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      std::int64_t k = csr.row_pointers[row];
      for (; k < csr.row_pointers[row + 1] && columns[k] < row; ++k)
        total += above_diagonal[static_cast<std::size_t>(columns[k])];
      above_diagonal[static_cast<std::size_t>(row)] =
          static_cast<double>(csr.row_pointers[row + 1] - k - (k < csr.row_pointers[row + 1] && columns[k] == row));
    }
    return total;
  });
}

std::unique_ptr<Preconditioner> make_preconditioner(const Matrix& matrix, PreconditionerKind kind, int threads) {
  switch (kind) {
    case PreconditionerKind::none: return std::make_unique<Nothing>(matrix.rows() * numbers_of_value(matrix));
    case PreconditionerKind::jacobi: return std::make_unique<Diagonal>(matrix);
    case PreconditionerKind::block_jacobi: return std::make_unique<DenseBlocks>(matrix, std::max(1, threads));
    case PreconditionerKind::ic0:
    case PreconditionerKind::ilu0: break;
  }
  if (!Matrix::fits32(matrix.rows()))
    throw Error(ErrorCode::too_large, "incomplete factors number their rows with 32 bits", {matrix.name()},
                "take jacobi or block-jacobi");
  return std::make_unique<Factors>(matrix, kind == PreconditionerKind::ic0, threads);
}

PreconditionerWork preconditioner_work(const Matrix& matrix, PreconditionerKind kind, int threads) {
  const auto numbers = static_cast<double>(matrix.rows() * numbers_of_value(matrix));
  PreconditionerWork work{kind, numbers, static_cast<double>(matrix.nonzeros()), {}, {}, 0};
  if (kind != PreconditionerKind::ic0 && kind != PreconditionerKind::ilu0) return work;
  work.lower = triangle_work(matrix, Side::lower, threads);
  work.upper = triangle_work(matrix, Side::upper, threads);
  work.eliminations = eliminations(matrix);
  return work;
}
}  // namespace sparsecast::solving
