// optimize over several devices: rows dealt to them, and run where all are here.

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/answers/optimize.hpp>
#include <sparsecast/error.hpp>

#include "answers/inputs.hpp"
#include "answers/machine.hpp"
#include "base/threads.hpp"
#include "planning/devices/row_split.hpp"

namespace sparsecast {
namespace {
// With its calibration, or none where it is here and has none; of another machine what is known of it.
planning::SplitDevice split_device(const std::string& name, const std::vector<DeviceProperties>& present,
                                   const Listener& listener) {
  planning::SplitDevice device;
  device.name = name;
  device.here = std::ranges::find(present, name, &DeviceProperties::name) != present.end();
  try {
    device.profile = answers::load_machine(name, {}, listener);
  } catch (const Error& error) {
    if (!device.here || name == "host" || error.code() != ErrorCode::failed) throw;
    answers::tell(listener.remark, fmt::format("{} was never calibrated: it is timed on a part of the matrix", name));
  }
  return device;
}

DealtPart part_of(const planning::SplitPart& part) {
  return {.device = part.device,
          .kind = part.kind,
          .rests_on = part.rests_on,
          .first_row = part.first_row,
          .last_row = part.last_row,
          .nonzeros = part.nonzeros,
          .kernel = part.time.kernel,
          .product_s = part.time.product_s,
          .transfer_s = part.time.transfer_s,
          .alone_s = part.alone.seconds()};
}
}  // namespace

DealtRows deal_rows(const DealRequest& request) {
  const base::StopScope stop(request.listener.stop);
  const Matrix matrix = load_matrix(request.matrix, request.threads, request.listener);
  const std::vector<DeviceProperties> present = hardware::present_devices().devices;
  std::vector<planning::SplitDevice> dealt_to;
  for (const std::string& name : request.devices) dealt_to.push_back(split_device(name, present, request.listener));
  const FitOptions fit{request.precision, base::thread_count(request.threads), {}};
  const planning::RowSplit split = planning::split_rows(matrix, dealt_to, fit);
  DealtRows answer{.matrix = answers::size_of(matrix),
                   .precision = request.precision,
                   .predicted_s = split.predicted_s,
                   .best_alone = {split.best_alone, split.best_alone_s},
                   .gain = split.gain,
                   .pays = split.pays,
                   .reason = split.reason};
  for (const planning::SplitPart& part : split.parts) answer.parts.push_back(part_of(part));
  if (!std::ranges::all_of(dealt_to, &planning::SplitDevice::here)) return answer;
  const planning::SplitRun run = planning::run_split(matrix, split, fit.precision, fit.threads);
  answer.measured = MeasuredDeal{run.seconds, run.alone_s, run.gain, run.low, run.high, run.rounds, run.largest_error};
  for (std::size_t p = 0; p < answer.parts.size(); ++p) answer.parts[p].measured_s = run.part_s[p];
  return answer;
}
}  // namespace sparsecast
