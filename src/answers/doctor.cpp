// doctor: looks at this installation and this machine, and finds the one thing to do next.

#include <dlfcn.h>
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sparsecast/answers/doctor.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/version.hpp>
#include <sparsecast_constants.hpp>

#include "answers/machine.hpp"
#include "base/child_process.hpp"
#include "base/home.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "calibration/calibrate.hpp"
#include "calibration/measure.hpp"
#include "calibration/neighbours.hpp"
#include "calibration/observations.hpp"
#include "calibration/staleness.hpp"
#include "fields/wording.hpp"
#include "forecast/model_names.hpp"
#include "formats/kernels.hpp"

#ifndef SPARSECAST_PARTS  // with | between, by cmake/SparsecastParts.cmake
#define SPARSECAST_PARTS ""
#define SPARSECAST_PARTS_LEFT_OUT ""
#endif

namespace sparsecast {
namespace {
std::vector<std::string> missing_parts(const std::vector<std::string>& devices_not_here, Voice voice) {
  std::vector<std::string> missing;
  for (const std::string& line : devices_not_here)
    missing.push_back(line.substr(0, line.find(':')) + " (" + wording::option("device").in(voice) + ")");
  const auto look = [&](std::initializer_list<const char*> programs, const char* what) {
    if (std::ranges::all_of(programs, [](const char* name) { return base::find_program(name).empty(); }))
      missing.emplace_back(what);
  };
  if (base::environment("SPARSECAST_OCTAVE").empty()) look({"octave-cli", "octave"}, "octave (traffic)");
  look({"clang"}, "clang (kernel, OpenCL sources)");
  look({"nvcc"}, "nvcc (kernel, CUDA sources)");
  look({"mpirun", "srun"}, "mpirun (cluster)");
  if (dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL) == nullptr) missing.emplace_back("libcurl (get, ss: names)");
  return missing;
}

// How far the repeats of one product lie apart at this moment.
double spread_now(int threads) {
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 250}});
  const std::unique_ptr<hardware::Device> device = hardware::open_device("host", threads);
  const auto timed = calibration::measure_kernels(*device, matrix, analyze(matrix, threads),
                                                  {std::string(formats::default_kernel().name)}, Precision::double_,
                                                  calibration::timing_options(*device, true), {}, false);
  return timed.empty() ? 0 : timed.front().timing.spread;
}

CalibratedDevice state_of(const Profile& profile, const std::vector<DeviceProperties>& here) {
  CalibratedDevice state{.name = profile.name,
                         .taken = profile.taken,
                         .days = calibration::days_since(profile.taken),
                         .matrices = std::ssize(profile.matrices),
                         .records = std::ssize(profile.records)};
  const auto now = std::ranges::find(here, profile.name, &DeviceProperties::name);
  if (now != here.end()) state.changes = calibration::changes_since(profile, *now);
  return state;
}

// Nothing where its description is damaged: that row is counted among those that are.
std::optional<Profile> readable(const calibration::Store& store, const std::string& name) try {
  return store.profile(name);
} catch (const Error&) {
  return std::nullopt;
}

// Where nothing can be kept, why.
std::string home_text() try { return base::home_folder().string(); } catch (const Error& error) {
  return "none: " + error.reason();
}

// What a calibration would bring: intervals now, and without the doubt of what ships.
std::string brings(int threads) {
  const Listener silent;
  const std::shared_ptr<answers::Machine> machine = answers::Machine::of("host", {}, silent);
  const FitOptions fit = answers::fit_options(machine->profile(), Precision::double_, threads, silent);
  const Structure structure = analyze(generate({.kind = "poisson2d", .parameters = {.size = 250}}), fit.threads);
  const std::vector<Forecast> forecasts =
      machine->models(forecast::own_model, fit)->best(structure, {std::string(formats::default_kernel().name)});
  if (forecasts.empty()) return "this host was never calibrated";
  const double now = std::log(forecasts.front().high_s / forecasts.front().seconds);
  const double then = std::sqrt(std::max(0.0, now * now - constants::shipped_doubt * constants::shipped_doubt));
  return fmt::format(
      "this host was never calibrated: nine in ten forecasts of the shipped models are expected within {} of the time, "
      "and within {} after a calibration",
      base::format_percent(std::expm1(now)), base::format_percent(std::expm1(then)));
}

