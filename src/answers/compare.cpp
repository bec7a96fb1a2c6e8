// compare: machines ranked for each matrix by the best kernel of each, and over all.

#include <fmt/format.h>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>
#include <sparsecast/answers/compare.hpp>
#include <sparsecast/error.hpp>

#include "answers/in_range.hpp"
#include "answers/inputs.hpp"
#include "answers/machine.hpp"
#include "answers/solver_choice.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/interrupt.hpp"
#include "calibration/store.hpp"
#include "fields/answers/compare.hpp"
#include "fields/wording.hpp"
#include "forecast/machines/lesson.hpp"
#include "forecast/machines/ranking.hpp"
#include "forecast/memory_fit.hpp"
#include "planning/choice/observed_products.hpp"
#include "solving/forecast/forecast.hpp"
#include "solving/forecast/rates.hpp"
#include "solving/preconditioners/preconditioner.hpp"
#include "solving/requirements.hpp"

namespace sparsecast {
namespace {
using forecast::RankedMachine;
using forecast::RankEntry;

// Every machine that is known: what was measured and what is described; with prices those that have one.
std::vector<std::string> known_devices(const std::map<std::string, double>& prices) {
  std::set<std::string> names;
  for (const auto& [name, price] : prices) names.insert(name);
  if (!prices.empty()) return {names.begin(), names.end()};
  for (const std::string& name : answers::kept_profile_names()) names.insert(name);
  for (const std::string& name : described_devices()) names.insert(name);
  return {names.begin(), names.end()};
}

// Prices of an hour by machine.
std::map<std::string, double> prices_in(const std::filesystem::path& file) {
  const base::JsonSource source{file.string(), R"(write prices per hour by machine: {"aws:c7g.16xlarge": 2.5})"};
  const auto document = base::parse_json(base::read_file(file, {.what = "file of prices"}), source);
  std::map<std::string, double> prices;
  if (document.is_object())
    for (const auto& [name, price] : document.items()) prices[name] = price.is_number() ? price.get<double>() : 0;
  if (prices.empty() || std::ranges::any_of(prices, [](const auto& priced) { return !(priced.second > 0); }))
    throw Error(ErrorCode::bad_input, "it does not hold prices above 0", {source.file}, source.remedy);
  return prices;
}

// What no machine of the comparison takes.
void remark_unused(const std::vector<RankedMachine>& machines, const CompareRequest& request) {
  const auto processor = [](const RankedMachine& one) { return one.profile.properties.kind == DeviceKind::host; };
  const auto described = [&](const RankedMachine& one) { return processor(one) && !one.profile.is_measured(); };
  if (request.threads > 0 && std::ranges::none_of(machines, processor))
    answers::remark_without_effect("these machines", wording::option("threads"), request.listener);
  if (request.places != Places::spread && std::ranges::none_of(machines, described))
    answers::remark_without_effect("these machines", wording::option("compare.places", request.places),
                                   request.listener);
}

// A profile's name is what its file says, or the catalogue: two may have one, with anchors and without. They are told
// apart by the words that they were asked for with.
void name_apart(std::vector<RankedMachine>& machines, const std::vector<std::string>& asked) {
  std::map<std::string, int> known;
  for (const RankedMachine& one : machines) ++known[one.profile.name];
  for (std::size_t i = 0; i < machines.size(); ++i)
    machines[i].name = known[machines[i].profile.name] > 1 ? asked[i] : machines[i].profile.name;
}

std::vector<RankedMachine> machines_of(const CompareRequest& request) {
  const bool all = request.devices == std::vector<std::string>{"all"};
  const auto prices = request.cost.empty() ? std::map<std::string, double>() : prices_in(request.cost);
  std::vector<RankedMachine> machines;
  std::vector<std::string> asked;  // of each
  std::set<std::string> seen;
  for (const std::string& name : all ? known_devices(prices) : request.devices) {
    if (!seen.insert(name).second) continue;  // a machine does not finish before itself
    try {
      const std::size_t equals = std::min(name.find('='), name.size());
      const auto price = prices.find(name.substr(0, equals));
      if (!prices.empty() && price == prices.end())
        throw Error(ErrorCode::usage, fmt::format("'{}' has no price", name.substr(0, equals)), {request.cost.string()},
                    "omit it, or add its price per hour");
      const std::string anchors = name.substr(std::min(equals + 1, name.size()));
      const std::shared_ptr<answers::Machine> machine =
          answers::Machine::of(name.substr(0, equals), {}, request.listener, false, anchors);
      const Profile& profile = machine->profile();
      if (profile.is_measured()) answers::remark_changes(profile, request.listener);
      const FitOptions fit{.precision = request.precision,
                           .threads = answers::threads_for(profile, request.threads),
                           .places = request.places};
      machines.push_back({profile.name, profile, machine->models("best", fit), forecast::kernels_of(profile),
                          price == prices.end() ? 0 : price->second});
      asked.push_back(name);
    } catch (const Error& error) {
      // A profile without records in this precision is no reason to say nothing of the others.
      if (!all || error.code() != ErrorCode::failed) throw;
      answers::tell(request.listener.remark, "left out: " + error.message(request.listener.voice));
    }
  }
  name_apart(machines, asked);
  remark_unused(machines, request);
  return machines;
}

MachinePlace place_of(const RankEntry& entry) {
  const Forecast& best = entry.best;
  MachinePlace place{.device = entry.device,
                     .tier = entry.tier,
                     .kernel = best.kernel,
                     .seconds = best.seconds,
                     .low_s = best.low_s,
                     .high_s = best.high_s,
                     .total_s = entry.total_s,
                     .preprocess_s = best.preprocess_s,
                     .upload_s = entry.upload_s,
                     .extrapolated = best.extrapolated,
                     .gflops = best.gflops,
                     .bytes = best.bytes,
                     .fits = entry.fits,
                     .bound_by = best.bound_by ? std::string(to_string(*best.bound_by)) : "",
                     .roof_share = entry.roof_share,
                     .learned_of = best.learned_of,
                     .tie = entry.tie};
  if (entry.cost > 0) place.cost = entry.cost;
  if (entry.faster_probability > 0) place.faster_probability = entry.faster_probability;
  return place;
}

std::vector<MachineTotal> totals_of(const std::vector<MatrixRanking>& all) {
  std::map<std::string, MachineTotal> totals;
  std::map<std::string, double> log_ratios;
  for (const MatrixRanking& one : all) {
    for (const MachinePlace& place : one.ranking) {
      MachineTotal& total = totals[place.device];
      total.device = place.device;
      total.tier = place.tier;
      ++total.matrices;
      total.first += &place == &one.ranking.front() ? 1 : 0;
      total.tied += place.tie ? 1 : 0;
      total.total_s += place.total_s;
      total.fits = total.fits && place.fits;
      if (place.cost) total.cost = total.cost.value_or(0) + *place.cost;
      const MachinePlace& first = one.ranking.front();
      log_ratios[place.device] += std::log(place.cost.value_or(place.total_s) / first.cost.value_or(first.total_s));
    }
  }
  std::vector<MachineTotal> sorted;
  for (auto& [name, total] : totals) {
    total.mean_ratio = std::exp(log_ratios[name] / total.matrices);
    sorted.push_back(std::move(total));
  }
  std::ranges::stable_sort(sorted, {}, [](const MachineTotal& t) { return std::tuple(!t.fits, t.mean_ratio); });
  return sorted;
}

std::optional<MeasureNext> next_of(const std::vector<RankedMachine>& machines, const std::vector<RankEntry>& ranking,
                                   const Structure& structure, Precision precision) {
  const auto lesson = forecast::lesson_of(machines, ranking, structure, precision);
  if (!lesson) return std::nullopt;
  MeasureNext next{lesson->device, lesson->doubt, lesson->doubt_after, {}};
  for (const auto& [matrix, kernel] : lesson->products)
    next.products.push_back({matrix.name(), kernel, matrix.rows, matrix.rows * matrix.length});
  return next;
}

// An iteration of a solver in place of a product; with the diagonal as preconditioner, which every machine has, where
// the method takes one and the matrix has one.
forecast::FromProduct solver_of(const CompareRequest& request, const answers::MatrixAndStructure& of) {
  if (request.solver.empty()) return {};
  const Structure& structure = of.structure;
  const solving::Method method = solving::parse_method(request.solver);
  if (method.kind() == solving::MethodKind::pagerank || method.kind() == solving::MethodKind::lobpcg)
    throw Error(
        ErrorCode::unavailable, method.name() + " is not ranked", {},
        "machines are ranked for products y = A·x of one vector: use cg, bicgstab, gmres, chebyshev, jacobi or power");
  if (request.precision != Precision::double_)
    throw Error(ErrorCode::usage, "iterations of solvers are forecast in double precision", {},
                wording::format("give {} or {}, not both", wording::option("compare.solver"),
                                wording::option("precision", request.precision)));
  answers::require_fit(of, method);
  const bool divides = of.matrix.rows() == 0 || std::ranges::count(solving::diagonal_of(of.matrix), 0.0) == 0;
  solving::PreconditionerWork work;
  work.kind =
      method.info->preconditions && divides ? solving::PreconditionerKind::jacobi : solving::PreconditionerKind::none;
  work.rows = static_cast<double>(structure.rows);
  work.nonzeros = static_cast<double>(structure.nonzeros);
  // Of the method all vectors, the basis of gmres among them.
  const auto bytes_of = [=](const Forecast& product) {
    return static_cast<double>(product.bytes.value_or(0)) + solving::preconditioner_bytes(work) +
           sizeof(double) * work.rows * solving::vectors_held(method, solving::info_of(work.kind).applied);
  };
  return [=, &structure, &request](const RankedMachine& machine, const Forecast& product) {
    const solving::Rates rates(machine.profile, answers::threads_for(machine.profile, request.threads));
    Forecast iteration =
        solving::as_product(solving::forecast_iteration(product, rates, structure, work, method), product);
    iteration.fits = iteration.fits && forecast::holds(machine.profile.properties, bytes_of(product));
    return iteration;
  };
}

// Products that were observed on this machine, for those of its devices that are compared: predict() says the same.
forecast::SeenProducts seen_products(const CompareRequest& request, const answers::MatrixAndStructure& input) {
  return [&](const RankedMachine& machine, std::vector<Forecast>& products) {
    const FitOptions fit{request.precision, answers::threads_for(machine.profile, request.threads), {}};
    planning::observed_here(input.matrix, input.structure, machine.profile, fit, {.precision = request.precision},
                            request.listener)
        .apply(products);
  };
}
// Of a solver, whose set-up stands in the place of a product's conversion, an answer does not tell it.
void remark_unknown_conversions(const std::set<std::string>& devices, const Listener& listener) {
  if (!devices.empty())
    answers::tell(listener.remark, fmt::format("what conversion takes is not known of {}: totals are without it",
                                               fmt::join(devices, ", ")));
}
}  // namespace

Comparison compare(const CompareRequest& request) {
  const base::StopScope stop(request.listener.stop);
  answers::require_in_range(request);
  Comparison comparison{.iterations = request.iterations, .precision = request.precision, .solver = request.solver};
  const std::vector<RankedMachine> machines = machines_of(request);
  std::set<std::string> unknown;
  for (const MatrixInput& input : request.matrices) {
    const answers::MatrixAndStructure of = answers::matrix_and_structure_of(input, request.threads, request.listener);
    const Structure& structure = of.structure;
    if (structure.complex_values)
      throw Error(ErrorCode::bad_input, "the values are complex, and machines are compared for real values only",
                  {structure.name}, wording::ask("predict") + " forecasts it for one machine");
    MatrixRanking& one = comparison.matrices.emplace_back(MatrixRanking{.matrix = answers::size_of(structure)});
    const std::vector<RankEntry> ranking = forecast::rank_machines(
        machines, structure, request.iterations, request.precision, solver_of(request, of), seen_products(request, of));
    for (const RankEntry& entry : ranking) {
      one.ranking.push_back(place_of(entry));
      if (!request.solver.empty() && !entry.conversion_known) unknown.insert(entry.device);
    }
    if (request.solver.empty()) one.measure_next = next_of(machines, ranking, structure, request.precision);
  }
  remark_unknown_conversions(unknown, request.listener);
  comparison.summary = totals_of(comparison.matrices);
  return comparison;
}
}  // namespace sparsecast
