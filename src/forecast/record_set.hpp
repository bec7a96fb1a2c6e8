#pragma once
// Which of a profile's records: those of a precision and a number of threads. A model keeps this of the options that it
// was fitted with; their notice may refer to what does not outlive the fit.

#include <sparsecast/forecast.hpp>

namespace sparsecast::forecast {
struct RecordSet {
  RecordSet(Precision of, int with_threads) : precision(of), threads(with_threads) {}
  // NOLINTNEXTLINE(google-explicit-constructor): what is asked for names the records
  RecordSet(const FitOptions& options) : precision(options.precision), threads(options.threads) {}

  Precision precision;
  int threads;  ///< of the host; 0 for other devices
};
}  // namespace sparsecast::forecast
