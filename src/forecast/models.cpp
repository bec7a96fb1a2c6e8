// The table of models: one row each, best first.

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>
#include <sparsecast/forecast.hpp>

#include "forecast/model_names.hpp"
#include "forecast/papers/paper_model.hpp"
#include "forecast/sparsecast_model.hpp"

namespace sparsecast {
namespace {
struct ModelRow {
  const char* name;
  std::unique_ptr<FittedModel> (*fit)(const Profile& profile, const FitOptions& options);
};

constexpr ModelRow models[] = {
    {forecast::own_model, forecast::fit_sparsecast_model},
    {forecast::guo_model,
     [](const Profile& p, const FitOptions& o) {
       return forecast::fit_paper_model(forecast::guo_model, "constant", true, p, o);
     }},
    {forecast::wang_normal_model,
     [](const Profile& p, const FitOptions& o) {
       return forecast::fit_paper_model(forecast::wang_normal_model, "normal", false, p, o);
     }},
    {forecast::wang_uniform_model,
     [](const Profile& p, const FitOptions& o) {
       return forecast::fit_paper_model(forecast::wang_uniform_model, "uniform", false, p, o);
     }},
};
}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const ModelRow& model : models) names.emplace_back(model.name);
  return names;
}

void forecast::require_model(std::string_view name) {
  if (std::ranges::find(models, name, &ModelRow::name) != std::ranges::end(models)) return;
  throw Error(ErrorCode::usage, fmt::format("there is no model '{}'", name), {},
              fmt::format("the models are {}", fmt::join(model_names(), ", ")));
}

std::unique_ptr<FittedModel> fit_model(const std::string& name, const Profile& profile, const FitOptions& options) {
  forecast::require_model(name);
  return std::ranges::find(models, name, &ModelRow::name)->fit(profile, options);
}
}  // namespace sparsecast
