#pragma once
// --threads auto: how many threads of the host a matrix is forecast to be fastest with, and where more stop helping.

#include <functional>
#include <nlohmann/json.hpp>
#include <sparsecast/forecast.hpp>
#include <sparsecast/profile.hpp>
#include <string>
#include <vector>

#include "app/commands.hpp"

namespace sparsecast::app {

/// What is forecast for one number of threads.
struct CountForecast {
  int threads = 1;
  std::string kernel;  ///< that finishes first
  double seconds = 0;  ///< one product
  double total_s = 0;  ///< of all products with the conversion; one product's where none were asked for
  double gflops = 0;
};

struct ThreadChoice {
  std::vector<CountForecast> counts;  ///< ascending; empty where the question was not asked
  int fastest = 0;                    ///< threads
  int enough = 0;                     ///< the fewest within a twentieth of the fastest
};

/// `forecast_with`: the kernel that is recommended for so many threads.
[[nodiscard]] ThreadChoice choose_count(const std::vector<int>& counts,
                                        const std::function<CountForecast(int threads)>& forecast_with);

/// Error usage where the profile is not of a host, whose threads alone can be chosen.
[[nodiscard]] std::vector<int> counts_to_try(const Profile& profile, const Globals& globals);

[[nodiscard]] nlohmann::ordered_json counts_json(const ThreadChoice& choice);
[[nodiscard]] std::string counts_text(const ThreadChoice& choice);

}  // namespace sparsecast::app