// The first that is amiss; what stands first spoils what stands below.
void advise(Diagnosis& found, int threads, Voice voice) {
  constexpr double noisy = 0.1, old_days = 90;
  constexpr std::int64_t quick = 250;  // matrices: a full calibration multiplies more
  const auto host = std::ranges::find(found.calibrated, "host", &CalibratedDevice::name);
  const bool calibrated = host != found.calibrated.end(), changed = calibrated && !host->changes.empty();
  const bool drifted = found.drift && found.drift->seen;
  found.ready = !changed && !drifted && found.damaged_rows == 0;
  using wording::call;
  const wording::Value matrix = wording::placeholder("MATRIX");
  const wording::Text in_full = call("calibrate", {{"quick", false}}),
                      anew = call("calibrate", {{"quick", false}, {"fresh", true}});
  const auto next = [&](const wording::Text& what, std::string why) {
    found.next = what.in(voice);
    found.why = std::move(why);
  };
  if (!calibrated && found.damaged_rows == 0) return next(call("calibrate", {{"quick", true}}), brings(threads));
  if (changed) return next(anew, host->changes.front());
  if (found.damaged_rows > 0) return next(in_full, "rows that are damaged or from an older program are measured again");
  if (found.spread > noisy)
    return next(call("plan", {{"matrix", matrix}, {"trials", "auto"}}),
                "trials choose by measuring, which suits a machine that others use too");
  if (drifted || host->days > old_days)
    return next(anew, "this machine runs at another speed than when it was calibrated");
  if (host->matrices < quick) return next(in_full, "a full calibration narrows the intervals");
  next(call("predict", {{"matrix", matrix}}), "all is well");
}
}  // namespace

Diagnosis doctor(const DoctorRequest& request) {
  const base::StopScope stop(request.listener.stop);
  Diagnosis found{.version = std::string(library_version()),
                  .compiler = __VERSION__,
                  .home = home_text(),
                  .cores = available_cores(),
                  .fewer_cores = base::cores_text()};
  const auto list = [](std::string_view names, std::vector<std::string>& into) {
    for (const std::string_view name : base::split(names, '|'))
      if (!name.empty()) into.emplace_back(name);
  };
  list(SPARSECAST_PARTS, found.parts);
  list(SPARSECAST_PARTS_LEFT_OUT, found.left_out);
  const hardware::PresentDevices present = hardware::present_devices();
  for (const DeviceProperties& device : present.devices) found.devices.push_back(device.name);
  found.missing = missing_parts(present.missing, request.listener.voice);
  if (std::array<double, 1> load{}; getloadavg(load.data(), 1) == 1) found.load = load[0];
  found.spread = spread_now(request.threads);
  const Listener silent;
  const std::optional<calibration::Store> store = calibration::kept_store();
  found.damaged_rows = store ? store->damaged_rows() : 0;
  for (const std::string& name : answers::kept_profile_names()) {
    const std::optional<Profile> profile = readable(*store, name);
    if (!profile) continue;
    found.calibrated.push_back(state_of(*profile, present.devices));
    if (name == "host" && found.calibrated.back().changes.empty())
      found.drift = answers::answer_of(answers::check_profile(
          *profile, true, answers::fit_options(*profile, Precision::double_, request.threads, silent), silent));
  }
  calibration::Observations observations;
  found.remembered = std::ssize(observations.all());
  found.not_remembered = observations.why();
  advise(found, request.threads, request.listener.voice);
  return found;
}
}  // namespace sparsecast
