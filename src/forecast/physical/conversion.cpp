#include "forecast/physical/conversion.hpp"

#include <utility>
#include <vector>

#include "base/median.hpp"
#include "forecast/physical/storage.hpp"

namespace sparsecast::forecast {
namespace {

// Bytes moved by a conversion: the format is written, the CSR it comes from is read.
double bytes_moved(const Structure& structure, std::int64_t bytes) {
  return static_cast<double>(bytes) + 12.0 * static_cast<double>(structure.nonzeros) +
         4.0 * static_cast<double>(structure.rows);
}

}  // namespace

ConversionModel::ConversionModel(const Profile& profile, const FitOptions& options) {
  std::map<std::string, std::vector<double>> rates;
  for (const Record& record : profile.records) {
    if (record.precision != options.precision || record.threads != options.threads || record.preprocess_s <= 0)
      continue;
    const Structure& structure = profile.matrices[record.matrix].structure;
    const std::int64_t bytes = storage_bytes(profile.properties.kind, structure, record.kernel, record.precision);
    // Small conversions tell of allocation, not of the rate.
    if (bytes > 100'000) rates[record.kernel].push_back(record.preprocess_s / bytes_moved(structure, bytes));
  }
  for (auto& [kernel, values] : rates) seconds_per_byte_[kernel] = base::median(std::move(values));
}

double ConversionModel::seconds(const std::string& kernel, const Structure& structure, std::int64_t bytes) const {
  const auto found = seconds_per_byte_.find(kernel);
  return found == seconds_per_byte_.end() ? 0 : found->second * bytes_moved(structure, bytes);
}

}  // namespace sparsecast::forecast
