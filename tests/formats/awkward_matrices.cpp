#include "formats/awkward_matrices.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

namespace sparsecast::testing {
namespace {

using Rows = std::vector<std::vector<std::int64_t>>;

// `count` distinct ascending columns below cols.
std::vector<std::int64_t> some_columns(std::int64_t cols, std::int64_t count, std::mt19937_64& random) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(cols));
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::int64_t> chosen;
  std::sample(all.begin(), all.end(), std::back_inserter(chosen), count, random);
  return chosen;
}

// Row r gets length(r) columns.
Matrix random_matrix(std::int64_t rows, std::int64_t cols, const std::function<std::int64_t(std::int64_t)>& length) {
  std::mt19937_64 random(7);
  Rows columns;
  for (std::int64_t row = 0; row < rows; ++row)
    columns.push_back(some_columns(cols, std::min(cols, length(row)), random));
  return from_rows(cols, columns);
}

// Entries below the diagonal and their mirrors; rows r with keeps(r) have one on it as well.
Matrix symmetric_matrix(std::int64_t rows, const Rows& below, const std::function<bool(std::int64_t)>& keeps) {
  std::vector<std::map<std::int64_t, double>> entries(static_cast<std::size_t>(rows));
  for (std::int64_t r = 0; r < rows; ++r) {
    if (keeps(r)) entries[r][r] = static_cast<double>(r % 7) - 3;
    for (const std::int64_t c : below[static_cast<std::size_t>(r)])
      entries[r][c] = entries[c][r] = 0.1 + static_cast<double>((r * 31 + c * 17) % 101);
  }
  Csr<std::int32_t, std::int32_t> csr{rows, rows, {0}, {}, {}};
  for (const auto& row : entries) {
    for (const auto& [column, value] : row) {
      csr.column_indices.push_back(static_cast<std::int32_t>(column));
      csr.values.push_back(value);
    }
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.values.size()));
  }
  return Matrix(std::move(csr), "symmetric");
}

// Rows with entries on those diagonals, where the matrix has them, but for holes.
Matrix on_diagonals(std::int64_t rows, std::int64_t cols, const std::vector<std::int64_t>& diagonals,
                    const std::function<bool(std::int64_t row, std::int64_t column)>& hole) {
  Rows columns(static_cast<std::size_t>(rows));
  for (std::int64_t r = 0; r < rows; ++r)
    for (const std::int64_t d : diagonals)
      if (r + d >= 0 && r + d < cols && !hole(r, r + d)) columns[static_cast<std::size_t>(r)].push_back(r + d);
  return from_rows(cols, columns);
}

// Blocks of height × width at every third place and, shifted by a column, at some more; with holes.
Matrix in_blocks(std::int64_t rows, std::int64_t cols, int height, int width,
                 const std::function<bool(std::int64_t row, std::int64_t column)>& hole) {
  Rows columns(static_cast<std::size_t>(rows));
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c) {
      const std::int64_t block_row = r / height, block_column = (c - block_row % 2) / width;
      if (c >= block_row % 2 && (block_row + block_column) % 3 == 0 && !hole(r, c))
        columns[static_cast<std::size_t>(r)].push_back(c);
    }
  return from_rows(cols, columns);
}

bool scattered(std::int64_t row, std::int64_t column) { return (row * 37 + column * 101) % 19 == 0; }
bool nowhere(std::int64_t, std::int64_t) { return false; }

std::int64_t mixed(std::int64_t row) { return (row * 2654435761 >> 7) % 23; }

}  // namespace

template <class Offset, class Index>
Matrix from_rows(std::int64_t cols, const Rows& rows, std::string name) {
  Csr<Offset, Index> csr{static_cast<std::int64_t>(rows.size()), cols, {}, {}, {}};
  csr.row_pointers.push_back(0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const std::int64_t column : rows[r]) {
      csr.column_indices.push_back(static_cast<Index>(column));
      csr.values.push_back(((r + column) % 3 == 0 ? -1 : 1) *
                           (0.1 + static_cast<double>((r * 31 + column * 17) % 101)));
    }
    csr.row_pointers.push_back(static_cast<Offset>(csr.values.size()));
  }
  return Matrix(std::move(csr), std::move(name));
}
template Matrix from_rows<std::int32_t, std::int32_t>(std::int64_t, const Rows&, std::string);
template Matrix from_rows<std::int64_t, std::int32_t>(std::int64_t, const Rows&, std::string);
template Matrix from_rows<std::int64_t, std::int64_t>(std::int64_t, const Rows&, std::string);

