#include "planning/reorder/measured_order.hpp"

#include "base/clock.hpp"
#include "base/median.hpp"
#include "planning/run/timed_plan.hpp"

namespace sparsecast::planning {
MeasuredOrder measure_order(const Matrix& matrix, const Reordering& found, const Plan& as_it_is, const Plan& plan,
                            const MeasureOptions& options) {
  MeasuredOrder measured;
  if (found.order.kind == Ordering::none) return measured;
  const double start = base::now_s();
  const Order again = make_order(matrix, found.order.kind);
  (void)permuted(matrix, again, plan.strategy().threads);
  measured.reordering_s = base::now_s() - start;

  const std::unique_ptr<hardware::Product> before = timed_plan(as_it_is), after = timed_plan(plan);
  const std::vector<double> x = vector_for_checks(matrix.cols());
  std::vector<double> ordered(x.size()), y(x.size());
  found.order.into(x, ordered);
  found.order.out_of(after->multiply(ordered), y);
  measured.largest_error = largest_error(y, before->multiply(x));

  std::vector<Turns> series{{before.get(), 1, {}}, {after.get(), 1, {}}};
  measured.rounds = take_turns(series, options);
  const GainOfTurns gain = gain_over(series[0], series[1]);
  measured.gain = gain.median;
  measured.low = gain.low;
  measured.high = gain.high;
  measured.old_s = base::quantile(series[0].seconds, 0.5);
  measured.new_s = base::quantile(series[1].seconds, 0.5);
  return measured;
}
}  // namespace sparsecast::planning
