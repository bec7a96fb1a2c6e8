#include "app/solver_choice.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <sparsecast/error.hpp>

#include "app/inputs.hpp"
#include "base/text.hpp"
#include "solve/requirements.hpp"

namespace sparsecast::app {

std::vector<int> threads_to_choose_from(const Profile& profile, const Globals& globals) {
  const int most = threads_for(profile, globals);
  if (most == 0 || globals.threads > 0 || profile.tier == "data sheet") return {most};
  std::vector<int> all(static_cast<std::size_t>(most));
  std::iota(all.begin(), all.end(), 1);
  return all;
}

bool is_this_machine(const Profile& profile, const std::string& device, const std::string& file) {
  return profile.properties.kind == DeviceKind::host && profile.tier != "data sheet" && file.empty() &&
         device == "host";
}

std::vector<solve::Choice> solver_choices(const Matrix& matrix, const Profile& profile, const std::string& method,
                                          std::int64_t iterations, bool present, const Globals& globals) {
  solve::ChoiceOptions options{.method = solve::parse_method(method),
                               .iterations = iterations > 0 ? iterations : assumed_iterations,
                               .threads = threads_to_choose_from(profile, globals),
                               .notice = fit_options(profile, globals).notice,
                               .present = present};
  solve::require_fit(matrix, options.method, solve::PreconditionerKind::none);
  std::vector<solve::Choice> choices = solve::solve_choices(matrix, analyze(matrix, globals.threads), profile, options);
  if (choices.empty()) throw Error(ErrorCode::failed, "no kernel could be forecast for the matrix", {matrix.name()});
  return choices;
}

nlohmann::ordered_json solver_json(const std::string& method, const std::vector<solve::Choice>& choices) {
  const solve::Choice& first = choices.front();
  return {{"method", solve::parse_method(method).name()},
          {"preconditioner", solve::name_of(first.forecast.preconditioner)},
          {"format", first.forecast.format},
          {"threads", first.forecast.threads},
          {"iterations", first.iterations},
          {"iteration_s", first.forecast.iteration.seconds},
          {"setup_s", first.forecast.setup_s},
          {"total_s", first.total_s}};
}

std::string solver_text(const std::string& method, const std::vector<solve::Choice>& choices) {
  const solve::Choice& first = choices.front();
  return fmt::format(
      "\n{} finishes first with preconditioner {} and {}{}: {} iterations of {}, {} in all\n",
      solve::parse_method(method).name(), solve::name_of(first.forecast.preconditioner), first.forecast.format,
      first.forecast.threads > 0
          ? fmt::format(" on {} thread{}", first.forecast.threads, first.forecast.threads == 1 ? "" : "s")
          : "",
      base::format_count(first.iterations), base::format_seconds(first.forecast.iteration.seconds),
      base::format_seconds(first.total_s));
}

}  // namespace sparsecast::app
