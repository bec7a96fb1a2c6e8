#pragma once
// A product timed on a user's matrix, or why it was not.

#include <optional>
#include <sparsecast/precision.hpp>

#include "calibration/timing.hpp"

namespace sparsecast::calibration {
struct Measurement {
  std::string matrix;
  std::int64_t rows = 0, cols = 0, nonzeros = 0;
  std::string device;
  std::string kernel;
  Precision precision = Precision::double_;
  int threads = 0;
  std::string failure = {};  ///< why there is no time: "too large: …", "OpenCL error …"; empty where there is one
  Timing timing;
  std::optional<double> preprocess_s;  ///< as a user meets it (measure.hpp); nothing where not measured so
  std::string taken;

  [[nodiscard]] bool timed() const { return failure.empty(); }
  /// As documents and the store have it: the failure, or this word.
  static constexpr std::string_view timed_word = "ok";
  [[nodiscard]] std::string status() const { return timed() ? std::string(timed_word) : failure; }
};
}  // namespace sparsecast::calibration
