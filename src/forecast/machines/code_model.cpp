#include "forecast/machines/code_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sparsecast_constants.hpp>

#include "base/median.hpp"

namespace sparsecast::forecast {
namespace {
// Of a kernel of ours that tables of others' kernels answer for.
std::string why_no_code(Precision precision) {
  return is_complex(precision) ? "a kernel from others' tables: its code for complex values is not known"
                               : "a kernel from others' tables: the structure does not say what its code would do";
}

class WithCode final : public FittedModel {
 public:
  WithCode(std::unique_ptr<FittedModel> tables, const Profile& profile, const FitOptions& options)
      : tables_(std::move(tables)), device_(profile.properties), precision_(options.precision), tier_(profile.tier) {
    std::map<std::string, std::vector<double>> off;
    for (const Record& record : profile.records) {
      if (record.precision != precision_ || record.seconds <= 0) continue;
      measured_.emplace(record.kernel, std::nullopt);
      const Structure& structure = profile.matrices[static_cast<std::size_t>(record.matrix)].structure;
      if (const auto told = forecast_from_code(structure, record.kernel, device_, precision_))
        off[record.kernel].push_back(std::log(record.seconds / told->seconds));
    }
    for (auto& [kernel, logs] : off) measured_[kernel] = moved_by(kernel, device_, std::move(logs));
  }

  [[nodiscard]] std::optional<Forecast> forecast(const Structure& structure, const std::string& kernel) const override {
    const auto measured = measured_.find(kernel);
    const bool here = measured != measured_.end(), followed = here && measured->second;
    // A table of the device itself tells more than code does; a probe speaks of what it measured. Anchors whose
    // structures do not say what code would do have moved the tables, and would leave the code's forecast as it was.
    const bool by_code = tier_ == Tier::data_sheet || (tier_ == Tier::anchors && (followed || !here)) ||
                         (tier_ == Tier::table && !here) || (tier_ == Tier::probe && followed);
    if (by_code)
      if (auto told =
              forecast_from_code(structure, kernel, device_, precision_, followed ? *measured->second : CodeMoved())) {
        told->tier = tier_;
        return told;
      }
    auto told = tables_->forecast(structure, kernel);
    if (told && by_code && is_from_code(kernel, device_)) told->learned_of = why_no_code(precision_);
    return told;
  }

 private:
  std::unique_ptr<FittedModel> tables_;
  DeviceProperties device_;
  Precision precision_;
  Tier tier_;
  std::map<std::string, std::optional<CodeMoved>> measured_;  ///< by kernel; nothing: its code could not be followed
};
}  // namespace

std::unique_ptr<FittedModel> with_code(std::unique_ptr<FittedModel> tables, const Profile& profile,
                                       const FitOptions& options) {
  if (kernels_from_code(profile.properties).empty()) return tables;
  return std::make_unique<WithCode>(std::move(tables), profile, options);
}

std::vector<std::string> kernels_with_code(const DeviceProperties& device, std::vector<std::string> of_tables) {
  std::vector<std::string> kernels = kernels_from_code(device);
  if (kernels.empty()) return of_tables;
  std::erase_if(of_tables, [&](const std::string& name) { return is_from_code(name, device) || name == "sell-32"; });
  kernels.insert(kernels.end(), of_tables.begin(), of_tables.end());
  return kernels;
}
}  // namespace sparsecast::forecast
