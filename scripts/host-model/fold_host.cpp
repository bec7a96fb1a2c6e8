// Folds calibrations of hosts into what ships (profiles/host-model.json): scripts/refit host.
//
//     fold-host MODEL.json PROFILE.json…    a profile as `sparsecast profiles export host` writes it
//
// Each profile is fitted with every number of threads that it has records of in double precision; the fits are kept as
// ratios to what its micro-benchmarks say. One of the same processor, cores and compiler takes the old one's place.

#include <fmt/format.h>
#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <set>

#include "base/curve.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "calibration/observations.hpp"
#include "calibration/shipped/shipped_processors.hpp"
#include "forecast/shipped/shipped_fits.hpp"

namespace {
using namespace sparsecast;

calibration::ShippedProcessor reduced(const Profile& profile) {
  calibration::ShippedProcessor processor{.properties = profile.properties,
                                          .software = profile.software,
                                          .taken = profile.taken,
                                          .curves = {},
                                          .kernels = {},
                                          .fits = {}};
  std::set<int> counts;
  for (const Record& record : profile.records)
    if (record.precision == Precision::double_ && record.threads > 0) counts.insert(record.threads);
  for (const Curve& curve : profile.curves)
    if (counts.contains(curve.threads) && curve.name != "repeats" && base::usable(curve))  // one thread has no launch
      processor.curves.push_back(curve);
  std::set<std::string> kernels;
  for (const int threads : counts) {
    const forecast::ShippedFits fits = forecast::fits_to_ship(profile, threads);
    for (const auto& [name, kernel] : fits.kernels) kernels.insert(name);
    processor.fits[threads] = forecast::text_of(fits);
  }
  processor.kernels = {kernels.begin(), kernels.end()};
  return processor;
}
}  // namespace

int main(int count, char** words) try {
  if (count < 3) {
    fmt::print(stderr, "usage: fold-host MODEL.json PROFILE.json…\n");
    return 2;
  }
  const std::string model = words[1];
  const auto document = base::parse_json(base::read_file(model), {model, {}});
  auto processors = document.at("processors").empty() ? std::vector<calibration::ShippedProcessor>()
                                                      : calibration::processors_from_json(document, model);
  for (int i = 2; i < count; ++i) {
    calibration::ShippedProcessor folded = reduced(read_profile(words[i]));
    const std::string stamp = calibration::machine_stamp(folded.properties);
    std::erase_if(processors, [&](const auto& one) { return calibration::machine_stamp(one.properties) == stamp; });
    fmt::print("{}: {} kernels with {} numbers of threads\n", stamp, folded.kernels.size(), folded.fits.size());
    processors.push_back(std::move(folded));
  }
  base::write_file_atomically(model, calibration::processors_to_json(processors).dump() + "\n");
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
