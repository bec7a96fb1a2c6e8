#pragma once
// What both examples need around their solver: the profile, a symmetric positive definite system, plain CSR beside the
// plan, and a stopwatch.

#include <chrono>
#include <cstdint>
#include <sparsecast/matrix.hpp>
#include <sparsecast/plan.hpp>
#include <string>
#include <utility>
#include <vector>

/// Of a device that `sparsecast calibrate` measured ("host"), or from a file that `sparsecast profiles export` wrote.
inline sparsecast::Profile profile_of(const std::string& device_or_file) {
  return device_or_file.ends_with(".json") ? sparsecast::read_profile(device_or_file)
                                           : sparsecast::calibrated_profile(device_or_file);
}

/// The Laplacian of the matrix's graph plus the identity: −1 for every off-diagonal entry, on the diagonal one more
/// than their number. It keeps the pattern, so a product costs the same; symmetric positive definite where the pattern
/// is symmetric.
inline sparsecast::Matrix graph_laplacian_plus_one(const sparsecast::Matrix& matrix) {
  return matrix.visit([&](const auto& csr) {
    sparsecast::Csr<std::int64_t, std::int64_t> out;
    out.rows = out.cols = csr.rows;
    out.row_pointers.push_back(0);
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      std::int64_t others = 0;
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) others += csr.column_indices[k] != row;
      bool placed = false;
      const auto diagonal = [&] {
        out.column_indices.push_back(row);
        out.values.push_back(static_cast<double>(others) + 1);
        placed = true;
      };
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
        const std::int64_t column = csr.column_indices[k];
        if (column >= row && !placed) diagonal();
        if (column == row) continue;
        out.column_indices.push_back(column);
        out.values.push_back(-1);
      }
      if (!placed) diagonal();
      out.row_pointers.push_back(static_cast<std::int64_t>(out.values.size()));
    }
    // 32-bit indices where they suffice, as the reader does.
    sparsecast::Csr<std::int32_t, std::int32_t> narrow;
    if (!sparsecast::Matrix::fits32(static_cast<std::int64_t>(out.values.size())))
      return sparsecast::Matrix(std::move(out), matrix.name());
    narrow.rows = narrow.cols = out.rows;
    for (const auto pointer : out.row_pointers) narrow.row_pointers.push_back(static_cast<std::int32_t>(pointer));
    for (const auto column : out.column_indices) narrow.column_indices.push_back(static_cast<std::int32_t>(column));
    narrow.values = std::move(out.values);
    return sparsecast::Matrix(std::move(narrow), matrix.name());
  });
}

/// A right-hand side that takes many iterations. All ones would take one: the ones are an eigenvector of that matrix.
inline std::vector<double> right_hand_side(std::int64_t rows) {
  std::vector<double> b(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i * 2654435761U % 1024) / 1024;
  return b;
}

/// Plain CSR on the same device and threads, to compare with: a plan of one block.
inline sparsecast::Plan plain_csr(const sparsecast::Matrix& matrix, sparsecast::Strategy strategy) {
  strategy.blocks.assign(1, {});
  strategy.blocks[0].last_row = matrix.rows() - 1;
  strategy.blocks[0].kernel = "csr";
  return {matrix, std::move(strategy)};
}

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
