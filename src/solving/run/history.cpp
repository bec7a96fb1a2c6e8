#include "solving/run/history.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/clock.hpp"
#include "base/interrupt.hpp"

namespace sparsecast::solving {
namespace {
constexpr std::size_t most_kept = 2000;
// A residual that has grown so much comes back from rounding alone, if at all.
constexpr double hopeless = 1e10;
// Of the best residual so far: what counts as progress.
constexpr double progress = 0.99;
}  // namespace

History::History(const RunOptions& options) : options_(options), start_s_(base::now_s()) {}

void History::begin(double residual) {
  residual_ = residual;
  if (iterations_ == 0) {
    first_ = best_ = residual;
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
  if (residual <= enough()) return end(Ending::converged);
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

double History::enough() const { return options_.until_tolerance ? std::max(options_.tolerance, rounding) : rounding; }

bool History::goes_on_from(double true_residual) const {
  const bool at_limit = options_.iterations > 0 && iterations_ >= options_.iterations;
  return ending_ == Ending::converged && options_.until_tolerance && true_residual > enough() && !at_limit;
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
}  // namespace sparsecast::solving