const std::vector<NamedMatrix>& awkward_matrices() {
  static const std::vector<NamedMatrix> all = {
      {"NoRowsNoColumns", [] { return from_rows(0, {}); }},
      {"NoRows", [] { return from_rows(7, {}); }},
      {"NoColumns", [] { return from_rows(0, Rows(7)); }},
      {"NoNonzeros", [] { return from_rows(7, Rows(9)); }},
      {"OneEntry", [] { return from_rows(1, {{0}}); }},
      {"OneEntryLast",
       [] {
         return from_rows(50, [] {
           Rows r(40);
           r[39] = {49};
           return r;
         }());
       }},
      {"OneRow", [] { return random_matrix(1, 1000, [](auto) { return 700; }); }},
      {"OneColumn", [] { return random_matrix(1000, 1, [](auto row) { return row % 3 == 0 ? 1 : 0; }); }},
      {"OneLongRow", [] { return random_matrix(300, 5000, [](auto row) { return row == 137 ? 4900 : 3; }); }},
      {"FirstRowHoldsNearlyAll",
       [] { return random_matrix(200, 9000, [](auto row) { return row == 0 ? 9000 : row % 97 == 0; }); }},
      {"LastRowHoldsNearlyAll",
       [] { return random_matrix(200, 9000, [](auto row) { return row == 199 ? 9000 : row % 97 == 0; }); }},
      {"EmptyRowsBetween",
       [] { return random_matrix(1000, 400, [](auto row) { return row % 5 == 2 ? row % 17 : 0; }); }},
      {"EmptyRowsAtBothEnds",
       [] { return random_matrix(900, 400, [](auto row) { return row > 300 && row < 600 ? 6 : 0; }); }},
      {"Arrow",
       [] {
         Rows rows;
         for (std::int64_t r = 0; r < 700; ++r)
           rows.push_back(r == 0 ? std::vector<std::int64_t>{0} : std::vector<std::int64_t>{0, r});
         for (std::int64_t c = 1; c < 700; ++c) rows[0].push_back(c);
         return from_rows(700, rows);
       }},
      {"Tall", [] { return random_matrix(3001, 13, [](auto row) { return mixed(row) % 13; }); }},
      {"Wide", [] { return random_matrix(13, 3001, [](auto row) { return 100 * mixed(row); }); }},
      {"Dense", [] { return random_matrix(67, 67, [](auto) { return 67; }); }},
      {"Diagonal",
       [] {
         Rows rows;
         for (std::int64_t r = 0; r < 1025; ++r) rows.push_back({r});
         return from_rows(1025, rows);
       }},
      {"ShortRows", [] { return random_matrix(2049, 500, [](auto row) { return 3 + row % 3; }); }},
      {"MixedRows", [] { return random_matrix(2500, 300, mixed); }},
      {"EnoughRowsForHybToPad",
       [] { return random_matrix(6000, 90, [](auto row) { return row % 2 == 0 ? 5 : mixed(row); }); }},
      {"DenseDiagonals",
       [] {
         return on_diagonals(1003, 1003, {-31, -1, 0, 1, 31}, nowhere);
       }},
      {"DiagonalsWithHoles",
       [] {
         return on_diagonals(517, 517, {-9, -2, 0, 3, 4, 5}, scattered);
       }},
      {"DiagonalsAndMore",
       [] {
         return on_diagonals(600, 600, {-200, -7, 0, 1, 90},
                             [](auto row, auto column) { return std::abs(column - row) > 50 && row % 5 != 1; });
       }},
      {"DiagonalsOfAWideMatrix",
       [] {
         return on_diagonals(250, 400, {0, 5, 149, 150, 151}, scattered);
       }},
      {"DiagonalsOfATallMatrix",
       [] {
         return on_diagonals(400, 330, {-70, -69, -3, 0}, scattered);
       }},
      {"BlocksOf2x2", [] { return in_blocks(201, 198, 2, 2, nowhere); }},
      {"BlocksOf3x3WithHoles", [] { return in_blocks(301, 298, 3, 3, scattered); }},
      {"BlocksOf4x2", [] { return in_blocks(130, 77, 4, 2, scattered); }},
      {"BlocksOf5x7", [] { return in_blocks(123, 211, 5, 7, nowhere); }},
      {"BlocksOf6x6", [] { return in_blocks(240, 240, 6, 6, nowhere); }},
      {"BlocksOf8x8", [] { return in_blocks(256, 321, 8, 8, nowhere); }},
      {"Symmetric",
       [] {
         Rows below(700);
         for (std::int64_t r = 1; r < 700; ++r) {
           std::mt19937_64 random(static_cast<std::uint64_t>(r));
           if (r % 11 != 3)
             below[static_cast<std::size_t>(r)] = some_columns(r, std::min<std::int64_t>(r, mixed(r)), random);
         }
         return symmetric_matrix(700, below, [](auto row) { return row % 4 != 1; });
       }},
      {"SymmetricArrow",
       [] {
         Rows below(400);
         for (std::int64_t c = 0; c < 399; ++c) below[399].push_back(c);
         return symmetric_matrix(400, below, [](auto) { return true; });
       }},
      {"WideOffsets",
       [] {
         return from_rows<std::int64_t, std::int32_t>(40, Rows(30, {0, 5, 6, 7, 8, 20, 21, 39}));
       }},
      {"WideIndices",
       [] {
         return from_rows<std::int64_t, std::int64_t>(40, [] {
           Rows rows(30, {0, 5, 6, 7, 8, 20, 21, 39});
           rows[3].clear();
           return rows;
         }());
       }},
  };
  return all;
}

