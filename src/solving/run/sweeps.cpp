#include "solving/run/sweeps.hpp"

#include <algorithm>
#include <cmath>

namespace sparsecast::solving {
namespace {
// Rows of w that stay in the first cache while all of the basis is gone through.
constexpr std::int64_t pass_rows = 1024;
constexpr int most_at_once = formats::VectorLoops::most_at_once;
}  // namespace

Sweeps::Sweeps(std::int64_t rows, int threads, const SharedRows* shared)
    : rows_(rows),
      parts_(std::max(1, threads)),
      loops_(&formats::vector_loops()),
      around_(&formats::vector_loops(formats::Stores::around)),
      shared_(shared),
      partial_(at(parts_)) {}

formats::TwoSums Sweeps::total() const {
  formats::TwoSums all;
  for (const Partial& part : partial_) {
    all.first += part.sums.first;
    all.second += part.sums.second;
  }
  return all;
}

void Sweeps::count(double reads, double writes, bool sums) {
  counted.reads += reads;
  counted.writes += writes;
  counted.sums += sums ? 1 : 0;
  counted.passes += 1;
}

void Sweeps::project(std::span<const double* const> basis, const double* w, std::span<double> h) {
  count(static_cast<double>(basis.size()) + 1, 0, true);
  // Apart by a line and more, for the same reason as Partial.
  const std::size_t stride = (basis.size() + 15) / 8 * 8;
  projections_.assign(stride * at(parts_), 0);
  formats::for_each_part(parts_, [&](int part) {
    double* mine = projections_.data() + at(part) * stride;
    for (std::int64_t first = begin(part); first < begin(part + 1); first += pass_rows) {
      const std::int64_t rows = std::min(pass_rows, begin(part + 1) - first);
      for (std::size_t j = 0; j < basis.size(); j += most_at_once) {
        const int vectors = static_cast<int>(std::min<std::size_t>(most_at_once, basis.size() - j));
        std::array<const double*, most_at_once> v{};
        std::array<double, most_at_once> sums{};
        for (int i = 0; i < vectors; ++i) v[at(i)] = basis[j + at(i)] + first;
        loops_->project(rows, vectors, v.data(), w + first, sums.data());
        for (int i = 0; i < vectors; ++i) mine[j + at(i)] += sums[at(i)];
      }
    }
  });
  std::ranges::fill(h, 0);
  for (int part = 0; part < parts_; ++part)
    for (std::size_t j = 0; j < basis.size(); ++j) h[j] += projections_[at(part) * stride + j];
}

double Sweeps::combine(std::span<const double* const> basis, std::span<const double> h, double before, double* w) {
  count(static_cast<double>(basis.size()) + (before == 0 ? 0 : 1), 1, before != 0);
  formats::for_each_part(parts_, [&](int part) {
    double square = 0;
    for (std::int64_t first = begin(part); first < begin(part + 1); first += pass_rows) {
      const std::int64_t rows = std::min(pass_rows, begin(part + 1) - first);
      if (before == 0) std::fill_n(w + first, rows, 0.0);
      double of_rows = 0;
      for (std::size_t j = 0; j < basis.size(); j += most_at_once) {
        const int vectors = static_cast<int>(std::min<std::size_t>(most_at_once, basis.size() - j));
        std::array<const double*, most_at_once> v{};
        for (int i = 0; i < vectors; ++i) v[at(i)] = basis[j + at(i)] + first;
        of_rows = loops_->combine(rows, vectors, v.data(), h.data() + j, w + first);
      }
      square += of_rows;
    }
    partial_[at(part)].sums.first = square;
  });
  return total().first;
}
}  // namespace sparsecast::solving
