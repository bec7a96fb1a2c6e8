#include "solving/forecast/forecast.hpp"

#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast_constants.hpp>

#include "base/curve.hpp"
#include "calibration/rounds.hpp"
#include "forecast/physical/gpu_terms.hpp"
#include "forecast/task_forecast.hpp"
#include "solving/requirements.hpp"
#include "solving/run/problem.hpp"

namespace sparsecast::solving {
namespace {
constexpr double value_bytes = 8, index_bytes = 4, pointer_bytes = 8;
// Every step away from what was measured brings as much doubt again: the curve of another pass, a data sheet.
const double curve_doubt = constants::measured_doubt * constants::measured_doubt;
const double described_doubt = curve_doubt * constants::measured_doubt;

const Curve* usable_curve(const Profile& profile, const char* name, int threads) {
  const Curve* curve = profile.curve(name, threads);
  return curve != nullptr && base::usable(*curve) ? curve : nullptr;
}

// Bytes that an application of a preconditioner reads beside its vectors.
double preconditioner_bytes(const PreconditionerWork& work) {
  if (work.kind == PreconditionerKind::block_jacobi) return work.rows * block_rows * value_bytes;
  if (!work.lower) return 0;
  return (work.lower->entries + work.upper->entries) * (value_bytes + index_bytes) +
         2 * work.rows * (value_bytes + index_bytes + pointer_bytes);
}

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

bool fits(const Matrix& matrix, const Method& method, PreconditionerKind kind) try {
  require_fit(matrix, method, kind);
  return true;
} catch (const Error&) {
  return false;
}

constexpr char of_matrix = '#', of_preconditioner = '%';

// One thing used, in the order of use.
struct Use {
  char name;
  double bytes;
  double* reach;
};

bool same(const Use& a, const Use& b) { return a.name == b.name; }
}  // namespace

Rates::Rates(const Profile& profile, int threads)
    : threads_(std::max(1, threads)),
      gpu_(profile.properties.kind != DeviceKind::host),
      cycle_s_(forecast::CoreCosts(profile).cycle_s),
      doubt_(described_doubt) {
  if (gpu_) {
    describe_gpu(profile);
  } else if (usable_curve(profile, "read_bandwidth", threads_) != nullptr) {
    take_curves(profile);
  } else {
    describe_host(profile.tier == Tier::data_sheet ? with_threads(profile.properties, threads) : profile.properties);
  }
}

void Rates::take_curves(const Profile& profile) {
  const Curve* launch = profile.curve("launch", threads_);
  if (threads_ > 1)
    start_s_ = launch != nullptr && !launch->y.empty()
                   ? launch->y[0]
                   : calibration::usual_of_records(profile.records, &Record::launch_s, threads_);
  flop_s_ = constants::flop_cycles * cycle_s_ / threads_;
  if (const Curve* dot = usable_curve(profile, "dot_bandwidth", threads_)) {
    reads_ = forecast::without_start(*dot, start_s_);
    if (const Curve* update = usable_curve(profile, "update_bandwidth", threads_))
      updates_ = forecast::without_start(*update, start_s_);
    doubt_ = constants::measured_doubt;
  } else {
    reads_ = forecast::without_start(*usable_curve(profile, "read_bandwidth", threads_), start_s_);
    doubt_ = curve_doubt;
  }
}

void Rates::describe_host(const DeviceProperties& p) {
  const double units = std::max(1, p.compute_units);
  slowest_read_s_ = 1 / (constants::sheet_reached *
                         (p.memory_bandwidth > 0 ? p.memory_bandwidth : constants::core_bandwidth * units));
  fast_read_s_ = cycle_s_ / (constants::cache_bytes_per_cycle * units);
  for (const CacheLevel& cache : p.caches)
    fast_bytes_ = std::max(fast_bytes_, static_cast<double>(cache.size_bytes) * units / std::max(1, cache.shared_by));
  start_s_ = units > 1 ? (p.launch_s > 0 ? p.launch_s : constants::launch_s) : 0;
  flop_s_ = constants::flop_cycles * cycle_s_ / units;
  threads_ = static_cast<int>(units);
}

void Rates::describe_gpu(const Profile& profile) {
  const DeviceProperties& p = profile.properties;
  const Curve* read = usable_curve(profile, "read_bandwidth", 0);
  const Curve* launch = profile.curve("launch", 0);
  const double units = std::max(1, p.compute_units);
  slowest_read_s_ = 1 / (constants::sheet_reached *
                         (p.memory_bandwidth > 0 ? p.memory_bandwidth : constants::core_bandwidth * units));
  fast_read_s_ = slowest_read_s_ / constants::gpu_cache_gain;
  for (const CacheLevel& cache : p.caches) fast_bytes_ = std::max(fast_bytes_, static_cast<double>(cache.size_bytes));
  start_s_ = launch != nullptr && !launch->y.empty() && launch->y.back() > 0 ? launch->y.back()
             : p.launch_s > 0                                                ? p.launch_s
                                                                             : constants::launch_s;
  sum_s_ = start_s_;  // a further launch: sums stay on the device
  if (read != nullptr) {
    reads_ = forecast::without_start(*read, start_s_);
    doubt_ = curve_doubt;
  }
  flop_s_ = cycle_s_ / (2 * 32 * units);
}

double Rates::read_s(double reach) const {
  if (reads_) return 1 / base::value_at(*reads_, reach);
  // Beyond the caches nothing is left in them, in the manner of the other terms (physical_terms.cpp).
  const double beyond = fast_bytes_ > 0 ? 1 - 1 / (1 + std::pow(reach / fast_bytes_, 2)) : 1;
  return fast_read_s_ + beyond * (slowest_read_s_ - fast_read_s_);
}

double Rates::write_s(double reach) const {
  if (!updates_) return read_s(reach);
  // The curve tells the time for both vectors of y += a·x: two values are read and one is written.
  return std::max(0.5 * read_s(reach), 2 / base::value_at(*updates_, reach) - 2 * read_s(reach));
}

double Rates::triangle_s(const TriangleWork& work, double reach) const {
  const double bytes =
      work.entries * (value_bytes + index_bytes) + work.rows * (value_bytes + index_bytes + pointer_bytes);
  const double vectors = work.rows * 2 * value_bytes;
  const double stream = (bytes + vectors) * read_s(reach) + work.rows * value_bytes * write_s(reach);
  if (gpu_) return work.levels * start_s_ + stream;
  const double apart = (constants::entry_cycles * work.entries + constants::load_cycles * work.rows) * cycle_s_;
  if (work.shared)  // by levels, rows find neither x nor each other in the first cache
    return std::max(constants::level_factor * apart / threads_, stream) + start_s_ + work.levels * start_s_;
  return std::max({apart, stream, apart / 2 + constants::chain_cycles * work.chained * cycle_s_});
}

Estimate Rates::apply(const PreconditionerWork& work, double reach) const {
  if (work.kind == PreconditionerKind::block_jacobi) {
    const double bytes = preconditioner_bytes(work) + work.rows * value_bytes;
    return Estimate::within(start_s_ + bytes * read_s(reach) + work.rows * value_bytes * write_s(reach), doubt_);
  }
  if (!work.lower) return {};
  return Estimate::within(triangle_s(*work.lower, reach) + triangle_s(*work.upper, reach),
                          std::max(doubt_, curve_doubt));
}

double Rates::make_s(const PreconditionerWork& work) const {
  switch (work.kind) {
    case PreconditionerKind::none: return 0;
    case PreconditionerKind::jacobi: return work.rows * constants::setup_cycles * cycle_s_;
    case PreconditionerKind::block_jacobi:
      return work.rows * block_rows * (constants::setup_cycles + 2 * block_rows * constants::flop_cycles) * cycle_s_;
    case PreconditionerKind::ic0:
    case PreconditionerKind::ilu0: break;
  }
  return (work.eliminations * constants::level_factor * constants::entry_cycles +
          (work.nonzeros + 4 * work.rows) * constants::setup_cycles) *
         cycle_s_;
}

SolveForecast forecast_iteration(const Forecast& product, const Rates& rates, const Structure& structure,
                                 const PreconditionerWork& work, const Method& method, const Handover& handover) {
  const Preconditioning applied = info_of(work.kind).applied;
  const std::vector<Step> steps = steps_of(method, applied);
  const double vector = entry_bytes(structure) * number(structure.rows);
  const std::vector<StepReach> reaches =
      reaches_of(steps, {vector, number(product.bytes.value_or(0)), preconditioner_bytes(work)});
  SolveForecast out;
  out.format = product.kernel;
  out.preconditioner = work.kind;
  out.tier = product.tier;
  out.extrapolated = product.extrapolated;
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
        break;
      case StepKind::precondition: add(out.parts, step.part, rates.apply(work, reaches[i].data), step.times); break;
      case StepKind::pass:
        add(out.parts, step.part, Estimate::within(pass_s(step, reaches[i], rates, vector), rates.doubt()), step.times);
        break;
    }
  }
  out.iteration = together(out.parts);
  out.conversion_s = product.preprocess_s.value_or(0);
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
  if (product.preprocess_s) product.preprocess_s = iteration.setup_s;
  product.parts.clear();
  const SolvePart* largest = nullptr;
  for (const SolvePart& part : iteration.parts) {
    product.parts.push_back({part.term, part.time.seconds, 0});
    if (largest == nullptr || part.time.seconds > largest->time.seconds) largest = &part;
  }
  if (largest != nullptr) product.bound_by = largest->term;
  return product;
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
  if (task.plain()) return plain;
  if (profile_.properties.kind == DeviceKind::host)
    return forecast::TaskForecast(profile_, options_, task).of(std::move(plain), structure);
  // GPUs hold the transpose, and take one vector after the other.
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

