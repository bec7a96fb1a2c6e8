#include "forecast/machines/machine_model.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sparsecast/error.hpp>

#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "formats/parts/thread_parts.hpp"

namespace sparsecast::forecast {
namespace {
using Json = nlohmann::ordered_json;

constexpr const char* schema_name = "sparsecast/machine-model/3";
}  // namespace

MachineModel::Kernel MachineModel::kernel_of(const Json& entry) {
  Kernel kernel;
  kernel.name = entry.at("kernel").get<std::string>();
  kernel.slices = entry.value("padding", "") == "slices";
  kernel.deals_rows = entry.value("deals", "") == "rows";
  kernel.vendors = entry.value("vendors", std::vector<std::string>());
  kernel.physical_share = entry.at("physical_share").get<double>();
  entry.at("interval").at("data sheet").get_to(kernel.intervals.sheet);
  entry.at("interval").at("probe").get_to(kernel.intervals.probe);
  kernel.multiple_of = entry.value("multiple_of", "");
  for (const Json& member : entry.at("members")) {
    const MachineTerms terms{member.at("prices").get<std::array<double, machine_term_count>>(),
                             member.at("shape").get<std::array<double, 7>>()};
    const auto trees = [&](const char* name) { return SumOfTrees(member.at(name), machine_feature_count); };
    kernel.members.push_back({terms, trees("trees"), kernel.multiple_of.empty() ? SumOfTrees() : trees("multiple")});
  }
  if (kernel.members.empty()) throw Error(ErrorCode::bad_input, "a kernel without members");
  return kernel;
}

MachineModel::MachineModel(const Json& document, const std::string& file) {
  try {
    if (document.at("schema") != schema_name) throw Error(ErrorCode::bad_input, "another schema");
    for (const auto& [name, fold] : document.at("families").items()) folds_[name] = fold.get<std::size_t>();
    own_ = document.at("own").get<std::map<std::string, std::string>>();
    roof_ = document.at("roof").get<double>();
    const Json& probe = document.at("probe");
    probe_ = {probe.at("all").get<double>(), probe.at("parts").get<double>(), probe.at("noise").get<double>(),
              probe.at("carries").get<double>()};
    for (const Json& entry : document.at("kernels")) kernels_.push_back(kernel_of(entry));
    loops_ = LoopModel(document.at("loops"));
    require_bases();
  } catch (const Error& wrong) {
    throw Error(ErrorCode::bad_input, wrong.reason(), {file}, "scripts/refit machines writes it");
  } catch (const Json::exception& wrong) {
    throw Error(ErrorCode::bad_input, wrong.what(), {file}, "scripts/refit machines writes it");
  }
}

void MachineModel::require_bases() const {
  for (const Kernel& kernel : kernels_) {
    if (kernel.multiple_of.empty()) continue;
    const Kernel* base = find(kernel.multiple_of);
    if (base == nullptr || !base->multiple_of.empty() || base->members.size() != kernel.members.size())
      throw Error(ErrorCode::bad_input, fmt::format("\"{}\" is told as a multiple of \"{}\", which cannot be",
                                                    kernel.name, kernel.multiple_of));
  }
}

const MachineModel& MachineModel::current() {
  static const MachineModel model = [] {
    const char* elsewhere = std::getenv("SPARSECAST_MACHINE_MODEL");
    if (elsewhere == nullptr) {
      const embedded::File& file = embedded::machine_model()[0];
      return MachineModel(Json::parse(file.text), std::string(file.name));
    }
    const std::string text = base::read_file(elsewhere, {.what = "model across machines"});
    return MachineModel(base::parse_sorted_json(text, {elsewhere, "scripts/refit machines writes it"}), elsewhere);
  }();
  return model;
}

std::vector<std::string> MachineModel::kernels(const DeviceProperties& properties) const {
  std::vector<std::string> names;
  for (const Kernel& kernel : kernels_) {
    if (!kernel.vendors.empty() && std::ranges::find(kernel.vendors, properties.vendor) == kernel.vendors.end())
      continue;
    names.push_back(kernel.name);
  }
  return names;
}

const MachineModel::Kernel* MachineModel::find(const std::string& name) const {
  const auto named = [&](const std::string& wanted) {
    return std::ranges::find_if(kernels_, [&](const Kernel& k) { return k.name == wanted; });
  };
  auto found = named(name);
  if (const auto nearest = own_.find(name); found == kernels_.end() && nearest != own_.end())
    found = named(nearest->second);
  return found == kernels_.end() ? nullptr : &*found;
}

// What one member says of a matrix, as the kernel meets it and as one without padding does.
MachineModel::Told MachineModel::told(const Kernel& kernel, std::size_t member, const MatrixNumbers& matrix,
                                      const MatrixNumbers& plain, const MachineNumbers& machine) const {
  const Member& m = kernel.members[member];
  const auto features = machine_features(matrix, machine);
  const double ideal = std::log(matrix.bytes / machine.bandwidth);
  const MachineTerms::Sum sum = m.terms(matrix, machine);
  Told told;
  told.parts = sum.parts;
  told.log_seconds = ideal + kernel.physical_share * (std::log(sum.seconds) - ideal) + m.trees(features);
  if (!kernel.multiple_of.empty()) {
    const Told base = this->told(*find(kernel.multiple_of), member, plain, plain, machine);
    told.log_seconds = (told.log_seconds + base.log_seconds + m.multiple(features)) / 2;
  }
  const double beyond = matrix.bytes - machine.cached();
  if (beyond > 0) told.log_seconds = std::max(told.log_seconds, std::log(roof_ * beyond / machine.bandwidth));
  return told;
}

std::string MachineModel::standing(const std::string& kernel) const {
  const Kernel* found = find(kernel);
  return found == nullptr ? kernel : found->name;
}

std::optional<MachineEstimate> MachineModel::estimate(const Structure& structure, const DeviceProperties& properties,
                                                      const std::string& name, Precision precision) const {
  const MachineNumbers machine(properties);
  const Kernel* kernel = find(name);
  if (kernel == nullptr) return std::nullopt;
  MachineEstimate estimate;
  estimate.stand_in = kernel->name != name;
  // Kernels of this program that stand for a table's have formats of their own, whose padding is counted elsewhere.
  const MatrixNumbers plain(structure, precision, false);
  MatrixNumbers matrix(structure, precision, kernel->slices && !estimate.stand_in);
  // Where the order of the rows is known the slowest thread is: the time of equal rows, its share instead of the mean.
  double slowest = 1;
  if (kernel->deals_rows && !estimate.stand_in && !structure.block_nonzeros.empty()) {
    slowest = formats::parts_in_order(structure, formats::by_rows, properties.compute_units)[0].nonzeros;
    matrix.row_std = matrix.row_skew = 0;
    matrix.longest = matrix.row_mean;
  }
  const auto seen = folds_.find(structure.name);
  double log_seconds = 0, members = 0;
  for (std::size_t fold = 0; fold < kernel->members.size(); ++fold) {
    if (seen != folds_.end() && seen->second != fold) continue;
    const Told one = told(*kernel, fold, matrix, plain, machine);
    log_seconds += one.log_seconds;
    for (std::size_t i = 0; i < one.parts.size(); ++i) estimate.parts[i] += one.parts[i];
    ++members;
  }
  for (double& part : estimate.parts) part /= members;
  const double launch = estimate.parts[0] / std::accumulate(estimate.parts.begin(), estimate.parts.end(), 0.0);
  estimate.seconds = std::exp(log_seconds / members) * (launch + (1 - launch) * slowest);
  for (std::size_t i = 1; i < estimate.parts.size(); ++i) estimate.parts[i] *= slowest;
  estimate.intervals = kernel->intervals;
  estimate.stored_bytes = static_cast<std::int64_t>(matrix.stored);
  estimate.moved_bytes = matrix.bytes;
  return estimate;
}
}  // namespace sparsecast::forecast
