#include "answers/requested_device.hpp"

#include <sparsecast/error.hpp>

namespace sparsecast::answers {
Machine& RequestedDevice::machine() {
  if (machine_) return *machine_;
  try {
    machine_ = Machine::of(request_.device, request_.profile.string(), request_.listener, !by_name_);
  } catch (const Error& error) {
    if (by_name_ || error.code() != ErrorCode::usage) throw;
    throw Error(ErrorCode::unavailable, error.reason_text(), error.place(), error.remedy_text());
  }
  return *machine_;
}

FitOptions RequestedDevice::fit(Precision precision, int threads) {
  return fit_options(profile(), precision, threads, request_.listener);
}

std::shared_ptr<const Planner> RequestedDevice::planner(const std::string& model, const FitOptions& fit) {
  return machine().planner(model, fit);
}
}  // namespace sparsecast::answers