std::vector<Choice> solve_choices(const Matrix& matrix, const Structure& structure, const Profile& profile,
                                  const ChoiceOptions& options) {
  std::vector<Choice> choices;
  const double of_chosen = info_of(options.preconditioner).iterations;
  std::vector<PreconditionerKind> kinds;
  for (const PreconditionerInfo& info : preconditioner_table())
    if (fits(matrix, options.method, info.kind)) kinds.push_back(info.kind);
  for (const int threads : options.threads) {
    std::optional<SolveForecaster> forecaster;
    try {
      forecaster.emplace(profile, FitOptions{options.precision, threads, options.notice},
                         options.seen ? options.seen(threads) : SeenProducts());
    } catch (const Error& error) {
      // Not calibrated for that number of threads.
      if (error.code() != ErrorCode::failed) throw;
      continue;
    }
    const Handover handover = options.present ? measured_handover(matrix, threads) : Handover();
    for (const PreconditionerKind kind : kinds) {
      Choice choice;
      choice.iterations = std::max<std::int64_t>(
          1, std::llround(static_cast<double>(options.iterations) * info_of(kind).iterations / of_chosen));
      std::vector<SolveForecast> forecasts = forecaster->forecasts(
          structure, preconditioner_work(matrix, kind, threads), options.method, choice.iterations, handover);
      if (forecasts.empty()) continue;
      choice.forecast = std::move(forecasts.front());
      choice.total_s = choice.forecast.total_s(choice.iterations);
      choices.push_back(std::move(choice));
    }
  }
  std::ranges::stable_sort(choices, {}, &Choice::total_s);
  return choices;
}

