#include "planning/choice/pair.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>
#include <sparsecast/transpose.hpp>
#include <sparsecast_constants.hpp>
#include <utility>

#include "base/clock.hpp"
#include "base/machine/memory.hpp"
#include "base/median.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "fields/plan.hpp"
#include "formats/kernels.hpp"
#include "matrix/structure/symmetry.hpp"
#include "planning/choice/few_products.hpp"
#include "planning/run/plan_runner.hpp"

namespace sparsecast {
ProductShares parse_products(std::string_view text) {
  const auto refuse = [&] {
    throw Error(ErrorCode::usage, fmt::format("products are given as 'A=1,A.T=1', not as '{}'", text));
  };
  ProductShares shares{0, 0};
  bool named[2] = {false, false};
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const std::size_t sign = one.find('=');
    const std::string_view name = one.substr(0, sign);
    const std::optional<double> share =
        sign == std::string_view::npos ? 1.0 : base::number_in<double>(one.substr(sign + 1));
    if (!share || !(*share >= 0) || !std::isfinite(*share) || (name != "A" && name != "A.T")) refuse();
    const bool by_transpose = name == "A.T";
    if (std::exchange(named[by_transpose ? 1 : 0], true)) refuse();
    (by_transpose ? shares.transposed : shares.normal) = *share;
  }
  if (shares.normal + shares.transposed <= 0) refuse();
  return shares;
}

namespace planning {
namespace {
constexpr int pair_least_rounds = 2;
// A burst is long beside the clock; a pair as long as the other brings nothing into the caches that it finds there.
constexpr double pair_burst_s = 5e-4, pair_beyond_caches_s = 1e-2;

struct PairCandidate {
  PlannedTranspose planned;
  std::shared_ptr<Runner> runner = {};
  std::vector<double> normal_s = {}, transposed_s = {};

  [[nodiscard]] double measured_s() const {
    return planned.normal_share * base::median(normal_s) + planned.transposed_share * base::median(transposed_s);
  }
  // Of the quietest rounds: others on the machine slow products down and never speed them up.
  [[nodiscard]] double least_s() const {
    return planned.normal_share * *std::ranges::min_element(normal_s) +
           planned.transposed_share * *std::ranges::min_element(transposed_s);
  }
};

// Products of a runner in turns, with vectors of its own.
template <class Value>
class PairClock {
 public:
  explicit PairClock(const Matrix& matrix)
      : x_(static_cast<std::size_t>(matrix.cols()), Value{1}),
        z_(x_.size()),
        u_(static_cast<std::size_t>(matrix.rows()), Value{1}),
        y_(u_.size()) {}

  void round(PairCandidate& candidate) {
    const auto pair_s = [&] {
      const auto [normal, transposed] = once(candidate);
      return normal + transposed;
    };
    // A first one brings its storage into the caches, if it is one that fits.
    double seconds = pair_s();
    if (candidate.normal_s.empty() || seconds < pair_beyond_caches_s) seconds = pair_s();
    const int times = static_cast<int>(std::clamp(pair_burst_s / std::max(seconds, 1e-7), 1.0, 1000.0));
    double normal = 0, transposed = 0;
    for (int i = 0; i < times; ++i) {
      const auto [first, second] = once(candidate);
      normal += first;
      transposed += second;
    }
    candidate.normal_s.push_back(normal / times);
    candidate.transposed_s.push_back(transposed / times);
  }

 private:
  std::pair<double, double> once(const PairCandidate& candidate) {
    const auto rows = static_cast<std::int64_t>(u_.size()), cols = static_cast<std::int64_t>(x_.size());
    const double start = base::now_s();
    candidate.runner->run(Call<Value>{{}, {x_.data(), cols}, {y_.data(), rows}, false});
    const double between = base::now_s();
    candidate.runner->run(Call<Value>{{}, {u_.data(), rows}, {z_.data(), cols}, true});
    return {between - start, base::now_s() - between};
  }

