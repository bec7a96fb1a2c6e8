#include "planning/choice/choose.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "fields/wording.hpp"
#include "forecast/model_names.hpp"
#include "formats/kernels.hpp"
#include "planning/choice/few_products.hpp"
#include "planning/choice/pair.hpp"
#include "planning/choice/thread_counts.hpp"
#include "planning/powers/choose_powers.hpp"
#include "planning/powers/memory_now.hpp"
#include "planning/reorder/order_search.hpp"
#include "planning/run/plan_runner.hpp"
#include "planning/run/settle_powers.hpp"
#include "planning/search/cost.hpp"

namespace sparsecast::planning {
namespace {
bool of_own_models(const PlanRequest& request) { return forecast::asks_own(request.model); }
bool may_observe(const PlanRequest& request) {
  return of_own_models(request) && !request.no_store && request.profile.empty();
}
bool tells_trials(const PlanRequest& request) { return parse_trials(request.trials).mode != TrialMode::none; }

ProductKind product_of(const PlanRequest& request) {
  return {request.strategy.vectors, request.strategy.transposed, request.precision};
}

// Of a plan for one number of threads: what was measured with another says nothing.
ObservedProducts observed_of(const PlanRequest& request, const Matrix& matrix, const std::string& device, int threads) {
  if (!may_observe(request)) return {};
  return {matrix, device, product_of(request), threads, request.listener};
}

// What was tried before, with as many threads as came out best of these counts, greatest first.
std::optional<Choice> known(const PlanRequest& request, const Matrix& matrix, const std::string& device,
                            const std::vector<int>& counts) {
  if (!may_observe(request)) return std::nullopt;
  ObservedProducts::prepare(device, request.listener);
  const double start = base::now_s();
  std::optional<Choice> best;
  std::size_t plans = 0;
  bool chosen = false;  // among all counts
  std::string pattern;
  for (const int threads : counts) {
    ObservedProducts observed(matrix, device, product_of(request), threads, request.listener, pattern);
    pattern = observed.pattern();
    std::optional<Strategy> plan = observed.known_plan(request.strategy, tells_trials(request));
    if (!plan) continue;
    ++plans;
    chosen = chosen || observed.compared() >= counts.front() ||
             (threads == counts.front() && plan->predicted_s > starting_threads_matters_s);
    if (!best || cost_of(*plan) < cost_of(best->strategy)) best = {std::move(*plan), matrix, std::move(observed), {}};
  }
  if (!chosen && plans < counts.size()) return std::nullopt;
  best->strategy.planning_s = base::now_s() - start;
  return best;
}

// By the models, over the numbers of threads; smaller ones than the greatest are asked only where a product is short.
Choice searched(const PlanRequest& request, const Matrix& matrix, DeviceModels& device,
                const std::vector<int>& counts) {
  constexpr std::int64_t usual = 1000;  // products of whoever says no number
  StrategyOptions wanted = request.strategy;
  Choice choice{.strategy = {}, .matrix = matrix};
  double planning_s = 0;  // of all numbers of threads
  for (const int threads : counts) {
    const auto planner = device.planner(request.model, device.fit(request.precision, threads));
    const double start = base::now_s();
    if (!wanted.structure && of_own_models(request))
      wanted.structure = planner->structure(matrix, wanted.iterations > 0 ? wanted.iterations : usual);
    Strategy one = planner->strategy(matrix, wanted);
    planning_s += base::now_s() - start;
    const bool first = choice.strategy.blocks.empty();
    if (first || cost_of(one) < cost_of(choice.strategy)) choice.strategy = std::move(one);
    if (first && choice.strategy.predicted_s > starting_threads_matters_s) break;
  }
  choice.strategy.planning_s = planning_s;
  choice.observed = observed_of(request, matrix, choice.strategy.device, choice.strategy.threads);
  if (wanted.structure)
    choice.observed.look_around(*wanted.structure, device.profile(),
                                device.fit(request.precision, choice.strategy.threads), request.listener);
  choice.observed.among(counts.front());
  choice.observed.apply(choice.strategy, tells_trials(request));
  return choice;
}

// In the order of rows and columns that pays, or that was asked for, on so many threads.
Choice in_order(const PlanRequest& request, const Matrix& matrix, DeviceModels& device, int threads, Ordering wanted) {
  const FitOptions fit = device.fit(request.precision, threads);
  Choice choice{.strategy = {}, .matrix = {}};
  choice.order = find_reordering(*device.planner(request.model, fit), matrix, request.strategy, wanted);
  choice.strategy = choice.order->strategy;
  choice.matrix = choice.order->matrix;
  choice.observed = observed_of(request, choice.matrix, device.profile().name, fit.threads);
  choice.observed.apply(choice.strategy, tells_trials(request));
  find_break_even_in_order(choice.strategy, *choice.order);
  return choice;
}

std::vector<int> counts_for(const PlanRequest& request, const Profile& profile, int threads) {
  if (!of_own_models(request)) return {threads};
  std::vector<int> counts = measured_threads(profile, request.precision, threads);
  if (counts.empty())
    throw Error(ErrorCode::failed,
                fmt::format("the profile of {} has no times for at most {} threads", profile.name, threads), {},
                "calibrate here, or use another profile");
  if (profile.properties.kind == DeviceKind::host && counts.front() < threads && request.listener.remark)
    request.listener.remark(fmt::format("the plan is for {} thread{}, the most of up to {} that {} was measured with",
                                        counts.front(), counts.front() == 1 ? "" : "s", threads, profile.name));
  return counts;
}
}  // namespace

namespace {
// Nothing is forecast or tried where a kernel is named: what only a search takes would be dropped without a word. A
// profile, which programs name for all their plans, is told.
void require_no_search(const PlanRequest& request, const std::optional<Ordering>& order) {
  const StrategyOptions& wanted = request.strategy;
  const auto refuse = [&](const char* option) {
    throw Error(ErrorCode::usage,
                wording::format("{} is {}: nothing is forecast or tried, and {} would be ignored",
                                wording::option("kernel"), request.kernel, wording::option(option)),
                {}, wording::format("omit {} or {}", wording::option("kernel"), wording::option(option)));
  };
  if (!request.profile.empty() && request.listener.remark)
    request.listener.remark(wording::format("{} is without effect: {} is {}, and nothing is forecast",
                                            wording::option("profile"), wording::option("kernel"), request.kernel)
                                .in(request.listener.voice));
  if (order) refuse("order");
  if (tells_trials(request)) refuse("trials");
  if (wanted.strip_rows != 0) refuse("strip_rows");
  if (wanted.max_blocks != 0) refuse("max_blocks");
  if (wanted.always_cut) refuse("always_cut");
}

// The kernel that was named, without a forecast. What else was asked for must go with it.
Choice named_kernel(const PlanRequest& request, const Matrix& matrix, const Asked& asked) {
  const StrategyOptions& wanted = request.strategy;
  if (request.device != "host")
    throw Error(ErrorCode::usage, fmt::format("a kernel is named for '{}'", request.device), {},
                "kernels are named on the host");
  if (!wanted.kernels.empty() && std::ranges::find(wanted.kernels, request.kernel) == wanted.kernels.end())
    throw Error(ErrorCode::usage,
                wording::format("{} is {}, which {} leaves out", wording::option("kernel"), request.kernel,
                                wording::option("kernels")),
                {}, wording::format("omit {} or {}", wording::option("kernel"), wording::option("kernels")));
  require_no_search(request, asked.order);
  if (request.model != forecast::best_model) forecast::require_model(request.model);
  Strategy strategy = one_kernel(matrix, request.kernel, request.precision, asked.threads);
  strategy.iterations = wanted.iterations;
  strategy.vectors = wanted.vectors;
  strategy.transposed = wanted.transposed;
  return {std::move(strategy), matrix};
}

// The times that a plan tells are of one product; which, must not be said twice.
void require_one_wish(const PlanRequest& request) {
  if (request.strategy.transposed)
    throw Error(ErrorCode::usage,
                wording::format("{} already says how often the transpose is applied", wording::option("products")), {},
                wording::format("omit {}", wording::option("transposed")));
}

Choice chosen_product(const PlanRequest& request, const Matrix& matrix, DeviceModels& device, const Asked& asked) {
  if (!request.kernel.empty()) return named_kernel(request, matrix, asked);
  const bool few = !asked.order && is_done_before_a_look(request, matrix);
  if (few && asked.look == Look::where_it_pays) return {without_a_look(request, matrix, asked.threads), matrix};
  const std::vector<int> counts = counts_for(request, device.profile(), asked.threads);
  if (asked.order) {
    // An order is looked for on as many threads as the rows would have as they are, so that it can only gain.
    const int threads = counts.size() > 1 ? searched(request, matrix, device, counts).strategy.threads : counts.front();
    return in_order(request, matrix, device, threads, *asked.order);
  }
  if (!few && !asked.forecasts)
    if (std::optional<Choice> found = known(request, matrix, device.profile().name, counts)) return std::move(*found);
  Choice choice = searched(request, matrix, device, counts);
  if (few) take_default_kernel(choice.strategy, matrix);
  return choice;
}

// Powers of the matrix in its order, by the models of the plan that was found where they have been asked.
PowersChoice chosen_powers(const PlanRequest& request, const Choice& choice, DeviceModels& device) {
  PowersForecasters forecasters;
  const Strategy& plain = choice.strategy;
  if (!plain.singles.empty() && of_own_models(request)) {
    forecasters.profile = &device.profile();
    forecasters.planner = device.planner(request.model, device.fit(request.precision, plain.threads));
    const std::vector<int> one = measured_threads(device.profile(), request.precision, 1);
    if (!one.empty() && one.front() == 1)
      forecasters.one_thread = device.planner(request.model, device.fit(request.precision, 1));
    const MemoryNow memory(device.profile(), plain.threads, 0, value_bytes(plain.precision));
    if (request.device == "host" && request.profile.empty() && choice.matrix.rows() == choice.matrix.cols() &&
        memory.from_memory(plain.best_single, choice.matrix.rows()))
      forecasters.memory_rate = MemoryNow::rate_now(device.profile(), plain.threads);
  }
  return choose_powers(choice.matrix, request.powers, plain, forecasters);
}
}  // namespace

Choice choose(const PlanRequest& request, const Matrix& matrix, DeviceModels& device, const Asked& asked) {
  if (!request.products.empty()) {
    const ProductShares shares = parse_products(request.products);
    require_one_wish(request);
    if (shares.both() && request.powers != 0)
      throw Error(ErrorCode::usage, "powers are planned for A alone, not for A and Aᵀ in turns", {},
                  "plan for one of the two");
    if (shares.both()) return choose_pair(request, shares, matrix, device, asked);
    PlanRequest one = request;
    one.products = {};
    one.strategy.transposed = shares.transposed > 0;
    return choose(one, matrix, device, asked);
  }
  if (request.powers < 0) throw Error(ErrorCode::usage, fmt::format("{} powers of a matrix", request.powers));
  if (request.powers > 0 && (request.strategy.vectors > 1 || request.strategy.transposed))
    throw Error(ErrorCode::usage, "powers are planned for one vector at a time", {}, "plan for one of the two");
  Choice choice = chosen_product(request, matrix, device, asked);
  if (request.powers > 0) {
    PowersChoice powers = chosen_powers(request, choice, device);
    choice.strategy.powers = std::move(powers.strategy);
    choice.other_powers = std::move(powers.others);
  }
  return choice;
}

Plan carry_out(const Choice& choice, const PlanRequest& request) {
  const bool times = times_powers(request, choice.strategy, choice.matrix.rows());
  TrialOptions trials = parse_trials(request.trials);
  // Products are what powers are held against.
  if (are_many_powers(request, choice.strategy) && trials.mode == TrialMode::none) trials = {TrialMode::automatic};
  const bool tries = trials.mode != TrialMode::none && !choice.strategy.trials;
  if (choice.runner && !tries) {
    choice.runner->pace.promise(choice.runner->strategy);
    return Runner::plan_of(choice.runner);
  }
  if (choice.strategy.transpose && tries) {  // of A; what multiplies by Aᵀ was measured before
    Choice normal{.strategy = choice.strategy, .matrix = choice.matrix, .observed = choice.observed};
    normal.strategy.transpose.reset();
    const Plan tried = carry_out(normal, request);
    Strategy both = tried.strategy();
    both.transpose = choice.strategy.transpose;
    return Runner::plan_of(pair_runner(std::move(both), choice.matrix, Runner::share(tried)));
  }
  Plan plan = try_out(choice.matrix, choice.strategy, tries ? trials : TrialOptions());
  if (tries && trials.mode != TrialMode::online && plan.strategy().trials) {
    TrialReport report = *plan.strategy().trials;
    report.settled = report.settled && request.strategy.kernels.empty();  // others may win more
    choice.observed.keep(report, request.listener);
  }
  if (times) settle_powers(Runner::share(plan), choice.matrix, choice.other_powers);
  return plan;
}
}  // namespace sparsecast::planning
