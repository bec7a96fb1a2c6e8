// traffic: what a program moves, on machines, and beside another program.

#include <fmt/format.h>
#include <algorithm>
#include <set>
#include <sparsecast/answers/traffic.hpp>

#include "answers/in_range.hpp"
#include "answers/inputs.hpp"
#include "answers/machine.hpp"
#include "base/interrupt.hpp"
#include "calibration/store.hpp"
#include "fields/answers/traffic.hpp"
#include "fields/wording.hpp"
#include "formats/kernels.hpp"
#include "memory_traffic/report/comparison.hpp"
#include "memory_traffic/run/machine.hpp"
#include "memory_traffic/run/measured_run.hpp"
#include "memory_traffic/run/run_program.hpp"

namespace sparsecast {
namespace {
constexpr const char* all_machines = "all";

FitOptions fit_of(const Profile& machine, const TrafficRequest& request) {
  return answers::fit_options(machine, request.precision, machine.is_measured() ? request.threads : 0,
                              request.listener);
}

// The first choice among the kernels that were measured; of a description all that its kind of machine runs.
std::vector<std::string> product_kernels(const Profile& machine) {
  std::vector<std::string> known = forecast::kernels_of(machine);
  if (!machine.is_measured()) return known;
  std::vector<std::string> chosen;
  int first_choice = 0;
  for (const formats::KernelInfo& kernel : formats::kernel_table())
    if (kernel.choice > 0 && (first_choice == 0 || kernel.choice < first_choice) &&
        std::ranges::find(known, kernel.name) != known.end()) {
      first_choice = kernel.choice;
      chosen = {std::string(kernel.name)};
    }
  return chosen;
}

// A profile or a description: a file, or a name of the store or the catalogue. A description gets the curve that its
// data sheet allows.
Profile traffic_machine(const std::string& name, const Listener& listener) {
  Profile machine;
  if (std::error_code no_path; std::filesystem::is_regular_file(name, no_path)) {
    try {
      machine = answers::load_profile("", name, listener);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_input) throw;
      machine = answers::load_machine(name, "", listener);  // a description
    }
  } else {
    machine = answers::load_machine(name, "", listener);
  }
  if (!machine.is_measured() && machine.curves.empty())
    machine.curves.push_back(memory_traffic::described_curve(machine.properties));
  return machine;
}

// Forecasts of CSR products by the models; without a forecast where nothing is known of them.
memory_traffic::ProductForecast product_forecast(const Profile& machine, const TrafficRequest& request) {
  const std::vector<std::string> kernels = product_kernels(machine);
  if (kernels.empty()) return {};
  // Fitted when a product is there to be forecast: that may take a minute.
  const auto models = std::make_shared<std::optional<forecast::ModelSet>>();
  const auto known = std::make_shared<bool>(true);
  return [models, known, kernels, machine, &request](const Structure& structure) -> std::optional<double> {
    if (!*known) return std::nullopt;
    try {
      if (!*models) models->emplace("best", machine, fit_of(machine, request));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted) throw;
      *known = false;
      answers::remark(request.listener, "sparse products by bandwidth alone: " + error.reason_text());
      return std::nullopt;
    }
    const std::vector<Forecast> forecasts = (*models)->best(structure, kernels);
    return forecasts.empty() ? std::optional<double>() : forecasts.front().seconds;
  };
}

// Every machine that is known, fastest first.
std::vector<TrafficMachine> rank_traffic(const ProgramTraffic& moved, const TrafficRequest& request) {
  std::set<std::string> names;
  for (const std::string& name : answers::kept_profile_names()) names.insert(name);
  for (const std::string& name : described_devices()) names.insert(name);
  std::vector<TrafficMachine> ranking;
  for (const std::string& name : names) {
    try {
      const Profile machine = traffic_machine(name, request.listener);
      ProgramTraffic here = moved;
      memory_traffic::apply_machine(here, machine, answers::threads_for(machine, request.threads),
                                    product_forecast(machine, request));
      ranking.push_back({name, machine.tier, memory_traffic::whole_of(here).seconds});
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted) throw;
      // A profile without curves is no reason to say nothing of the others.
      answers::remark(request.listener, wording::format("skipped: {}: {}", name, error.reason_text()));
    }
  }
  std::ranges::stable_sort(ranking, {}, &TrafficMachine::seconds);
  return ranking;
}

std::vector<TrafficStorage> compare_storage(const ProgramTraffic& moved, const TrafficRequest& request) {
  const Profile machine = traffic_machine(request.machine, request.listener);
  const forecast::ModelSet models("best", machine, fit_of(machine, request));
  const std::vector<std::string> kernels = forecast::kernels_of(machine);
  std::vector<TrafficStorage> all;
  for (std::size_t k = 0; k < moved.operands.size(); ++k) {
    const Structure& s = moved.operands[k];
    TrafficStorage storage{s.rows, s.cols, s.nonzeros};
    for (const RegionTraffic* region : memory_traffic::outermost_regions(moved))
      if (k < region->products.size()) storage.products += region->products[k];
    for (const Forecast& f : models.best(s, kernels))
      storage.kernels.push_back({f.kernel, f.seconds, f.low_s, f.high_s});
    all.push_back(std::move(storage));
  }
  return all;
}

ProgramTraffic moved_by(const TrafficRequest& request, const std::filesystem::path& program) {
  const bool any = !request.machine.empty(), one = any && request.machine != all_machines;
  const memory_traffic::RunOptions run{.call = request.call,
                                       .time_limit_s = request.time_limit_s,
                                       .output = request.output,
                                       .scopes = request.scopes,
                                       .trace = any};
  // A missing profile is told before the program runs.
  const Profile machine = one ? traffic_machine(request.machine, request.listener) : Profile();
  ProgramTraffic moved = memory_traffic::run_program(program, run);
  if (!one) return moved;
  // Bandwidth of one thread of a measured host unless more are asked for; a description knows all cores only.
  const int threads = machine.is_measured() ? request.threads : 0;
  memory_traffic::apply_machine(moved, machine, threads, product_forecast(machine, request));
  moved.whole = memory_traffic::whole_of(moved);
  if (request.measure) add_measured(*moved.whole, machine, memory_traffic::measure_program(program, run));
  return moved;
}
}  // namespace

ProgramTraffic traffic(const TrafficRequest& request) {
  const base::StopScope stop(request.listener.stop);
  answers::require_in_range(request);
  if ((request.measure || request.storage) && (request.machine.empty() || request.machine == all_machines))
    throw Error(
        ErrorCode::usage, "no machine is given to compare with", {},
        wording::format("name one with {}, as {}", wording::option("machine"), wording::option("machine", "host")));
  ProgramTraffic moved = moved_by(request, request.program);
  if (request.machine == all_machines) moved.machines = rank_traffic(moved, request);
  if (request.storage) moved.storage = compare_storage(moved, request);
  return moved;
}

TrafficComparison traffic_compare(const TrafficCompareRequest& request) {
  const base::StopScope stop(request.first.listener.stop);
  answers::require_in_range(request);
  ProgramTraffic first = moved_by(request.first, request.first.program);
  return memory_traffic::compare(std::move(first), moved_by(request.first, request.second));
}
}  // namespace sparsecast
