#pragma once
// What finishes a whole solve first, on the machine of a profile.

#include <sparsecast/progress.hpp>

#include "answers/inputs.hpp"
#include "solving/forecast/forecast.hpp"
#include "solving/forecast/solve_choices.hpp"

namespace sparsecast::answers {
/// The choices for a method (as requests name it) on that device, fastest first; `iterations` without a
/// preconditioner, 0: as solve() assumes; `threads`, `device` and `file` (of a profile): as a request has them. Error
/// as solve()'s for a matrix that the method cannot take.
[[nodiscard]] std::vector<solving::Choice> solver_choices(const Matrix& matrix, const Profile& profile,
                                                          const std::string& method, std::int64_t iterations,
                                                          const std::string& device, const std::string& file,
                                                          int threads, const Listener& listener);

/// A GPU of this machine, whose profile no request's file stands for.
[[nodiscard]] bool is_gpu_here(const std::string& device, const std::string& file);

/// What choices are to run on that device, as ChoiceOptions::runs. Where it runs the method by no preconditioner, all
/// are forecast, and a remark says that they are forecasts alone.
[[nodiscard]] std::function<bool(solving::PreconditionerKind)> runs_there(const std::string& device,
                                                                          const std::string& file,
                                                                          const solving::Method& method,
                                                                          bool complex_values,
                                                                          const Listener& listener);

/// Documents have numbers alone, in which a conversion that is not known is nothing: a remark says so, of some formats
/// or all.
void remark_unknown_conversion(const std::string& profile, bool some, const Listener& listener);

/// Whether a profile that a request's device and file name was measured on this machine's processor, so that what its
/// threads hand to each other can be timed now.
[[nodiscard]] bool is_this_machine(const Profile& profile, const std::string& device, const std::string& file);

/// What is known of this machine, whose profile it is, beside that: what was observed of products with the matrix, and
/// what its threads hand to each other, timed once for each number of them. The matrix, the structure, the profile and
/// the listener must outlive it.
[[nodiscard]] solving::HereAndNow here_and_now(const Matrix& matrix, const Structure& structure, const Profile& profile,
                                               Precision precision, const Listener& listener);

/// Error bad_input for a matrix that the method cannot take, as far as that is seen where its structure alone is known.
void require_fit(const MatrixAndStructure& of, const solving::Method& method);

/// Numbers of threads to choose from: all up to the host's, or the one that is asked for (not 0).
[[nodiscard]] std::vector<int> threads_to_choose_from(const Profile& profile, int threads);

/// Iterations that are assumed where nobody says how many.
inline constexpr std::int64_t assumed_iterations = 500;
}  // namespace sparsecast::answers
