#include "answers/solver_choice.hpp"

#include <numeric>
#include <sparsecast/error.hpp>

#include "answers/machine.hpp"
#include "planning/choice/observed_products.hpp"
#include "solving/requirements.hpp"

namespace sparsecast::answers {
std::vector<int> threads_to_choose_from(const Profile& profile, int threads) {
  const int most = threads_for(profile, threads);
  if (most == 0 || threads > 0 || profile.tier == Tier::data_sheet) return {most};
  std::vector<int> all(static_cast<std::size_t>(most));
  std::iota(all.begin(), all.end(), 1);
  return all;
}

bool is_this_machine(const Profile& profile, const std::string& device, const std::string& file) {
  return profile.properties.kind == DeviceKind::host && profile.tier != Tier::data_sheet && file.empty() &&
         device == "host";
}

solving::SeenProducts seen_products(const Matrix& matrix, const Structure& structure, const Profile& profile,
                                    const FitOptions& fit, const Listener& listener) {
  return [&matrix, &structure, &profile, fit, &listener](std::vector<Forecast>& products) {
    planning::observed_here(matrix, structure, profile, fit, {.precision = fit.precision}, listener).apply(products);
  };
}

std::vector<solving::Choice> solver_choices(const Matrix& matrix, const Profile& profile, const std::string& method,
                                            std::int64_t iterations, bool present, int threads,
                                            const Listener& listener) {
  const Structure structure = analyze(matrix, threads);
  solving::ChoiceOptions options{.method = solving::parse_method(method),
                                 .iterations = iterations > 0 ? iterations : assumed_iterations,
                                 .threads = threads_to_choose_from(profile, threads),
                                 .notice = fit_options(profile, Precision::double_, threads, listener).notice,
                                 .present = present};
  if (present)
    options.seen = [&](int count) {
      return seen_products(matrix, structure, profile, {options.precision, count, {}}, listener);
    };
  solving::require_fit(matrix, options.method, solving::PreconditionerKind::none);
  std::vector<solving::Choice> choices = solving::solve_choices(matrix, structure, profile, options);
  if (choices.empty()) throw Error(ErrorCode::failed, "no kernel could be forecast for the matrix", {matrix.name()});
  return choices;
}
}  // namespace sparsecast::answers
