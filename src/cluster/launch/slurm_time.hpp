#pragma once
// Time limits in the forms that Slurm's --time takes.

#include <optional>
#include <string_view>

namespace sparsecast::cluster {
/// Seconds of "M", "M:S", "H:M:S", "D-H", "D-H:M" or "D-H:M:S"; infinity for "UNLIMITED", "INFINITE" and 0, which is
/// none for Slurm; nullopt for anything else.
std::optional<double> slurm_seconds(std::string_view limit);
}  // namespace sparsecast::cluster
