#pragma once
// The names by which a model is asked for and by which a forecast tells its own: the one place where they are written.

#include <string_view>

namespace sparsecast::forecast {
/// Asked for: the first model of the table that has a forecast of a kernel; every model of it.
inline constexpr std::string_view best_model = "best", all_models = "all";
/// Fitted to this device's measurements; across machines, by a description; from the code of our GPU kernels.
inline constexpr const char *own_model = "sparsecast", *described_model_name = "machines", *code_model_name = "code";
/// Guo, Wang & Chen; Wang, Gu & Li by normally and by uniformly distributed rows.
inline constexpr const char *guo_model = "guo", *wang_normal_model = "wang-normal",
                            *wang_uniform_model = "wang-uniform";

/// Whether the model fitted to measurements answers where that name is asked for.
constexpr bool asks_own(std::string_view model) { return model == best_model || model == own_model; }

/// Error usage, with their names, where no model is called so.
void require_model(std::string_view name);
}  // namespace sparsecast::forecast
