#pragma once
// What a program's movement means on machines: the forecast of its sparse products, all known machines ranked by its
// time, the storage that its sparse matrices should have.

#include <nlohmann/json_fwd.hpp>
#include <sparsecast/forecast.hpp>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "base/page/page.hpp"
#include "traffic/run/machine.hpp"

namespace sparsecast::app {

/// A profile or a description: a file, or a name of the store or the catalogue. A description gets the curve that its
/// data sheet allows (traffic::described_curve()).
Profile traffic_machine(const std::string& name);

/// Forecasts of CSR products by the models; without a forecast where nothing is known of them.
traffic::ProductForecast product_forecast(const Profile& machine, const Globals& globals);

struct TrafficMachine {
  std::string device, tier;
  double seconds = 0;
};
/// Every machine that is known, fastest first.
std::vector<TrafficMachine> rank_traffic(const traffic::ProgramTraffic& moved, const Globals& globals);
nlohmann::ordered_json to_json(const std::vector<TrafficMachine>& ranking);
std::string to_text(const std::vector<TrafficMachine>& ranking, const base::Layout& layout);

/// One sparse matrix of the program in every storage that has a forecast on the machine, fastest first.
struct TrafficStorage {
  Structure matrix;
  double products = 0;  ///< of it with a vector, in the outermost regions
  std::vector<Forecast> kernels;
};
std::vector<TrafficStorage> compare_storage(const traffic::ProgramTraffic& moved, const Profile& machine,
                                            const Globals& globals);
nlohmann::ordered_json to_json(const std::vector<TrafficStorage>& storage);
std::string to_text(const std::vector<TrafficStorage>& storage, const base::Layout& layout);

}  // namespace sparsecast::app
