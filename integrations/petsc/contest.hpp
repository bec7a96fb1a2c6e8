#pragma once
// Which way a matrix's products go: PETSc's own at first, then by plans. Each is timed in the caller's products, the
// fastest goes on; what costs more to make has its turn later, so that few products lose little. Values alone: it knows
// no PETSc.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace sparsecast::petsc {

/// `quick` is one kernel for all rows, `planned` the planner's strategy with this machine's calibration.
enum class Way : std::uint8_t { petsc, quick, planned };
inline constexpr std::array ways{Way::petsc, Way::quick, Way::planned};

class Contest {
 public:
  /// Products of each way, and with each of A and Aᵀ, that are timed.
  static constexpr int tries = 4;
  /// `planned` has its turn once products took so many times as long as planning.
  static constexpr double patience = 25;
  /// A plan is to save so much of PETSc's time, or nothing changes.
  static constexpr double worthwhile = 0.03;

  /// `planning_s`: of the way `planned`; infinite: there is none. `quick` has its turn once products took as long as
  /// `quick_s`, which is about what making it takes.
  explicit Contest(double planning_s = std::numeric_limits<double>::infinity(), double quick_s = 0)
      : planning_s_(planning_s), quick_s_(quick_s) {}

  /// The way of the next product with A, or with Aᵀ.
  [[nodiscard]] Way next(bool transposed) const;
  void took(Way way, bool transposed, double seconds);
  /// That way cannot be gone.
  void drop(Way way) { of(way).out = true; }
  /// Ways that need not be kept: dropped, or slower wherever they had their turn.
  [[nodiscard]] bool is_out(Way way) const { return of(way).out; }
  /// The planner's turn comes now.
  void hasten() { planning_s_ = 0; }
  /// Its time is known.
  [[nodiscard]] bool was_tried(Way way, bool transposed) const {
    return of(way).times[transposed ? 1 : 0].seen >= tries;
  }
  /// No time changes anything any more, but for the first products of the kind (A or Aᵀ) that was not seen yet.
  [[nodiscard]] bool settled(bool transposed) const;
  /// Of one product; infinite: none was seen.
  [[nodiscard]] double seconds(Way way, bool transposed) const { return of(way).times[transposed ? 1 : 0].least; }

 private:
  struct Times {
    int seen = 0;
    double least = std::numeric_limits<double>::infinity();
  };
  struct Contender {
    bool out = false;
    std::array<Times, 2> times;  // with A and with Aᵀ
  };

  [[nodiscard]] const Contender& of(Way way) const { return contenders_[static_cast<std::size_t>(way)]; }
  [[nodiscard]] Contender& of(Way way) { return contenders_[static_cast<std::size_t>(way)]; }
  [[nodiscard]] bool is_due(Way way) const {
    return spent_s_ >= (way == Way::planned ? patience * planning_s_ : way == Way::quick ? quick_s_ : 0);
  }
  [[nodiscard]] Way fastest(bool transposed) const;
  void drop_the_slower();

  std::array<Contender, 3> contenders_;
  double planning_s_, quick_s_, spent_s_ = 0;
};

}  // namespace sparsecast::petsc
