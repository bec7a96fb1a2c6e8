// plan: the matrix of a request read, and the room that chooses (planning/choice) asked what to do with it.

#include <omp.h>
#include <sparsecast/answers/plan_needs.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/reorder.hpp>
#include <sparsecast/threads.hpp>

#include "answers/in_range.hpp"
#include "answers/inputs.hpp"
#include "answers/requested_device.hpp"
#include "base/interrupt.hpp"
#include "base/team.hpp"
#include "fields/answers/request.hpp"
#include "fields/plan_request.hpp"
#include "planning/choice/choose.hpp"

namespace sparsecast {
namespace {
struct Asked {
  PlanRequest request;  // in the precision of the matrix
  Matrix matrix;        // in the storage that was asked for
};

Asked read(const PlanRequest& request) {
  Asked asked{request, load_matrix(request.matrix, request.threads, request.listener)};
  if (request.storage != ValueStorage::given) asked.matrix = rounded_to(request.storage, asked.matrix).matrix;
  if (asked.matrix.is_complex()) asked.request.precision = complex_of(request.precision);
  return asked;
}
}  // namespace

int most_threads(int asked) {
  const int allowed = std::min(available_cores(), base::most_in_team());
  return std::max(1, asked > 0 ? std::min(asked, allowed) : allowed);
}

Plan plan(const PlanRequest& request) {
  const base::StopScope stop(request.listener.stop);
  answers::require_in_range(request);
  const Asked asked = read(request);
  answers::RequestedDevice device(asked.request);
  return carry_out(planning::choose(asked.request, asked.matrix, device, {.threads = most_threads(request.threads)}),
                   asked.request);
}

ReorderedPlan plan_reordered(const PlanRequest& request, Ordering wanted) {
  const base::StopScope stop(request.listener.stop);
  answers::require_in_range(request);
  const Asked asked = read(request);
  answers::RequestedDevice device(asked.request);
  planning::Choice choice = planning::choose(asked.request, asked.matrix, device,
                                             {.threads = most_threads(request.threads), .order = wanted});
  return {carry_out(choice, asked.request), std::move(choice.order->order), std::move(choice.order->reason)};
}
}  // namespace sparsecast
