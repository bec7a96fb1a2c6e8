#include "solving/forecast/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>
#include <sparsecast/transpose.hpp>
#include <sparsecast_constants.hpp>

#include "forecast/memory_fit.hpp"
#include "forecast/physical/storage.hpp"
#include "forecast/task_forecast.hpp"
#include "formats/kernels.hpp"
#include "solving/forecast/reach.hpp"
#include "solving/run/methods.hpp"

namespace sparsecast::solving {
namespace {
constexpr double number_bytes = 8;
double entry_bytes(const Structure& structure) { return structure.complex_values ? 2 * number_bytes : number_bytes; }
// A line within one cache takes a quarter of the time that it takes between two, and threads may be moved meanwhile.
constexpr double handover_doubt = 4;

double number(std::int64_t value) { return static_cast<double>(value); }

// In an iteration the vectors of the other steps have gone by since the matrix was read last: what of it was in a cache
// in a product that is repeated may not be there.
Estimate in_company(const Forecast& product, const Rates& rates, const Structure& structure, double reach) {
  Estimate time{product.seconds, product.low_s, product.high_s};
  if (!rates.measured()) return time;
  double stream = 0, physical = 0;
  for (const ForecastPart& part : product.parts) {
    if (part.term == Term::learned) continue;
    physical += part.seconds;
    if (part.term == Term::stream) stream += part.seconds;
  }
  if (!(physical > 0)) return time;
  const double alone =
      number(product.bytes.value_or(0)) + entry_bytes(structure) * number(structure.rows + structure.cols);
  const double slower = rates.read_s(std::max(reach, alone)) / rates.read_s(alone);
  const double factor = 1 + std::min(1.0, stream / physical) * (slower - 1);
  return {time.seconds * factor, time.low_s * std::sqrt(factor), time.high_s * factor};
}

// A pass over vectors. What is written without having been read in the pass is fetched all the same.
double pass_s(const Step& step, const StepReach& reach, const Rates& rates, double vector) {
  double moved = 0;
  for (std::size_t k = 0; k < step.reads.size(); ++k)
    moved += step.reads[k].count * vector * rates.read_s(reach.reads[k]);
  for (std::size_t k = 0; k < step.writes.size(); ++k) {
    const Stream& stream = step.writes[k];
    const auto read = std::ranges::find(step.reads, stream.name, &Stream::name);
    const bool fetched = read != step.reads.end();
    const double from = fetched ? reach.reads[static_cast<std::size_t>(read - step.reads.begin())] : reach.writes[k];
    moved += stream.count * vector * (rates.write_s(from) + (fetched ? 0 : rates.read_s(from)));
  }
  const double computed = step.flops * vector / number_bytes * rates.flop_s();
  return std::max(moved, computed) + rates.start_s() + (step.sums > 0 ? rates.sum_s() : 0);
}

// Dot products that the product takes with it: what it has just written and read is in a cache near each thread, and
// no further away than where a pass behind the product finds it. A further vector comes from as far away as ever.
double dots_s(const Step& step, const StepReach& reach, const Rates& rates, double vector) {
  // Curves tell of smaller ones how long threads take to start.
  constexpr double near_each = 256 << 10;
  const double near = std::min(rates.read_s(near_each * std::max(1, rates.host_threads())), rates.read_s(2 * vector));
  double seconds = rates.sum_s() + 2 * vector * near;
  for (std::size_t k = 1; k < step.reads.size(); ++k)
    seconds += step.reads[k].count * vector * (rates.read_s(reach.reads[k]) - near);
  return std::max(seconds, 0.0);
}

// Parts err independently of each other.
Estimate together(const std::vector<SolvePart>& parts) {
  Estimate all;
  double below = 0, above = 0;
  for (const SolvePart& part : parts) {
    all.seconds += part.time.seconds;
    below += std::pow(part.time.seconds - part.time.low_s, 2);
    above += std::pow(part.time.high_s - part.time.seconds, 2);
  }
  all.low_s = std::max(all.seconds / 10, all.seconds - std::sqrt(below));
  all.high_s = all.seconds + std::sqrt(above);
  return all;
}

void add(std::vector<SolvePart>& parts, Term term, const Estimate& time, double times) {
  auto part = std::ranges::find(parts, term, &SolvePart::term);
  if (part == parts.end()) part = parts.insert(parts.end(), {term, {}});
  part->time.seconds += times * time.seconds;
  part->time.low_s += times * time.low_s;
  part->time.high_s += times * time.high_s;
}
}  // namespace

SolveForecast forecast_iteration(const Forecast& product, const Rates& rates, const Structure& structure,
                                 const PreconditionerWork& work, const Method& method, const Handover& handover) {
  const Preconditioning applied = info_of(work.kind).applied;
  const DotsTaken dots =
      rates.host_threads() > 0 ? dots_taken(product.kernel, structure.rows, rates.host_threads()) : DotsTaken::apart;
  const std::vector<Step> steps = steps_of(method, applied, dots);
  const double vector = entry_bytes(structure) * number(structure.rows);
  const std::vector<StepReach> reaches =
      reaches_of(steps, {vector, number(product.bytes.value_or(0)), preconditioner_bytes(work)});
  SolveForecast out;
  out.format = product.kernel;
  out.preconditioner = work.kind;
  out.tier = product.tier;
  out.extrapolated = product.extrapolated;
  out.format_bytes = product.bytes.value_or(0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    switch (step.kind) {
      case StepKind::product:
      case StepKind::transposed:
        add(out.parts, step.part, in_company(product, rates, structure, reaches[i].data), step.times);
        // What a transposed product hands over depends on the order in which it adds to y, which is not counted.
        if (step.kind == StepKind::product && handover.lines * handover.line_s > 0)
          add(out.parts, Term::handover, Estimate::within(handover.lines * handover.line_s, handover_doubt),
              step.times);
        if (step.sums > 0)
          add(out.parts, Term::reductions, Estimate::within(dots_s(step, reaches[i], rates, vector), rates.doubt()),
              step.times);
        break;
      case StepKind::precondition: add(out.parts, step.part, rates.apply(work, reaches[i].data), step.times); break;
      case StepKind::pass:
        add(out.parts, step.part, Estimate::within(pass_s(step, reaches[i], rates, vector), rates.doubt()), step.times);
        break;
    }
  }
  out.iteration = together(out.parts);
  out.conversion_s = product.preprocess_s.value_or(0);
  out.conversion_known =
      product.preprocess_s.has_value() ||
      (rates.host_threads() > 0 && forecast::borrows_matrix(DeviceKind::host, product.kernel, Precision::double_));
  out.setup_s = out.conversion_s + rates.make_s(work);
  if (method.kind() == MethodKind::chebyshev) {
    const Method cg = parse_method("cg");
    out.setup_s += chebyshev_bound_steps * forecast_iteration(product, rates, structure, work, cg).iteration.seconds;
  }
  return out;
}

Forecast as_product(const SolveForecast& iteration, Forecast product) {
  product.gflops *= product.seconds / iteration.iteration.seconds;
  product.seconds = iteration.iteration.seconds;
  product.low_s = iteration.iteration.low_s;
  product.high_s = iteration.iteration.high_s;
  product.preprocess_s = iteration.setup_s;
  product.parts.clear();
  const SolvePart* largest = nullptr;
  for (const SolvePart& part : iteration.parts) {
    product.parts.push_back({part.term, part.time.seconds, 0});
    if (largest == nullptr || part.time.seconds > largest->time.seconds) largest = &part;
  }
  if (largest != nullptr) product.bound_by = largest->term;
  return product;
}

Structure structure_read(const Matrix& matrix, const Structure& structure, const Method& method, DeviceKind kind,
                         int threads) {
  if (method.kind() != MethodKind::pagerank || kind == DeviceKind::host) return structure;
  return analyze(transpose(matrix), threads);
}

SolveForecaster::SolveForecaster(const Profile& profile, const FitOptions& options, SeenProducts seen)
    : profile_(profile),
      options_(options),
      rates_(profile, options.threads),
      seen_(std::move(seen)),
      models_("best", profile, options),
      kernels_(forecast::kernels_of(profile)) {}

std::vector<Forecast> SolveForecaster::products(const Structure& structure, const Method& method) const {
  std::vector<Forecast> plain = models_.best(structure, kernels_);
  if (seen_) seen_(plain);
  ProductKind task;
  task.transposed = method.kind() == MethodKind::pagerank;
  if (method.kind() == MethodKind::lobpcg) task.vectors = method.parameter;
  forecast::tell_what_fits(plain, profile_.properties, structure, options_.precision, task.vectors);
  forecast::keep_what_fits(plain);
  if (task.plain()) return plain;
  if (profile_.properties.kind == DeviceKind::host)
    return forecast::TaskForecast(profile_, options_, task).of(std::move(plain), structure);
  // GPUs hold the transpose (structure_read()), and take one vector after the other.
  for (Forecast& one : plain)
    for (double* seconds : {&one.seconds, &one.low_s, &one.high_s}) *seconds *= static_cast<double>(task.vectors);
  return plain;
}

SolveForecast SolveForecaster::of(const Forecast& product, const Structure& structure, const PreconditionerWork& work,
                                  const Method& method, const Handover& handover) const {
  SolveForecast out = forecast_iteration(product, rates_, structure, work, method, handover);
  out.threads = options_.threads;
  return out;
}

std::vector<SolveForecast> SolveForecaster::forecasts(const Structure& structure, const PreconditionerWork& work,
                                                      const Method& method, std::int64_t iterations,
                                                      const Handover& handover) const {
  std::vector<SolveForecast> all;
  for (const Forecast& product : products(structure, method))
    all.push_back(of(product, structure, work, method, handover));
  std::ranges::stable_sort(all, {}, [&](const SolveForecast& one) { return one.total_s(iterations); });
  return all;
}
}  // namespace sparsecast::solving
