#include "calibration/shipped/shipped_processors.hpp"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "base/curve.hpp"
#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "calibration/profile_json.hpp"
#include "hardware/description.hpp"

namespace sparsecast::calibration {
namespace {
using nlohmann::ordered_json;
constexpr const char* host_model_schema = "sparsecast/host-model/1";
constexpr const char* host_model_remedy = "scripts/refit host writes one";

ShippedProcessor processor_from(const ordered_json& json, const std::string& file) {
  ShippedProcessor processor{.properties = hardware::properties_from_json(json.at("properties"), file),
                             .software = json.at("software").get<std::string>(),
                             .taken = json.at("taken").get<std::string>(),
                             .curves = {},
                             .kernels = json.at("kernels").get<std::vector<std::string>>(),
                             .fits = {}};
  for (const ordered_json& curve : json.at("curves")) {
    processor.curves.push_back(curve_from_json(curve));
    if (!base::usable(processor.curves.back()))
      throw Error(ErrorCode::bad_input, "no curve: '" + processor.curves.back().name + "'");
  }
  for (const ordered_json& fits : json.at("fits"))
    processor.fits[fits.at("threads").get<int>()] = fits.at("code").get<std::string>();
  if (processor.fits.empty()) throw Error(ErrorCode::bad_input, "a processor without fits");
  return processor;
}
}  // namespace

std::vector<ShippedProcessor> processors_from_json(const ordered_json& document, const std::string& file) try {
  if (document.at("schema").get<std::string>() != host_model_schema)
    throw Error(ErrorCode::bad_input, std::string("its schema is not ") + host_model_schema);
  std::vector<ShippedProcessor> processors;
  for (const ordered_json& processor : document.at("processors")) processors.push_back(processor_from(processor, file));
  if (processors.empty()) throw Error(ErrorCode::bad_input, "it describes no processor");
  return processors;
} catch (const Error& wrong) {
  throw Error(ErrorCode::bad_input, wrong.reason(), {file}, host_model_remedy);
} catch (const ordered_json::exception& wrong) {
  throw Error(ErrorCode::bad_input, base::json_reason(wrong), {file}, host_model_remedy);
}

ordered_json processors_to_json(const std::vector<ShippedProcessor>& processors) {
  ordered_json document{{"schema", host_model_schema}, {"command", "scripts/refit host"}};
  ordered_json& list = document["processors"] = ordered_json::array();
  for (const ShippedProcessor& processor : processors) {
    ordered_json one{{"properties", hardware::properties_to_json(processor.properties)},
                     {"software", processor.software},
                     {"taken", processor.taken}};
    one["curves"] = ordered_json::array();
    for (const Curve& curve : processor.curves) one["curves"].push_back(curve_to_json(curve));
    one["kernels"] = processor.kernels;
    one["fits"] = ordered_json::array();
    for (const auto& [threads, code] : processor.fits) one["fits"].push_back({{"threads", threads}, {"code", code}});
    list.push_back(std::move(one));
  }
  return document;
}

const std::vector<ShippedProcessor>& shipped_processors() {
  static const std::vector<ShippedProcessor> processors = [] {
    const char* elsewhere = std::getenv("SPARSECAST_HOST_MODEL");
    if (elsewhere == nullptr) {
      const embedded::File& file = embedded::host_model()[0];
      return processors_from_json(ordered_json::parse(file.text), std::string(file.name));
    }
    const std::string text = base::read_file(elsewhere, {.what = "model of hosts"});
    return processors_from_json(base::parse_json(text, {elsewhere, host_model_remedy}), elsewhere);
  }();
  return processors;
}

int shipped_threads(const ShippedProcessor& processor, int threads) {
  const auto own = processor.fits.find(threads);
  if (own != processor.fits.end()) return threads;
  return threads <= 1 ? processor.fits.begin()->first : processor.fits.rbegin()->first;
}
}  // namespace sparsecast::calibration
