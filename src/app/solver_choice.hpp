#pragma once
// optimize --solver: what finishes a whole solve first, beside the plan for its products.

#include <nlohmann/json_fwd.hpp>
#include <sparsecast/matrix.hpp>
#include <sparsecast/profile.hpp>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "solve/forecast/choices.hpp"

namespace sparsecast::app {

/// The choices for a method (as --method of `solve`) on that device, fastest first; `iterations` without a
/// preconditioner, 0: as `solve` assumes. Error as solve's for a matrix that the method cannot take.
/// `present`: as of is_this_machine().
std::vector<solve::Choice> solver_choices(const Matrix& matrix, const Profile& profile, const std::string& method,
                                          std::int64_t iterations, bool present, const Globals& globals);

/// Whether a profile that --device and --profile name was measured on this machine's processor, so that what its
/// threads hand to each other can be timed now.
[[nodiscard]] bool is_this_machine(const Profile& profile, const std::string& device, const std::string& file);

/// method, preconditioner, format, threads, iterations, iteration_s, setup_s, total_s of the first.
nlohmann::ordered_json solver_json(const std::string& method, const std::vector<solve::Choice>& choices);

/// One line of the first.
std::string solver_text(const std::string& method, const std::vector<solve::Choice>& choices);

/// Numbers of threads that `solve` chooses from: all up to the host's, or the one that --threads names.
std::vector<int> threads_to_choose_from(const Profile& profile, const Globals& globals);

/// Iterations that are assumed where nobody says how many.
inline constexpr std::int64_t assumed_iterations = 500;

}  // namespace sparsecast::app
