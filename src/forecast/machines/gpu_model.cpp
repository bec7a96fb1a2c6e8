#include "forecast/machines/gpu_model.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "forecast/machines/gpu_reach.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::forecast {
namespace {
using Json = nlohmann::ordered_json;

constexpr char age_mark = '@';  // kernels of an age are called NAME@AGE
constexpr const char* gpu_schema = "sparsecast/gpu-model/4";

template <class Enum>
Enum one_of(const Json& word, std::initializer_list<std::string_view> words) {
  const auto text = word.get<std::string>();
  int at = 0;
  for (const std::string_view known : words) {
    if (text == known) return static_cast<Enum>(at);
    ++at;
  }
  throw Error(ErrorCode::bad_input, fmt::format("\"{}\" is not a known word", text));
}

DecadeIntervals intervals_of(const Json& list) {
  DecadeIntervals intervals;
  const auto pairs = list.get<std::array<std::array<double, 2>, DecadeIntervals::decades>>();
  for (std::size_t i = 0; i < pairs.size(); ++i) intervals.widths[i] = {pairs[i][0], pairs[i][1]};
  return intervals;
}

GpuStrategy strategy_of(const Json& list) {
  const auto numbers = list.get<std::array<double, 3>>();
  return {numbers[0], numbers[1], numbers[2] > 0};
}

GpuModel::Kernel gpu_kernel_of(const Json& entry, double number) {
  GpuModel::Kernel kernel;
  kernel.does.name = entry.at("kernel").get<std::string>();
  kernel.does.work = one_of<GpuWork>(entry.at("work"), {"threads", "warps", "search", "merge"});
  kernel.does.layout = one_of<GpuLayout>(
      entry.at("layout"),
      {formats::csr_format, formats::ell_format, formats::sell_format, formats::hyb_format, formats::coo_format});
  kernel.does.library = one_of<GpuLibrary>(entry.at("library"), {"other", "ginkgo", "cusparse", "rocsparse"});
  kernel.does.shares = entry.at("shares").get<bool>();
  kernel.does.number = number;
  kernel.does.vendors = entry.at("vendors").get<std::vector<std::string>>();
  kernel.does.last_capability = entry.at("last_capability").get<double>();
  kernel.prices = entry.at("prices").get<decltype(kernel.prices)>();
  kernel.multiples = entry.at("multiples").get<decltype(kernel.multiples)>();
  kernel.learned_of = entry.at("learned_of").get<std::string>();
  kernel.seconds = entry.at("seconds").get<double>();
  return kernel;
}

GpuReach reach_of(const Json& entry) {
  GpuReach reach;
  reach.devices = entry.at("devices").get<int>();
  const auto medians = entry.at("medians").get<std::array<double, DecadeIntervals::decades>>();
  const auto products = entry.at("products").get<std::array<std::array<double, 2>, DecadeIntervals::decades>>();
  for (std::size_t i = 0; i < medians.size(); ++i) reach.decades[i] = {medians[i], products[i][0], products[i][1]};
  return reach;
}

// By kernel, and under no name of those that were judged nowhere. What devices of another vendor show does not make a
// kernel surer: `devices` are those of the vendor whose tables have the kernel, since its floor is theirs alone.
std::map<std::string, DecadeIntervals> by_kernel(const Json& kernels, const std::map<std::string, int>& devices,
                                                 OfFewDevices what) {
  const GpuReach common = reach_of(kernels.at(""));
  std::map<std::string, DecadeIntervals> intervals;
  for (const auto& [name, entry] : kernels.items()) {
    GpuReach reach = reach_of(entry);
    const auto seen = devices.find(name);
    reach.devices = std::min(reach.devices, seen == devices.end() ? 0 : seen->second);
    intervals[name] = interval_of_next(reach, common, what);
  }
  return intervals;
}

// What a device's products have told makes none of them less sure: where kinds of products differ by more than devices
// do, anchors leave the interval of its data sheet.
void narrow_to(std::map<std::string, DecadeIntervals>& anchors, const std::map<std::string, DecadeIntervals>& sheet) {
  for (auto& [kernel, intervals] : anchors) {
    const auto found = sheet.find(kernel);
    if (found == sheet.end()) continue;
    for (std::size_t i = 0; i < intervals.widths.size(); ++i) {
      auto& [low, high] = intervals.widths[i];
      low = std::max(low, found->second.widths[i].low);
      high = std::min(high, found->second.widths[i].high);
    }
  }
}

std::string without_age(const std::string& kernel) { return kernel.substr(0, kernel.find(age_mark)); }

// A kernel that was judged nowhere is believed as its namesake of another age, whose prices it has.
const DecadeIntervals& interval_of(const std::map<std::string, DecadeIntervals>& intervals, const std::string& kernel) {
  if (const auto found = intervals.find(kernel); found != intervals.end()) return found->second;
  const auto namesake = std::ranges::find_if(
      intervals, [&](const auto& judged) { return without_age(judged.first) == without_age(kernel); });
  return namesake == intervals.end() ? intervals.at("") : namesake->second;
}

GpuModel::Known known_of(const Json& entry) {
  GpuModel::Known known;
  std::tie(known.stream, known.cores) = entry.at("shares").get<std::pair<double, double>>();
  known.floors = entry.at("floors").get<std::map<std::string, double>>();
  known.strategy = strategy_of(entry.at("strategy"));
  known.age = entry.at("age").get<std::string>();
  for (const auto& [name, list] : entry.at("intervals").items()) known.intervals[name] = intervals_of(list);
  return known;
}
}  // namespace

