#include "app/traffic/machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sparsecast/error.hpp>

#include "app/inputs.hpp"
#include "base/text.hpp"
#include "calibration/store.hpp"
#include "forecast/model_set.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::app {
namespace {

using nlohmann::ordered_json;

// The first choice among the kernels that were measured; of a description all that its kind of machine runs.
std::vector<std::string> product_kernels(const Profile& machine) {
  std::vector<std::string> known = forecast::kernels_of(machine);
  if (machine.tier != Profile().tier) return known;
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

}  // namespace

Profile traffic_machine(const std::string& name) {
  Profile machine;
  if (std::filesystem::is_regular_file(name)) {
    try {
      machine = load_profile("", name);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_input) throw;
      machine = load_machine(name, "");  // a description
    }
  } else {
    machine = load_machine(name, "");
  }
  if (machine.tier != Profile().tier && machine.curves.empty())
    machine.curves.push_back(traffic::described_curve(machine.properties));
  return machine;
}

traffic::ProductForecast product_forecast(const Profile& machine, const Globals& globals) {
  const std::vector<std::string> kernels = product_kernels(machine);
  if (kernels.empty()) return {};
  // Fitted when a product is there to be forecast: that may take a minute.
  const auto models = std::make_shared<std::optional<forecast::ModelSet>>();
  const auto known = std::make_shared<bool>(true);
  return [models, known, kernels, machine, &globals](const Structure& structure) -> std::optional<double> {
    if (!*known) return std::nullopt;
    try {
      if (!*models) models->emplace("best", machine, fit_options(machine, globals));
    } catch (const Error& error) {
      *known = false;
      remark(globals, "sparse products by bandwidth alone: " + error.reason());
      return std::nullopt;
    }
    const std::vector<Forecast> forecasts = (*models)->best(structure, kernels);
    return forecasts.empty() ? std::optional<double>() : forecasts.front().seconds;
  };
}

std::vector<TrafficMachine> rank_traffic(const traffic::ProgramTraffic& moved, const Globals& globals) {
  std::set<std::string> names;
  for (const std::string& name : calibration::Store().profile_names()) names.insert(name);
  for (const std::string& name : described_devices()) names.insert(name);
  std::vector<TrafficMachine> ranking;
  for (const std::string& name : names) {
    try {
      const Profile machine = traffic_machine(name);
      traffic::ProgramTraffic here = moved;
      traffic::apply_machine(here, machine, threads_for(machine, globals), product_forecast(machine, globals));
      ranking.push_back({name, machine.tier, traffic::whole_of(here).seconds});
    } catch (const Error& error) {
      // A profile without curves is no reason to say nothing of the others.
      remark(globals, fmt::format("left out: {}: {}", name, error.reason()));
    }
  }
  std::ranges::stable_sort(ranking, {}, &TrafficMachine::seconds);
  return ranking;
}

ordered_json to_json(const std::vector<TrafficMachine>& ranking) {
  ordered_json out = ordered_json::array();
  for (const TrafficMachine& m : ranking)
    out.push_back({{"device", m.device}, {"tier", m.tier}, {"seconds", m.seconds}});
  return out;
}

std::string to_text(const std::vector<TrafficMachine>& ranking, const base::Layout& layout) {
  base::TextTable table({"machine", "time", "of the first", "rests on"});
  for (const TrafficMachine& m : ranking)
    table.add({m.device, base::format_seconds(m.seconds),
               ranking.front().seconds > 0 ? fmt::format("{:.2f}", m.seconds / ranking.front().seconds) : "–", m.tier});
  return "The outermost regions on every machine that is known, all its cores at work:\n" + table.text(layout);
}

std::vector<TrafficStorage> compare_storage(const traffic::ProgramTraffic& moved, const Profile& machine,
                                            const Globals& globals) {
  const forecast::ModelSet models("best", machine, fit_options(machine, globals));
  const std::vector<std::string> kernels = forecast::kernels_of(machine);
  std::vector<TrafficStorage> all;
  for (std::size_t k = 0; k < moved.operands.size(); ++k) {
    TrafficStorage storage{moved.operands[k], 0, models.best(moved.operands[k], kernels)};
    for (const traffic::RegionTraffic* region : traffic::outermost_regions(moved))
      if (k < region->products.size()) storage.products += region->products[k];
    all.push_back(std::move(storage));
  }
  return all;
}

ordered_json to_json(const std::vector<TrafficStorage>& all) {
  ordered_json out = ordered_json::array();
  for (const TrafficStorage& storage : all) {
    ordered_json one{{"rows", storage.matrix.rows},
                     {"cols", storage.matrix.cols},
                     {"nonzeros", storage.matrix.nonzeros},
                     {"products", storage.products},
                     {"kernels", ordered_json::array()}};
    for (const Forecast& f : storage.kernels)
      one["kernels"].push_back(
          {{"kernel", f.kernel}, {"seconds", f.seconds}, {"low_s", f.low_s}, {"high_s", f.high_s}});
    out.push_back(std::move(one));
  }
  return out;
}

std::string to_text(const std::vector<TrafficStorage>& all, const base::Layout& layout) {
  if (all.empty()) return "No sparse matrix was multiplied with a vector: there is no storage to compare.\n";
  std::string text;
  for (const TrafficStorage& storage : all) {
    base::TextTable table({"storage", "one product", "from", "to", "all products"});
    for (const Forecast& f : storage.kernels)
      table.add({f.kernel, base::format_seconds(f.seconds), base::format_seconds(f.low_s),
                 base::format_seconds(f.high_s), base::format_seconds(f.seconds * storage.products)});
    text += fmt::format("{}Sparse matrix of {} × {} with {} non-zeros, {} products:\n{}", text.empty() ? "" : "\n",
                        base::format_count(storage.matrix.rows), base::format_count(storage.matrix.cols),
                        base::format_count(storage.matrix.nonzeros),
                        base::format_count(static_cast<std::int64_t>(storage.products)), table.text(layout));
  }
  return text;
}

}  // namespace sparsecast::app