Matrix by_eye() {
  Csr<std::int32_t, std::int32_t> csr{4, 5, {0, 1, 5, 5, 7}, {1, 0, 1, 2, 4, 1, 3}, {11, 20, 21, 22, 24, 31, 33}};
  return Matrix(std::move(csr), "by-eye");
}

Structure counted_structure(const Matrix& matrix) {
  Structure structure;
  structure.name = matrix.name();
  structure.rows = matrix.rows();
  structure.cols = matrix.cols();
  structure.nonzeros = matrix.nonzeros();
  std::vector<std::int64_t> lengths;
  matrix.visit([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row)
      lengths.push_back(csr.row_pointers[row + 1] - csr.row_pointers[row]);
  });
  std::map<std::int64_t, std::int64_t> histogram;
  for (const std::int64_t length : lengths) {
    ++histogram[length];
    structure.row_max = std::max(structure.row_max, length);
  }
  for (const auto& [length, rows] : histogram) structure.row_histogram.push_back({length, rows});
  for (const int slice_rows : {2, 8, 32, 64}) {
    for (const int sort_rows : {1, 4, 1024}) {
      std::vector<std::int64_t> sorted = lengths;
      for (std::size_t first = 0; first < sorted.size(); first += static_cast<std::size_t>(sort_rows))
        std::sort(sorted.begin() + first, sorted.begin() + std::min(sorted.size(), first + sort_rows),
                  std::greater<>());
      SliceWork work{slice_rows, sort_rows, 0};
      for (std::size_t first = 0; first < sorted.size(); first += static_cast<std::size_t>(slice_rows))
        work.slots += slice_rows * *std::max_element(sorted.begin() + first,
                                                     sorted.begin() + std::min(sorted.size(), first + slice_rows));
      structure.slices.push_back(work);
    }
  }
  return structure;
}

template <class Value>
std::vector<Value> input_vector(std::int64_t cols) {
  std::vector<Value> x;
  for (std::int64_t i = 0; i < cols; ++i)
    x.push_back(static_cast<Value>(0.5 + static_cast<double>(i * 7919 % 1000) / 1000));
  return x;
}
template std::vector<float> input_vector(std::int64_t);
template std::vector<double> input_vector(std::int64_t);

}  // namespace sparsecast::testing
