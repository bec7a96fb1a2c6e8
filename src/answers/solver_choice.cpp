#include "answers/solver_choice.hpp"

#include <fmt/format.h>
#include <map>
#include <memory>
#include <numeric>
#include <sparsecast/error.hpp>

#include "answers/machine.hpp"
#include "planning/choice/observed_products.hpp"
#include "solving/requirements.hpp"
#include "solving/solve.hpp"

namespace sparsecast::answers {
namespace {
solving::SeenProducts seen_products(const Matrix& matrix, const Structure& structure, const Profile& profile,
                                    const FitOptions& fit, const Listener& listener) {
  return [&matrix, &structure, &profile, fit, &listener](std::vector<Forecast>& products) {
    planning::observed_here(matrix, structure, profile, fit, {.precision = fit.precision}, listener).apply(products);
  };
}
}  // namespace

void require_fit(const MatrixAndStructure& of, const solving::Method& method) {
  if (of.matrix.rows() == 0) return solving::require_fit(of.structure, method);
  solving::require_fit(of.matrix, method, solving::PreconditionerKind::none);
}

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

bool is_gpu_here(const std::string& device, const std::string& file) {
  return file.empty() && (device.starts_with("opencl:") || device.starts_with("cuda:"));
}

std::function<bool(solving::PreconditionerKind)> runs_there(const std::string& device, const std::string& file,
                                                            const solving::Method& method, bool complex_values,
                                                            const Listener& listener) {
  if (!is_gpu_here(device, file)) return {};
  const auto runs = [=](solving::PreconditionerKind kind) {
    return solving::runs_on(device, method, kind, complex_values);
  };
  if (runs(solving::PreconditionerKind::none)) return runs;
  tell(listener.remark, fmt::format("a forecast alone: {} runs no {}{}", device, method.name(),
                                    complex_values ? " of complex values" : ""));
  return {};
}

void remark_unknown_conversion(const std::string& profile, bool some, const Listener& listener) {
  tell(listener.remark, fmt::format("what {} takes on {} is not known: set-up and total are without it",
                                    some ? "conversion to some formats" : "conversion", profile));
}

solving::HereAndNow here_and_now(const Matrix& matrix, const Structure& structure, const Profile& profile,
                                 Precision precision, const Listener& listener) {
  const auto timed = std::make_shared<std::map<int, solving::Handover>>();
  return {.seen =
              [&matrix, &structure, &profile, precision, &listener](int threads) {
                return seen_products(matrix, structure, profile, {precision, threads, {}}, listener);
              },
          .handover =
              [&matrix, timed](int threads) {
                const auto [known, first] = timed->try_emplace(threads);
                if (first) known->second = solving::measured_handover(matrix, threads);
                return known->second;
              }};
}

std::vector<solving::Choice> solver_choices(const Matrix& matrix, const Profile& profile, const std::string& method,
                                            std::int64_t iterations, const std::string& device, const std::string& file,
                                            int threads, const Listener& listener) {
  const Structure structure = analyze(matrix, threads);
  solving::ChoiceOptions options{.method = solving::parse_method(method),
                                 .iterations = iterations > 0 ? iterations : assumed_iterations,
                                 .threads = threads_to_choose_from(profile, threads),
                                 .notice = fit_options(profile, Precision::double_, threads, listener).notice};
  options.runs = runs_there(device, file, options.method, structure.complex_values, listener);
  if (is_this_machine(profile, device, file))
    options.here = here_and_now(matrix, structure, profile, options.precision, listener);
  solving::require_fit(matrix, options.method, solving::PreconditionerKind::none);
  const Structure read = solving::structure_read(matrix, structure, options.method, profile.properties.kind, threads);
  std::vector<solving::Choice> choices = solving::solve_choices(matrix, read, profile, options);
  if (choices.empty()) throw Error(ErrorCode::failed, "no kernel could be forecast for the matrix", {matrix.name()});
  return choices;
}
}  // namespace sparsecast::answers