GpuModel::GpuModel(const Json& document, const std::string& file) {
  constexpr const char* remedy = "scripts/refit gpus writes it";
  try {
    if (document.at("schema") != gpu_schema) throw Error(ErrorCode::bad_input, "another schema");
    double number = 0;
    for (const Json& entry : document.at("kernels")) {
      Kernel kernel = gpu_kernel_of(entry, number++);
      const std::string name = kernel.does.name;
      kernels_.emplace(name, std::move(kernel));
    }
    own_ = document.at("own").get<std::map<std::string, std::string>>();
    for (const auto& [mine, theirs] : own_)
      if (!kernels_.contains(theirs)) throw Error(ErrorCode::bad_input, "\"own\" names a kernel that is not described");
    for (const auto& [name, entry] : document.at("devices").items()) {
      Known& known = devices_[name] = known_of(entry);
      double sum = 0, count = 0;
      for (const auto& [kernel, floor] : known.floors) {
        if (kernels_.at(kernel).seconds > 0) continue;
        sum += std::log(floor / kernels_.at(kernel).multiples[entry.at("amd").get<bool>() ? 1 : 0]);
        ++count;
      }
      if (count > 0) known.launch = std::exp(sum / count);
    }
    for (const Json& rules : document.at("strategies")) strategies_.push_back(strategy_of(rules));
    if (strategies_.size() < gpu_generations) throw Error(ErrorCode::bad_input, "too few \"strategies\"");
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      const auto [start, wait] = document.at("launches").at(i).get<std::pair<double, double>>();
      launches_[i] = {start, wait};
    }
    for (const auto& [name, entry] : document.at("ages").items())
      ages_[name] = {entry.at("vendor").get<std::string>(), strategy_of(entry.at("strategy")),
                     entry.at("kernels").get<std::map<std::string, std::string>>()};
    trees_ = SumOfTrees(document.at("trees"), gpu_features);
    alike_machines_ = document.at("alike").at("machines").get<double>();
    share_for_others_ = document.at("share_for_others").get<double>();
    std::array<std::map<std::string, int>, 2> seen;
    for (const auto& [name, entry] : document.at("devices").items())
      for (const auto& [kernel, floor] : devices_.at(name).floors) ++seen[entry.at("amd").get<bool>() ? 1 : 0][kernel];
    for (std::size_t i = 0; i < seen.size(); ++i) {
      by_data_sheet_[i] = by_kernel(document.at("intervals").at("data sheet"), seen[i], OfFewDevices::medians);
      by_anchors_[i] = by_kernel(document.at("intervals").at("anchors"), seen[i], OfFewDevices::medians_and_products);
      narrow_to(by_anchors_[i], by_data_sheet_[i]);
    }
  } catch (const Error& wrong) {
    throw Error(ErrorCode::bad_input, wrong.reason(), {file}, remedy);
  } catch (const Json::exception& wrong) {
    throw Error(ErrorCode::bad_input, wrong.what(), {file}, remedy);
  } catch (const std::out_of_range&) {
    throw Error(ErrorCode::bad_input, "a floor of a kernel that is not described", {file}, remedy);
  }
}

