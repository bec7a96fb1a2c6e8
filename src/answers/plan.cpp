// plan: strategies for every number of threads that is worth asking about, and the best of them.

#include <fmt/format.h>
#include <omp.h>
#include <set>
#include <sparsecast/answers/plan.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/threads.hpp>

#include "answers/inputs.hpp"
#include "answers/machine.hpp"
#include "answers/memory.hpp"
#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "forecast/record_choice.hpp"
#include "formats/kernels.hpp"

namespace sparsecast {
namespace {
using answers::Machine;

constexpr double starting_threads_matters_s = 1e-3;

std::shared_ptr<Machine> machine_of(const PlanRequest& request) try {
  return Machine::of(request.device, request.profile.string(), request.listener, true);
} catch (const Error& error) {
  // Whoever plans wants to multiply there: an unknown name is a device that is not here.
  if (error.code() != ErrorCode::usage) throw;
  throw Error(ErrorCode::unavailable, error.reason(), error.place(), error.remedy());
}

// Numbers of threads that the default kernel, which every plan is compared with, has records of. Greatest first; {0}
// for other devices than a host.
std::vector<int> known_threads(const Profile& profile, Precision precision, int most) {
  if (profile.properties.kind != DeviceKind::host) return {0};
  std::set<int, std::greater<>> counts;
  for (const Record& record : profile.records)
    if (record.threads <= most && !counts.contains(record.threads) && record.kernel == formats::default_kernel().name)
      counts.insert(record.threads);
  std::erase_if(counts, [&](int count) { return !forecast::has_records(profile, {precision, count, {}}); });
  return {counts.begin(), counts.end()};
}

// What is to be small.
double cost(const Strategy& strategy) {
  return strategy.iterations > 0
             ? static_cast<double>(strategy.iterations) * strategy.predicted_s + strategy.conversion_s
             : strategy.predicted_s;
}

// Of a plan for one number of threads: what was measured with another says nothing.
answers::Memory memory_of(const PlanRequest& request, const Matrix& matrix, const Strategy& strategy) {
  if (request.no_store || !request.profile.empty() || strategy.singles.empty()) return {};
  return {matrix,
          strategy.device,
          {strategy.vectors, strategy.transposed, strategy.precision},
          strategy.threads,
          request.listener};
}

PlanRequest in_its_precision(PlanRequest request, const Matrix& matrix) {
  if (matrix.is_complex()) request.precision = complex_of(request.precision);
  return request;
}

// Looking at a matrix takes as long as some products of it, and saves at most a part of each: so few products are
// finished first by the default kernel, which reads the matrix where it lies.
bool is_done_before_a_look(const PlanRequest& request) {
  const StrategyOptions& wanted = request.strategy;
  const bool as_usual = request.device == "host" && request.trials == "none" && wanted.strip_rows == 0 &&
                        wanted.max_blocks == 0 && !wanted.always_cut;
  return as_usual && wanted.iterations > 0 && wanted.iterations <= StrategyOptions::few_products &&
         wanted.iterations * wanted.vectors <= StrategyOptions::few_products;
}

Strategy without_a_look(const PlanRequest& request, const Matrix& matrix) {
  constexpr std::int64_t of_a_thread = 20'000;  // entries: some microseconds, as long as it takes to start another
  const std::int64_t threads =
      std::min<std::int64_t>(most_threads(request.threads), 1 + matrix.nonzeros() / of_a_thread);
  Strategy strategy =
      one_kernel(matrix, std::string(formats::default_kernel().name), request.precision, static_cast<int>(threads));
  strategy.iterations = request.strategy.iterations;
  strategy.vectors = request.strategy.vectors;
  strategy.transposed = request.strategy.transposed;
  strategy.reason = "so few products are done before a look at the matrix pays";
  return strategy;
}

// By the models, and by what is remembered.
struct Found {
  Strategy strategy;
  answers::Memory memory;
};

// What was tried before, with as many threads as came out best of these counts, greatest first.
std::optional<Found> known(const PlanRequest& request, const Matrix& matrix, const std::vector<int>& counts) {
  if (request.no_store || !request.profile.empty()) return std::nullopt;
  answers::Memory::prepare(request.device, request.listener);
  const double start = base::now_s();
  const ProductKind product{request.strategy.vectors, request.strategy.transposed, request.precision};
  std::optional<Found> best;
  std::size_t plans = 0;
  bool chosen = false;  // among all counts
  std::string pattern;
  for (const int threads : counts) {
    answers::Memory memory(matrix, request.device, product, threads, request.listener, pattern);
    pattern = memory.pattern();
    std::optional<Strategy> plan = memory.known_plan(request.strategy, request.trials != "none");
    if (!plan) continue;
    ++plans;
    chosen = chosen || memory.compared() >= counts.front() ||
             (threads == counts.front() && plan->predicted_s > starting_threads_matters_s);
    if (!best || cost(*plan) < cost(best->strategy)) best = {std::move(*plan), std::move(memory)};
  }
  if (!chosen && plans < counts.size()) return std::nullopt;
  best->strategy.planning_s = base::now_s() - start;
  return best;
}

Found find(const PlanRequest& request, const Matrix& matrix) {
  if (is_done_before_a_look(request)) return {without_a_look(request, matrix), {}};
  if (matrix.nonzeros() == 0 && request.device == "host")  // there is nothing to choose
    return {one_kernel(matrix, std::string(formats::default_kernel().name), request.precision, 1), {}};
  const std::shared_ptr<Machine> machine = machine_of(request);
  const int most = most_threads(request.threads);
  const std::vector<int> counts = known_threads(machine->profile(), request.precision, most);
  if (counts.empty())
    throw Error(ErrorCode::failed,
                fmt::format("the profile of {} has no times of at most {} threads", machine->profile().name, most), {},
                "calibrate here, or name another profile");
  if (std::optional<Found> found = known(request, matrix, counts)) return std::move(*found);
  Strategy best;
  constexpr std::int64_t usual = 1000;  // products of whoever says no number
  StrategyOptions wanted = request.strategy;
  double planning_s = 0;  // of all numbers of threads
  for (const int threads : counts) {
    const FitOptions fit = answers::fit_options(machine->profile(), request.precision, threads, request.listener);
    const auto planner = machine->planner("best", fit);
    const double start = base::now_s();
    if (!wanted.structure)
      wanted.structure = planner->structure(matrix, wanted.iterations > 0 ? wanted.iterations : usual);
    Strategy one = planner->strategy(matrix, wanted);
    planning_s += base::now_s() - start;
    const bool first = best.blocks.empty();
    if (first || cost(one) < cost(best)) best = std::move(one);
    if (first && best.predicted_s > starting_threads_matters_s) break;
  }
  best.planning_s = planning_s;
  answers::Memory memory = memory_of(request, matrix, best);
  memory.look_around(*wanted.structure, machine->profile(),
                     answers::fit_options(machine->profile(), request.precision, best.threads, request.listener),
                     request.listener);
  memory.among(counts.front());
  memory.apply(best, parse_trials(request.trials).mode != TrialMode::none);
  return {std::move(best), std::move(memory)};
}
}  // namespace

int most_threads(int asked) {
  const int allowed = std::min(available_cores(), omp_get_max_threads());
  return std::max(1, asked > 0 ? std::min(asked, allowed) : allowed);
}

std::vector<int> missing_calibrations(const PlanRequest& request) {
  if (!request.profile.empty() || is_done_before_a_look(request)) return {};
  const bool host = request.device == "host";
  const bool here = host || request.device.starts_with("opencl:") || request.device.starts_with("cuda:");
  const int most = most_threads(request.threads);
  std::set<int, std::greater<>> missing;
  if (host) missing = {most, 1};
  try {
    for (const int count : known_threads(machine_of(request)->profile(), request.precision, most)) missing.erase(count);
  } catch (const Error& error) {
    if (!here || error.code() != ErrorCode::failed) throw;  // failed: it is here and was never calibrated
    if (!host) missing = {0};
  }
  return {missing.begin(), missing.end()};
}

Strategy best_strategy(const PlanRequest& request) {
  const base::StopScope stop(request.listener.stop);
  const Matrix matrix = load_matrix(request.matrix, request.threads, request.listener);
  return find(in_its_precision(request, matrix), matrix).strategy;
}

Plan plan(const PlanRequest& asked_for) {
  const base::StopScope stop(asked_for.listener.stop);
  const Matrix matrix = load_matrix(asked_for.matrix, asked_for.threads, asked_for.listener);
  const PlanRequest request = in_its_precision(asked_for, matrix);
  Found found = find(request, matrix);
  return answers::plan_from(matrix, std::move(found.strategy), parse_trials(request.trials), found.memory,
                            request.listener);
}
}  // namespace sparsecast
