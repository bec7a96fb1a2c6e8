#include "forecast/task_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>
#include <sparsecast_constants.hpp>

#include "base/curve.hpp"
#include "fields/wording.hpp"
#include "forecast/memory_floor.hpp"
#include "forecast/physical/conversion.hpp"
#include "forecast/physical/storage.hpp"
#include "forecast/physical/x_misses.hpp"
#include "forecast/reach.hpp"
#include "forecast/record_choice.hpp"
#include "formats/gpu/gpu_shape.hpp"

namespace sparsecast::forecast {
namespace {
double number(std::int64_t value) { return static_cast<double>(value); }
}  // namespace

// Seconds of the terms, and the bytes of the stream.
struct TaskForecast::Amounts {
  double launch = 0, stream = 0, compute = 0, gather = 0, row_ends = 0, vectors = 0;
  double format_bytes = 0, vector_bytes = 0, gather_bytes = 0;  // vector_bytes: of one x and y

  [[nodiscard]] double total() const { return launch + stream + compute + gather + row_ends + vectors; }
};

TaskForecast::TaskForecast(const Profile& profile, const RecordSet& records, const ProductKind& task)
    : profile_(profile), records_(records), task_(task), core_(profile) {
  if (task.transposed && profile.properties.kind != DeviceKind::host)
    throw Error(ErrorCode::unavailable, "the kernels of " + profile.name + " multiply only by A, not by its transpose",
                {}, wording::format("omit {}, or forecast for the host", wording::option("transposed", true)));
}

double TaskForecast::stream_seconds(double bytes) const {
  const Curve* curve = profile_.curve("read_bandwidth", records_.threads);
  const double rate = curve != nullptr && base::usable(*curve)
                          ? base::value_at(*curve, bytes)
                          : constants::core_bandwidth * std::max(1, records_.threads);
  return bytes / rate;
}

void TaskForecast::block(Amounts& a, const Structure& s, bool reads_once) const {
  const double vectors = number(task_.vectors), value = value_bytes(records_.precision);
  const double rows = number(s.rows), threads = std::max(1, records_.threads);
  if (!reads_once) {
    for (double* seconds : {&a.launch, &a.stream, &a.compute, &a.gather, &a.row_ends}) *seconds *= vectors;
    // Out of the block and back, a whole line of it at a time; y is read to be written.
    const double line = std::min<double>(cache_line_bytes, vectors * value);
    const double group = std::min(vectors, cache_line_bytes / value);  // that many at a time
    a.vectors =
        vectors * stream_seconds(number(s.cols) * (line / group + 2 * value) + rows * (2 * line / group + 2 * value));
    return;
  }
  // y is fetched, changed and written back; of one vector that is little beside the matrix.
  const double one = a.format_bytes + a.vector_bytes;
  const double all = a.format_bytes + vectors * (a.vector_bytes + 2 * value * rows);
  a.stream *= stream_seconds(all) / stream_seconds(one);
  if (profile_.properties.kind != DeviceKind::host) {
    // A row of X is read a sector at a time, which one vector has of its own for every entry.
    const double sectors = std::max(1.0, vectors * value / static_cast<double>(formats::sector_bytes));
    a.compute *= vectors;
    a.gather *= sectors;
    a.gather_bytes *= sectors;
    return;
  }
  const double registers = std::ceil(vectors * value / constants::register_bytes);
  a.compute = std::max(a.compute, (number(s.nonzeros) * registers * core_.cycle_s + rows * core_.turn_s) / threads);
  a.gather *= vectors;
  a.gather_bytes *= vectors;
}

void TaskForecast::transpose(Amounts& a, const Structure& s, const formats::KernelInfo& kernel) const {
  if (kernel.made_for == formats::MadeFor::symmetry) return;  // the transposed matrix is the same
  const int threads = std::max(1, records_.threads);
  // The next entry may need what this one stored: a load that overlaps with others, but not where a column of all rows
  // goes before the next, padding included (on bcsstk25 0.65 ns an entry of csr, 1.2 of ell).
  const bool columns = kernel.format != formats::csr_format &&
                       (kernel.form == formats::PaperForm::ell || kernel.form == formats::PaperForm::hyb);
  const double entries = columns ? a.format_bytes / static_cast<double>(value_bytes(records_.precision) + 4)
                                 : number(s.nonzeros) / constants::scatter_overlap;
  a.compute = std::max(a.compute, entries * core_.load_s / threads);
  a.gather *= constants::scatter_passes;
  a.gather_bytes *= constants::scatter_passes;
  const double piece = number(s.cols) * value_bytes(records_.precision);
  a.vectors += stream_seconds(threads == 1 ? piece : (2 * threads + 1) * piece);
}

std::optional<Forecast> TaskForecast::of(Forecast plain, const Structure& s) const {
  if (task_.plain()) return plain;
  const formats::KernelInfo& kernel = formats::kernel_or_plain(plain.kernel);
  const bool on_host = profile_.properties.kind == DeviceKind::host;
  if (task_.transposed && !kernel.transposes) return std::nullopt;
  if (task_.vectors > 1 && !on_host && !kernel.gpu.blocks) return std::nullopt;

  Amounts a;
  a.format_bytes = number(plain.bytes.value_or(0));
  a.vector_bytes = value_bytes(records_.precision) * number(s.rows + s.cols);
  double physical = 0;
  for (const ForecastPart& part : plain.parts) {
    if (part.term == Term::learned) continue;
    physical += part.seconds;
    double& term = part.term == Term::launch     ? a.launch
                   : part.term == Term::stream   ? a.stream
                   : part.term == Term::x_gather ? a.gather
                   : part.term == Term::row_ends ? a.row_ends
                                                 : a.compute;
    term += part.seconds;
    if (part.term == Term::x_gather) a.gather_bytes += part.bytes;
  }
  if (a.stream <= 0) {  // a model without parts: what its bytes take, and the rest
    a = {.stream = std::min(plain.seconds, stream_seconds(a.format_bytes + a.vector_bytes)),
         .format_bytes = a.format_bytes,
         .vector_bytes = a.vector_bytes};
    a.compute = physical = plain.seconds - a.stream;
    physical += a.stream;
  }
  // The learned correction belongs to every term alike.
  for (double* seconds : {&a.launch, &a.stream, &a.compute, &a.gather, &a.row_ends})
    *seconds *= plain.seconds / physical;

  if (task_.transposed) transpose(a, s, kernel);
  const bool reads_once = on_host ? kernel.reads_once && !task_.transposed : kernel.gpu.blocks;
  if (task_.vectors > 1) block(a, s, reads_once);

  const double doubt = std::hypot(std::log(plain.high_s / plain.seconds), std::log(constants::task_doubt));
  Forecast forecast = std::move(plain);
  forecast.seconds = a.total();
  forecast.low_s = forecast.seconds * std::exp(-doubt);
  forecast.high_s = forecast.seconds * std::exp(doubt);
  forecast.gflops = number(task_.vectors) * gflops_of(s, forecast.seconds, records_.precision);
  const double streamed = reads_once ? a.format_bytes + number(task_.vectors) * a.vector_bytes
                                     : number(task_.vectors) * (a.format_bytes + a.vector_bytes);
  forecast.parts.clear();  // and told again, before the whole is lifted
  const auto add = [&](Term term, double seconds, double bytes) {
    if (seconds > 0) forecast.parts.push_back({term, seconds, bytes});
  };
  add(Term::launch, a.launch, 0);
  add(Term::stream, a.stream, streamed);
  add(Term::compute, a.compute, 0);
  add(task_.transposed ? Term::y_scatter : Term::x_gather, a.gather, a.gather_bytes);
  add(Term::row_ends, a.row_ends, 0);
  add(Term::vectors, a.vectors, 0);
  if (!profile_.is_measured())
    keep_above_memory(forecast, least_memory_seconds(profile_.properties,
                                                     compulsory_bytes(s, records_.precision, forecast, task_.vectors)));
  return forecast;
}

std::vector<Forecast> TaskForecast::of(std::vector<Forecast> plain, const Structure& structure) const {
  if (task_.plain()) return plain;
  const bool none_at_all = plain.empty();
  std::vector<Forecast> forecasts;
  for (Forecast& one : plain)
    if (auto forecast = of(std::move(one), structure)) forecasts.push_back(std::move(*forecast));
  if (forecasts.empty() && !none_at_all && profile_.properties.kind != DeviceKind::host)
    throw Error(ErrorCode::unavailable, "what is known about " + profile_.name + " is for one vector at a time", {},
                wording::format("omit {}, forecast for the host, or calibrate the device where it is here",
                                wording::option("vectors")));
  std::ranges::stable_sort(forecasts, {}, by_reach);
  return forecasts;
}
}  // namespace sparsecast::forecast
