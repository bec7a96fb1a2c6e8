#pragma once
// What rows of a matrix take on one device: the product by the device's forecast, or as timed there where it was never
// calibrated, and the way of x and y to it and back.

#include <memory>
#include <optional>
#include <sparsecast/plan.hpp>
#include <string>

#include "forecast/model_set.hpp"

namespace sparsecast::planning {

/// A device that may take rows.
struct SplitDevice {
  std::string name;
  std::optional<Profile> profile;  ///< nothing: it is here and was never calibrated
  bool here = false;               ///< its products can be run
};

struct PartTime {
  std::string kernel;
  double product_s = 0, transfer_s = 0;
  [[nodiscard]] double seconds() const { return product_s + transfer_s; }
};

/// Thread safety: for one thread.
class PartForecast {
 public:
  /// `matrix`: of which it is asked for parts; a device that is here is tried on some of its rows, for the way of x and
  /// y and, where it has no profile, for its products. Error unavailable, and what the models throw.
  PartForecast(const SplitDevice& device, const Matrix& matrix, const FitOptions& options);
  ~PartForecast();
  PartForecast(PartForecast&&) noexcept;
  PartForecast& operator=(PartForecast&&) noexcept;

  /// Of rows of that matrix, as a matrix of their own.
  [[nodiscard]] PartTime of(const Matrix& rows) const;
  [[nodiscard]] const std::string& name() const { return name_; }
  /// "forecast" or "timed".
  [[nodiscard]] std::string_view rests_on() const { return models_ ? "forecast" : "timed"; }
  [[nodiscard]] DeviceKind kind() const { return kind_; }
  /// Whether its cores are the host's, so that both at work take each other's time.
  [[nodiscard]] bool on_the_processor() const { return on_the_processor_; }

 private:
  void try_out(const Matrix& matrix);
  [[nodiscard]] PartTime forecast(const Matrix& rows) const;

  std::string name_;
  DeviceKind kind_ = DeviceKind::host;
  bool on_the_processor_ = false;
  FitOptions options_;
  double memory_bytes_ = 0;
  std::unique_ptr<forecast::ModelSet> models_;
  std::vector<std::string> kernels_;
  double bytes_per_s_ = 0;       // of the way of x and y; 0: they are where they are needed
  std::string timed_kernel_;     // where there are no models
  double seconds_of_entry_ = 0;  // of a row or a non-zero of it
};

}  // namespace sparsecast::planning
