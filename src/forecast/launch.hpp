#pragma once
// What starting a product takes, below which no forecast goes: a kernel queued and waited for, a parallel region, a
// call.

#include <functional>

#include "forecast/record_set.hpp"

namespace sparsecast::forecast {
/// Seconds with so many threads (0: a GPU's): as the profile's curve has it, else as its description does, but then no
/// more than the fastest product that was measured there.
[[nodiscard]] double launch_seconds(const Profile& profile, const RecordSet& records);

/// Lifts a forecast that is below `least_s` to it, and its interval with it: it is extrapolated then. Those that are
/// lifted keep their order, a hundredth apart at most.
void lift_to(Forecast& forecast, double least_s);

/// The model, with no forecast below what any product takes: launch_seconds(), or the fastest product of the records
/// where that is less, as one queued behind others is not waited for alone, or `least_of` the kernel, where something
/// is known of it (above 0) and that is less. Lifted by lift_to().
[[nodiscard]] std::unique_ptr<FittedModel> never_below_launch(
    std::unique_ptr<FittedModel> model, const Profile& profile, const RecordSet& records,
    const std::function<double(const std::string&)>& least_of = {});
}  // namespace sparsecast::forecast
