#include "forecast/machines/loop_model.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sparsecast_constants.hpp>

namespace sparsecast::forecast {
namespace {
DecadeIntervals widths_of(const nlohmann::ordered_json& decades) {
  DecadeIntervals intervals;
  for (std::size_t i = 0; i < DecadeIntervals::decades; ++i)
    intervals.widths[i] = {decades.at(i).at(0).get<double>(), decades.at(i).at(1).get<double>()};
  return intervals;
}

// So many doublings lies a machine or a matrix beyond what was measured anywhere.
double doublings_beyond(double value, double most) { return value > most ? std::log2(value / most) : 0; }
}  // namespace

LoopModel::LoopModel(const nlohmann::ordered_json& section) {
  const auto common = section.at("common").get<std::array<double, LoopPrices::common_count>>();
  for (const auto& entry : section.at("kernels")) {
    Kernel kernel;
    kernel.name = entry.at("kernel").get<std::string>();
    kernel.slices = entry.value("padding", "") == "slices";
    kernel.prices = {common, entry.at("own").get<std::array<double, LoopPrices::own_count>>(),
                     entry.value("chain", false), entry.value("deals", "") == "rows"};
    for (const auto& [name, widths] : {std::pair{"one", &kernel.one}, std::pair{"many", &kernel.many}}) {
      const auto& of = entry.at("interval").at(name);
      *widths = {widths_of(of.at("data sheet")), widths_of(of.at("anchors"))};
    }
    kernels_.push_back(std::move(kernel));
  }
}

std::optional<LoopEstimate> LoopModel::estimate(const Structure& structure, const DeviceProperties& properties,
                                                const std::string& name, Precision precision, int threads,
                                                Places places) const {
  const auto kernel = std::ranges::find(kernels_, name, &Kernel::name);
  if (kernel == kernels_.end()) return std::nullopt;
  const Team team(properties, threads, places);
  const LoopMatrix matrix(structure, precision, kernel->slices, threads);
  const auto& [most_threads, most_sockets, most_cycles, most_nonzeros] = constants::most_of_tables;
  const double beyond = doublings_beyond(team.threads, most_threads) + doublings_beyond(team.sockets, most_sockets) +
                        doublings_beyond(kernel->prices.chain ? team.chain : 0, most_cycles);
  LoopEstimate estimate;
  estimate.sum = kernel->prices(matrix, team);
  const Widths& widths = threads > 1 ? kernel->many : kernel->one;
  estimate.doubt = constants::doubt_of_doubling * beyond;
  estimate.sheet = widths.sheet.at(matrix.numbers.nonzeros);
  estimate.anchors = widths.anchors.at(matrix.numbers.nonzeros);
  estimate.extrapolated = beyond > 0 || matrix.numbers.nonzeros > most_nonzeros;
  estimate.stored_bytes = static_cast<std::int64_t>(matrix.numbers.stored);
  estimate.moved_bytes = matrix.numbers.bytes;
  return estimate;
}
}  // namespace sparsecast::forecast
