#include "gpu_code/graph/max_plus.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

namespace sparsecast::gpu_code {
namespace {
void require(bool fits, const char* what) {
  if (!fits) throw Error(ErrorCode::usage, std::string("max-plus ") + what + " of matrices whose shapes do not fit");
}
}  // namespace

MaxPlusMatrix::MaxPlusMatrix(std::int64_t rows, std::int64_t cols, std::vector<MaxPlusEntry> entries)
    : rows_(rows), cols_(cols), entries_(std::move(entries)) {
  std::erase_if(entries_, [](const MaxPlusEntry& e) { return e.value == epsilon; });
  for (const auto& e : entries_)
    if (e.row < 0 || e.row >= rows || e.col < 0 || e.col >= cols)
      throw Error(ErrorCode::bad_input,
                  fmt::format("entry ({}, {}) lies outside a {} by {} max-plus matrix", e.row, e.col, rows, cols));
  std::sort(entries_.begin(), entries_.end(), [](const MaxPlusEntry& a, const MaxPlusEntry& b) {
    if (a.row != b.row) return a.row < b.row;
    if (a.col != b.col) return a.col < b.col;
    return a.value > b.value;
  });
  const auto same_place = [](const MaxPlusEntry& a, const MaxPlusEntry& b) { return a.row == b.row && a.col == b.col; };
  entries_.erase(std::unique(entries_.begin(), entries_.end(), same_place), entries_.end());
  row_pointers_.assign(static_cast<std::size_t>(rows) + 1, 0);
  for (const auto& e : entries_) ++row_pointers_[static_cast<std::size_t>(e.row) + 1];
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) row_pointers_[r + 1] += row_pointers_[r];
}

MaxPlusMatrix MaxPlusMatrix::identity(std::int64_t n) {
  std::vector<MaxPlusEntry> entries;
  entries.reserve(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) entries.push_back({i, i, 0});
  return {n, n, std::move(entries)};
}

std::span<const MaxPlusEntry> MaxPlusMatrix::row(std::int64_t r) const {
  const auto first = row_pointers_[static_cast<std::size_t>(r)], last = row_pointers_[static_cast<std::size_t>(r) + 1];
  return std::span(entries_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
}

double MaxPlusMatrix::at(std::int64_t row_index, std::int64_t col) const {
  for (const auto& e : row(row_index))
    if (e.col == col) return e.value;
  return epsilon;
}

MaxPlusMatrix sum(const MaxPlusMatrix& a, const MaxPlusMatrix& b) {
  require(a.rows() == b.rows() && a.cols() == b.cols(), "sum");
  std::vector<MaxPlusEntry> entries(a.entries().begin(), a.entries().end());
  entries.insert(entries.end(), b.entries().begin(), b.entries().end());
  return {a.rows(), a.cols(), std::move(entries)};
}

MaxPlusMatrix product(const MaxPlusMatrix& a, const MaxPlusMatrix& b) {
  require(a.cols() == b.rows(), "product");
  // Row by row (Gustavson): each row of C is gathered in a dense row of maxima.
  std::vector<double> best(static_cast<std::size_t>(b.cols()), epsilon);
  std::vector<std::int64_t> touched;
  std::vector<MaxPlusEntry> entries;
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    touched.clear();
    for (const auto& left : a.row(i))
      for (const auto& right : b.row(left.col)) {
        double& c = best[static_cast<std::size_t>(right.col)];
        if (c == epsilon) touched.push_back(right.col);
        c = std::max(c, left.value + right.value);
      }
    for (const auto j : touched) {
      entries.push_back({i, j, best[static_cast<std::size_t>(j)]});
      best[static_cast<std::size_t>(j)] = epsilon;
    }
  }
  return {a.rows(), b.cols(), std::move(entries)};
}

MaxPlusMatrix power(const MaxPlusMatrix& a, std::int64_t m) {
  require(a.rows() == a.cols() && m >= 0, "power");
  MaxPlusMatrix result = MaxPlusMatrix::identity(a.rows()), base = a;
  for (; m > 0; m /= 2) {
    if (m % 2 == 1) result = product(result, base);
    if (m > 1) base = product(base, base);
  }
  return result;
}

MaxPlusMatrix kronecker(const MaxPlusMatrix& a, const MaxPlusMatrix& b) {
  std::vector<MaxPlusEntry> entries;
  entries.reserve(a.entries().size() * b.entries().size());
  for (const auto& x : a.entries())
    for (const auto& y : b.entries())
      entries.push_back({x.row * b.rows() + y.row, x.col * b.cols() + y.col, x.value + y.value});
  return {a.rows() * b.rows(), a.cols() * b.cols(), std::move(entries)};
}

std::vector<double> apply(const MaxPlusMatrix& a, std::span<const double> x) {
  require(static_cast<std::size_t>(a.cols()) == x.size(), "product");
  std::vector<double> y(static_cast<std::size_t>(a.rows()), epsilon);
  for (const auto& e : a.entries()) {
    double& to = y[static_cast<std::size_t>(e.row)];
    to = std::max(to, e.value + x[static_cast<std::size_t>(e.col)]);
  }
  return y;
}

double inner(std::span<const double> x, std::span<const double> y) {
  require(x.size() == y.size(), "inner product");
  double best = epsilon;
  for (std::size_t i = 0; i < x.size(); ++i) best = std::max(best, x[i] + y[i]);
  return best;
}
}  // namespace sparsecast::gpu_code