const GpuModel& GpuModel::current() {
  static const GpuModel model = [] {
    const char* elsewhere = std::getenv("SPARSECAST_GPU_MODEL");
    if (elsewhere == nullptr) {
      const embedded::File& file = embedded::gpu_model()[0];
      return GpuModel(Json::parse(file.text), std::string(file.name));
    }
    const std::string text = base::read_file(elsewhere, {.what = "model of GPUs"});
    return GpuModel(base::parse_sorted_json(text, {elsewhere, "scripts/refit gpus writes it"}), elsewhere);
  }();
  return model;
}

const GpuModel::Kernel* GpuModel::kernel(const std::string& name) const {
  const auto own = own_.find(name);
  const auto found = kernels_.find(own == own_.end() ? name : own->second);
  return found == kernels_.end() ? nullptr : &found->second;
}

std::vector<std::string> GpuModel::kernels(const DeviceProperties& p) const {
  const auto capability = p.limits.find("compute_capability");
  std::vector<std::string> names;
  for (const auto& [name, kernel] : kernels_) {
    const GpuKernel& does = kernel.does;
    if (name.find(age_mark) != std::string::npos) continue;
    if (!does.vendors.empty() && std::ranges::find(does.vendors, p.vendor) == does.vendors.end()) continue;
    if (does.last_capability > 0 && capability != p.limits.end() && capability->second > does.last_capability) continue;
    names.push_back(name);
  }
  return names;
}

const GpuModel::Known* GpuModel::known(const std::string& device) const {
  const auto found = devices_.find(device);
  return found == devices_.end() ? nullptr : &found->second;
}

double GpuModel::least_start(const std::string& name, const std::string& device) const {
  const Kernel* of = kernel(name);
  if (of == nullptr) return 0;
  double least = 0;
  for (const auto& [other, known] : devices_) {
    const auto floor = known.floors.find(of->does.name);
    if (floor == known.floors.end()) continue;
    if (other == device) return floor->second;
    least = least > 0 ? std::min(least, floor->second) : floor->second;
  }
  return least;
}

const GpuModel::Age* GpuModel::age(const std::string& name, const std::string& vendor) const {
  const auto found = ages_.find(name);
  return found == ages_.end() || found->second.vendor != vendor ? nullptr : &found->second;
}

const DecadeIntervals& GpuModel::by_data_sheet(const std::string& kernel, GpuGeneration generation) const {
  return interval_of(by_data_sheet_[generation == GpuGeneration::amd ? 1 : 0], kernel);
}

const DecadeIntervals& GpuModel::by_anchors(const std::string& kernel, GpuGeneration generation) const {
  return interval_of(by_anchors_[generation == GpuGeneration::amd ? 1 : 0], kernel);
}

const GpuModel::Launch& GpuModel::launch(GpuGeneration generation) const {
  return launches_[generation == GpuGeneration::amd ? 1 : 0];
}
}  // namespace sparsecast::forecast
