#pragma once
// Rows dealt to several devices, so that all of them end together: the device's own forecast of its part, x in and y
// out included. Where the whole on one device ends sooner, it says so.

#include <memory>
#include <optional>
#include <sparsecast/plan.hpp>
#include <string>
#include <vector>

#include "forecast/model_set.hpp"
#include "planning/run/turns.hpp"

namespace sparsecast::planning {
// What rows of a matrix take on one device: the product by the device's forecast, or as timed there where it was never
// calibrated, and the way of x and y to it and back.

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

/// Rows of one device; none of them where last_row < first_row.
struct SplitPart {
  std::string device;
  DeviceKind kind = DeviceKind::host;
  std::string rests_on;  ///< "forecast" or "timed"
  std::int64_t first_row = 0, last_row = -1, nonzeros = 0;
  PartTime time;
  PartTime alone;  ///< the whole matrix there
  [[nodiscard]] std::int64_t rows() const { return last_row + 1 - first_row; }
};

struct RowSplit {
  std::vector<SplitPart> parts;  ///< in the order of the devices; they cover every row once
  double predicted_s = 0;        ///< of a product, x and y on the host
  std::string best_alone;        ///< the device that is fastest by itself
  double best_alone_s = 0;
  double gain = 0;  ///< share of that time that the split saves
  bool pays = false;
  std::string reason;
};

/// Error usage for no device, and the same one twice where it is here; what PartForecast throws.
[[nodiscard]] RowSplit split_rows(const Matrix& matrix, const std::vector<SplitDevice>& devices,
                                  const FitOptions& options);

// A split at work: every part on its device, all at once, each from a thread of its own, x and y on the host.

struct SplitRun {
  double seconds = 0;  ///< of a product, median of the rounds
  double alone_s = 0;  ///< the whole on the device that is predicted to be the fastest by itself
  double gain = 0, low = 0, high = 0;
  std::vector<double> part_s;  ///< of every part while all are at work, medians
  double largest_error = 0;    ///< of y, against the host's default kernel
  int rounds = 0;
};

/// All devices must be here. `threads`: of the host's part.
[[nodiscard]] SplitRun run_split(const Matrix& matrix, const RowSplit& split, Precision precision, int threads,
                                 const MeasureOptions& options = {});
}  // namespace sparsecast::planning