  std::vector<Value> x_, z_, u_, y_;
};

// Of every candidate the products in turns, round by round; then the first is the one that takes least.
void measure_pairs(std::vector<PairCandidate>& candidates, const Strategy& normal, const Matrix& matrix) {
  std::shared_ptr<Runner> of_normal;
  for (PairCandidate& candidate : candidates) {
    Strategy strategy = normal;
    strategy.transpose = candidate.planned;
    if (!of_normal) of_normal = make_runner(matrix, normal, {.summed = false});
    candidate.runner = pair_runner(std::move(strategy), matrix, of_normal);
  }
  const double start = base::now_s();
  with_value_of(normal.precision, [&]<class Value>(Value) {
    PairClock<Value> clock(matrix);
    for (int round = 0; round < constants::pair_rounds; ++round) {
      if (round >= pair_least_rounds && base::now_s() - start > constants::pair_most_s) break;
      for (PairCandidate& candidate : candidates) clock.round(candidate);
      if (round + 1 < pair_least_rounds) continue;
      const double best = std::ranges::min_element(candidates, {}, &PairCandidate::least_s)->least_s();
      std::erase_if(candidates, [&](const PairCandidate& c) { return c.least_s() > constants::pair_hopeless * best; });
      if (candidates.size() == 1) break;
    }
  });
  std::ranges::stable_sort(candidates, {}, &PairCandidate::measured_s);
  for (PairCandidate& candidate : candidates) {
    candidate.planned.seconds = base::median(candidate.transposed_s);
    candidate.planned.beside_s = base::median(candidate.normal_s);
  }
}

std::string told(TransposeStorage storage) {
  switch (storage) {
    case TransposeStorage::symmetric: return "A is symmetric";
    case TransposeStorage::shared: return "the storage of A serves both products";
    case TransposeStorage::second_form: return "A is stored in a second form";
    case TransposeStorage::transpose: break;
  }
  return "Aᵀ is stored beside A";
}

// The forecast of y = Aᵀ·x by what multiplies by A already; by the default kernel where that has no such product.
std::optional<double> shared_seconds(const Strategy& normal, const Strategy& transposed) {
  const std::string& kernel = normal.blocks.front().kernel;
  const bool cut = normal.blocks.size() > 1 || normal.blocks.front().reordered;
  const std::string_view name =
      cut || !formats::kernel_or_plain(kernel).transposes ? formats::default_kernel().name : std::string_view(kernel);
  const auto found = std::ranges::find(transposed.singles, name, &SingleKernel::kernel);
  return found == transposed.singles.end() ? std::nullopt : std::optional(found->seconds);
}

bool fits_twice(const Strategy& transposed, std::int64_t bytes) {
  const auto memory = base::memory_bytes();
  return memory <= 0 || bytes + transposed.best_single.bytes <= memory / 2;
}

PlanRequest request_for(const PlanRequest& request, double share) {
  PlanRequest one = request;
  one.products = {};
  one.strategy.transposed = false;
  if (one.strategy.iterations > 0)
    one.strategy.iterations =
        std::max<std::int64_t>(1, std::llround(static_cast<double>(one.strategy.iterations) * share));
  return one;
}
}  // namespace

Choice choose_pair(const PlanRequest& request, const ProductShares& shares, const Matrix& matrix, DeviceModels& device,
                   const Asked& asked) {
  if (request.device != "host")
    throw Error(ErrorCode::unavailable, "plans for A and Aᵀ in turns are for the host only", {},
                "omit the products, or the device");
  if (asked.order)
    throw Error(ErrorCode::usage, "an order of rows and columns is searched for A alone", {}, "omit one of them");
  const double all = shares.normal + shares.transposed;
  const PlanRequest for_normal = request_for(request, shares.normal / all);
  PlanRequest for_transposed = request_for(request, shares.transposed / all);
  Choice choice = choose(for_normal, matrix, device, asked);
  const std::int64_t times = for_transposed.strategy.iterations;
  PlannedTranspose planned{
      .threads = choice.strategy.threads, .normal_share = shares.normal, .transposed_share = shares.transposed};
  const auto settle = [&](PlannedTranspose chosen, std::string reason) {
    chosen.reason = std::move(reason);
    choice.strategy.transpose = std::move(chosen);
  };
  if (!request.kernel.empty() || matrix.nonzeros() == 0 || is_done_before_a_look(request, matrix)) {
    settle(planned, "nothing is stored for Aᵀ: " +
                        (matrix.nonzeros() == 0 ? std::string("the matrix has no entries") : choice.strategy.reason));
    return choice;
  }
  if (!matrix.is_complex() && matrix.rows() == matrix.cols() &&
      matrix::value_symmetry(matrix, choice.strategy.threads).symmetric == 1) {
    planned.storage = TransposeStorage::symmetric;
    planned.seconds = choice.strategy.predicted_s;
    settle(planned, told(planned.storage));
    return choice;
  }
  for_transposed.strategy.transposed = true;
  const Strategy in_place = choose(for_transposed, matrix, device, asked).strategy;
  std::vector<PairCandidate> candidates;
  if (const std::optional<double> seconds = shared_seconds(choice.strategy, in_place)) {
    planned.seconds = *seconds;
    candidates.push_back({planned});
  }
  const bool same_form = in_place.blocks.size() == 1 && choice.strategy.blocks.size() == 1 &&
                         in_place.blocks.front().kernel == choice.strategy.blocks.front().kernel &&
                         in_place.threads == choice.strategy.threads;
  if (!same_form || candidates.empty()) {
    planned.storage = TransposeStorage::second_form;
    planned.blocks = in_place.blocks;
    planned.threads = in_place.threads;
    planned.seconds = in_place.predicted_s;
    planned.conversion_s = in_place.conversion_s;
    candidates.push_back({planned});
  }
  if (!matrix.is_complex() && fits_twice(in_place, choice.strategy.best_single.bytes)) {
    for_transposed.strategy.transposed = false;
    const double start = base::now_s();
    const Matrix turned = transpose(matrix);
    const double transpose_s = base::now_s() - start;
    const Strategy stored = choose(for_transposed, turned, device, asked).strategy;
    planned.storage = TransposeStorage::transpose;
    planned.blocks = stored.blocks;
    planned.threads = stored.threads;
    planned.seconds = stored.predicted_s;
    planned.conversion_s = stored.conversion_s + transpose_s;
    candidates.push_back({planned});
  }
  const auto total = [&](const PairCandidate& candidate) {
    const PlannedTranspose& of = candidate.planned;
    return times > 0 ? of.conversion_s + static_cast<double>(times) * of.seconds : of.seconds;
  };
  std::ranges::stable_sort(candidates, {}, total);
  const bool measured =
      candidates.size() > 1 && (times == 0 || static_cast<double>(times) >= constants::pair_measured_from);
  if (measured) {
    measure_pairs(candidates, choice.strategy, matrix);
    choice.runner = candidates.front().runner;
  }
  const PairCandidate& best = candidates.front();
  std::string reason =
      fmt::format("{}: {} a product of Aᵀ, {}", told(best.planned.storage), base::format_seconds(best.planned.seconds),
                  measured ? "measured in turns with A" : "as forecast");
  if (candidates.size() > 1)
    reason += fmt::format("; {} where {}", base::format_seconds(candidates[1].planned.seconds),
                          told(candidates[1].planned.storage));
  settle(best.planned, std::move(reason));
  if (choice.runner) choice.runner->strategy.transpose = choice.strategy.transpose;
  return choice;
}
}  // namespace planning
}  // namespace sparsecast
