#include "contest.hpp"

#include <algorithm>
#include <cmath>

namespace sparsecast::petsc {

Way Contest::fastest(bool transposed) const {
  Way best = Way::petsc;
  double least = (1 - worthwhile) * seconds(Way::petsc, transposed);
  for (Way way : {Way::quick, Way::planned}) {
    if (of(way).out || seconds(way, transposed) >= least) continue;
    best = way;
    least = seconds(way, transposed);
  }
  return best;
}

Way Contest::next(bool transposed) const {
  for (Way way : ways)
    if (!of(way).out && is_due(way) && !was_tried(way, transposed)) return way;
  return fastest(transposed);
}

bool Contest::settled(bool transposed) const {
  return std::ranges::all_of(ways, [&](Way way) {
    return of(way).out || was_tried(way, transposed) || (way == Way::planned && std::isinf(planning_s_));
  });
}

void Contest::took(Way way, bool transposed, double seconds) {
  spent_s_ += seconds;
  Times& times = of(way).times[transposed ? 1 : 0];
  if (times.seen >= tries) return;
  times.least = std::min(times.least, seconds);
  if (++times.seen == tries) drop_the_slower();
}

void Contest::drop_the_slower() {
  for (Way way : {Way::quick, Way::planned}) {
    bool tried = false, wanted = false;
    for (bool transposed : {false, true}) {
      const int seen = of(way).times[transposed ? 1 : 0].seen;
      tried = tried || seen > 0;
      wanted = wanted || (seen > 0 && (seen < tries || fastest(transposed) == way));
    }
    if (tried && !wanted) of(way).out = true;
  }
}

}  // namespace sparsecast::petsc
