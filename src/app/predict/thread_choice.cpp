#include "app/predict/thread_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sparsecast/error.hpp>
#include <sparsecast/threads.hpp>

#include "app/inputs.hpp"
#include "app/terminal/terminal.hpp"
#include "base/text.hpp"
#include "forecast/thread_counts.hpp"

namespace sparsecast::app {
namespace {

// Threads beyond those that come so near to the fastest are worth more elsewhere.
constexpr double near_the_fastest = 1.05;

}  // namespace

std::vector<int> counts_to_try(const Profile& profile, const Globals& globals) {
  if (profile.properties.kind != DeviceKind::host || profile.tier != Profile().tier)
    throw Error(ErrorCode::usage,
                "--threads auto compares threads of a measured host, and " + profile.name + " is none", {},
                "leave it away");
  std::vector<int> measured = forecast::measured_counts(profile, fit_options(profile, globals));
  std::erase_if(measured, [](int count) { return count > available_cores(); });
  std::vector<int> counts = forecast::counts_to_compare(measured);
  if (counts.empty()) counts.push_back(default_threads());  // which says what is missing
  return counts;
}

ThreadChoice choose_count(const std::vector<int>& counts,
                          const std::function<CountForecast(int threads)>& forecast_with) {
  ThreadChoice choice;
  for (const int threads : counts) choice.counts.push_back(forecast_with(threads));
  const auto fastest = std::ranges::min_element(choice.counts, {}, &CountForecast::total_s);
  choice.fastest = fastest->threads;
  choice.enough = std::ranges::find_if(choice.counts, [&](const CountForecast& count) {
                    return count.total_s <= near_the_fastest * fastest->total_s;
                  })->threads;
  return choice;
}

nlohmann::ordered_json counts_json(const ThreadChoice& choice) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const CountForecast& count : choice.counts)
    out.push_back(
        {{"threads", count.threads}, {"kernel", count.kernel}, {"seconds", count.seconds}, {"total_s", count.total_s}});
  return out;
}

std::string counts_text(const ThreadChoice& choice) {
  if (choice.counts.empty()) return {};
  base::TextTable table({"threads", "kernel", "forecast", "GF/s", "times one"});
  for (const CountForecast& count : choice.counts)
    table.add({std::to_string(count.threads), count.kernel, base::format_seconds(count.seconds),
               fmt::format("{:.2f}", count.gflops),
               fmt::format("{:.2f}", choice.counts.front().total_s / count.total_s)});
  const std::string helped = choice.enough < choice.fastest
                                 ? fmt::format("; with more than {} it is faster by a twentieth at most", choice.enough)
                             : choice.fastest < choice.counts.back().threads ? "; more do not help"
                                                                             : "";
  return fmt::format("\n{}fastest with {} thread{}{}\n", table.text(layout()), choice.fastest,
                     choice.fastest == 1 ? "" : "s", helped);
}

}  // namespace sparsecast::app
