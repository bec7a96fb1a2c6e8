#include "solving/run/device_cg.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "planning/run/device_runner.hpp"

namespace sparsecast::solving {
namespace {
using hardware::DeviceArgument, hardware::DeviceMemory;

class DeviceCg {
 public:
  DeviceCg(const planning::DeviceRunner& runner, const Vector& b)
      : runner_(runner),
        side_(*runner.device()->resident()),
        rows_(std::ssize(b)),
        groups_(side_.groups_of(rows_)),
        x_(array(rows_)),
        r_(array(rows_)),
        d_(array(rows_)),
        q_(array(rows_)),
        parts_(array(groups_)),
        factors_(array(4)) {
    const Vector zeros(b.size(), 0.0);
    side_.upload(*x_, zeros.data(), rows_ * size);
    for (const auto& memory : {r_.get(), d_.get()}) side_.upload(*memory, b.data(), rows_ * size);
    dot(*r_, *r_);
    reduce(0);
  }

  void iterate() {
    runner_.queue(side_.address(*d_), side_.address(*q_), 1);
    dot(*d_, *q_);
    reduce(1);
    pass("cg_residual", groups_, {rows_, factors_.get(), q_.get(), r_.get(), parts_.get()});
    reduce(2);
    pass("cg_step", groups_, {rows_, factors_.get(), r_.get(), x_.get(), d_.get()});
  }

  /// r·r and d·A·d of the last iteration, after all that was queued.
  [[nodiscard]] std::array<double, 2> sums() const {
    std::array<double, 4> factors{};
    side_.download(*factors_, factors.data(), 4 * size);
    return {factors[2], factors[3]};
  }
  [[nodiscard]] Vector x() const {
    Vector x(static_cast<std::size_t>(rows_));
    side_.download(*x_, x.data(), rows_ * size);
    return x;
  }

 private:
  static constexpr std::int64_t size = sizeof(double);

  [[nodiscard]] std::unique_ptr<DeviceMemory> array(std::int64_t count) { return side_.allocate(count * size); }
  void pass(std::string_view function, std::int64_t groups, std::initializer_list<DeviceArgument> arguments) {
    side_.pass(function, Precision::double_, groups, arguments);
  }
  void dot(const DeviceMemory& u, const DeviceMemory& v) { pass("dot_parts", groups_, {rows_, &u, &v, parts_.get()}); }
  void reduce(std::int64_t step) { pass("cg_factors", 1, {step, groups_, parts_.get(), factors_.get()}); }

  const planning::DeviceRunner& runner_;
  hardware::ResidentSide& side_;
  std::int64_t rows_, groups_;
  std::unique_ptr<DeviceMemory> x_, r_, d_, q_, parts_, factors_;
};
}  // namespace

void run_cg_on_device(Problem& problem, const RunOptions& options, History& history, Vector& x) {
  const auto& runner = dynamic_cast<const planning::DeviceRunner&>(planning::Runner::of(problem.plan));
  Vector r = problem.vector();
  const double first = problem.residual(x, r);
  const std::lock_guard lock(*runner.turns());
  DeviceCg cg(runner, r);
  history.begin(problem.relative(first));
  const std::int64_t most = options.iterations > 0 ? options.iterations : options.most;
  bool on = true;
  for (std::int64_t done = history.iterations(); on && done < most;) {
    const std::int64_t turn = options.until_tolerance ? std::min(iterations_between_looks, most - done) : most;
    for (std::int64_t i = 0; i < turn; ++i) cg.iterate();
    done += turn;
    const auto [square, curvature] = cg.sums();
    if (!(curvature >= 0)) {
      history.break_down("the matrix is not positive definite");
      break;
    }
    on = history.goes_on(problem.relative(square), turn);
  }
  const Vector moved = cg.x();
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += moved[i];
}
}  // namespace sparsecast::solving
