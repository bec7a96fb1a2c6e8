#pragma once
// What it costs to make a format out of CSR: a line in the bytes written and the non-zeros read, per kernel.

#include <map>
#include <sparsecast/forecast.hpp>
#include <string>

namespace sparsecast::forecast {

class ConversionModel {
 public:
  ConversionModel(const Profile& profile, const FitOptions& options);
  /// Seconds; 0 for a kernel whose conversion was never measured or costs nothing.
  [[nodiscard]] double seconds(const std::string& kernel, const Structure& structure, std::int64_t bytes) const;

 private:
  std::map<std::string, double> seconds_per_byte_;
};

}  // namespace sparsecast::forecast