std::vector<StepReach> reaches_of(const std::vector<Step>& steps, const ReachSizes& sizes) {
  std::vector<StepReach> reaches(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    reaches[i].reads.resize(steps[i].reads.size());
    reaches[i].writes.resize(steps[i].writes.size());
  }
  std::vector<Use> uses;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const double share = std::min(1.0, step.times);  // what happens now and then is in the way now and then
    for (std::size_t k = 0; k < step.reads.size(); ++k)
      uses.push_back({step.reads[k].name, share * step.reads[k].count * sizes.vector, &reaches[i].reads[k]});
    if (step.kind == StepKind::product || step.kind == StepKind::transposed)
      uses.push_back({of_matrix, share * sizes.matrix, &reaches[i].data});
    if (step.kind == StepKind::precondition)
      uses.push_back({of_preconditioner, share * sizes.preconditioner, &reaches[i].data});
    for (std::size_t k = 0; k < step.writes.size(); ++k)
      uses.push_back({step.writes[k].name, share * step.writes[k].count * sizes.vector, &reaches[i].writes[k]});
  }
  for (std::size_t i = 0; i < uses.size(); ++i) {
    // Back through the uses before, round the end, to the last one of the same thing.
    std::set<char> between;
    double bytes = uses[i].bytes;
    for (std::size_t back = 1; back <= uses.size(); ++back) {
      const Use& before = uses[(i + uses.size() - back) % uses.size()];
      if (same(before, uses[i])) break;
      if (between.insert(before.name).second) bytes += before.bytes;
    }
    *uses[i].reach = bytes;
  }
  return reaches;
}
}  // namespace sparsecast::solving
