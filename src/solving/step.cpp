#include "solving/step.hpp"

namespace sparsecast::solving {
Amounts& Amounts::operator+=(const Amounts& other) {
  products += other.products;
  transposed += other.transposed;
  preconditions += other.preconditions;
  reads += other.reads;
  writes += other.writes;
  sums += other.sums;
  passes += other.passes;
  dotted += other.dotted;
  return *this;
}

Amounts Amounts::over(double iterations) const {
  return {products / iterations, transposed / iterations, preconditions / iterations, reads / iterations,
          writes / iterations,   sums / iterations,       passes / iterations,        dotted / iterations};
}

Amounts amounts_of(const std::vector<Step>& steps) {
  Amounts all;
  for (const Step& step : steps) {
    switch (step.kind) {
      case StepKind::product:
        all.products += step.times;
        all.dotted += step.sums > 0 ? step.times : 0;
        break;
      case StepKind::transposed: all.transposed += step.times; break;
      case StepKind::precondition: all.preconditions += step.times; break;
      case StepKind::pass:
        all.passes += step.times;
        all.sums += step.sums > 0 ? step.times : 0;
        for (const Stream& stream : step.reads) all.reads += step.times * stream.count;
        for (const Stream& stream : step.writes) all.writes += step.times * stream.count;
        break;
    }
  }
  return all;
}
}  // namespace sparsecast::solving
