#include "solving/run/problem.hpp"

#include <fmt/format.h>
#include <cmath>

#include "base/clock.hpp"
#include "base/interrupt.hpp"

namespace sparsecast::solving {
namespace {
constexpr std::size_t most_kept = 2000;
// Below it a residual is rounding, and methods divide 0 by 0.
constexpr double rounding = 1e-15;
// A residual that has grown so much comes back from rounding alone, if at all.
constexpr double hopeless = 1e10;
// Of the best residual so far: what counts as progress.
constexpr double progress = 0.99;

// Rows of w that stay in the first cache while all of the basis is gone through.
constexpr std::int64_t pass_rows = 1024;
constexpr int most_at_once = formats::VectorLoops::most_at_once;
}  // namespace

History::History(const RunOptions& options) : options_(options), start_s_(base::now_s()) {}

void History::begin(double residual) {
  if (iterations_ == 0) {
    residual_ = first_ = best_ = residual;
    kept_ = {residual};
    preparation_s_ = base::now_s() - start_s_;
  }
  start_s_ = base::now_s();
}

bool History::end(Ending ending) {
  seconds_ += base::now_s() - start_s_;
  ending_ = ending;
  return false;
}

bool History::goes_on(double residual, std::int64_t iterations) {
  iterations_ += iterations;
  residual_ = residual;
  every_ = std::max(every_, iterations);
  if (iterations_ % every_ == 0) {
    kept_.push_back(residual);
    if (kept_.size() >= most_kept) {
      std::size_t to = 0;
      for (std::size_t from = 0; from < kept_.size(); from += 2) kept_[to++] = kept_[from];
      kept_.resize(to);
      every_ *= 2;
    }
  }
  if (!std::isfinite(residual) || residual > hopeless * std::max(1.0, first_)) return end(Ending::diverged);
  if (residual <= (options_.until_tolerance ? std::max(options_.tolerance, rounding) : rounding))
    return end(Ending::converged);
  if (residual < progress * best_) {
    best_ = residual;
    best_at_ = iterations_;
  }
  const std::int64_t most = options_.iterations > 0 ? options_.iterations : options_.most;
  if (iterations_ >= most) return end(Ending::limit);
  if (options_.iterations == 0 && iterations_ - best_at_ >= options_.patience) return end(Ending::stagnated);
  if (base::interrupt_requested()) base::throw_if_interrupted();
  return true;
}

void History::break_down(std::string reason) {
  reason_ = std::move(reason);
  end(residual_ <= rounding ? Ending::converged : Ending::broke_down);
}

std::string History::text() const {
  constexpr std::size_t shown = 8;
  std::string text;
  const std::size_t count = std::min(shown, kept_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = count < 2 ? 0 : i * (kept_.size() - 1) / (count - 1);
    text += fmt::format("{}{:.2g}", text.empty() ? "" : ", ", kept_[at]);
  }
  return text;
}

double Problem::relative(double square) const { return std::sqrt(square) / b_norm; }

void Problem::product(const Vector& x, Vector& y) {
  if (rows() != plan.rows()) {
    using Complex = std::complex<double>;  // an array of them is one of their parts
    const auto rows = static_cast<std::size_t>(plan.rows());
    plan.apply(std::span(reinterpret_cast<const Complex*>(x.data()), rows),
               std::span(reinterpret_cast<Complex*>(y.data()), rows));
  } else {
    plan.apply(std::span<const double>(x), std::span<double>(y));
  }
  sweeps.counted.products += 1;
}

void Problem::transposed(const Vector& x, Vector& y) {
  plan.apply_transposed(std::span<const double>(x), std::span<double>(y));
  sweeps.counted.transposed += 1;
}

void Problem::precondition(const Vector& r, Vector& z) {
  preconditioner.apply(r.data(), z.data());
  sweeps.counted.preconditions += 1;
}

double Problem::residual(const Vector& x, Vector& r) {
  product(x, r);
  return sweeps.sum({b.data(), r.data()}, {r.data()}, [&](std::int64_t begin, std::int64_t end) {
    double square = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      r[i] = b[i] - r[i];
      square += r[i] * r[i];
    }
    return square;
  });
}

double Problem::dot(const Vector& x, const Vector& y) {
  return sweeps.sum({x.data(), y.data()}, {}, [&](std::int64_t begin, std::int64_t end) {
    return loops().dot(end - begin, x.data() + begin, y.data() + begin);
  });
}

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
