#pragma once
// What `sparsecast kernel --space` says: the fastest configurations and why, as a document, as text, and in the tuners'
// own formats, marked as forecast.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gpu_code/space/space_search.hpp"

namespace sparsecast::app {

[[nodiscard]] nlohmann::ordered_json space_json(const gpu_code::TuningProblem& problem,
                                                const gpu_code::SpaceSearch& search, const std::string& device);
[[nodiscard]] std::string space_text(const gpu_code::TuningProblem& problem, const gpu_code::SpaceSearch& search,
                                     const std::string& device);
/// A results file in the tuners' public format (T4): of every result an objective "time" in milliseconds, and of the
/// whole a device whose name begins with "forecast:".
[[nodiscard]] nlohmann::ordered_json results_json(const gpu_code::TuningProblem& problem,
                                                  const gpu_code::SpaceSearch& search, const std::string& device);
/// A cache file as Kernel Tuner reads it, with the same mark.
[[nodiscard]] nlohmann::ordered_json tuner_cache_json(const gpu_code::TuningProblem& problem,
                                                      const gpu_code::SpaceSearch& search, const std::string& device);

}  // namespace sparsecast::app
