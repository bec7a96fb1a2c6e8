// sparsecast measure: the truth, by the same kernels.

#include "calibration/measure.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sparsecast/read.hpp>

#include "app/commands.hpp"
#include "app/conversion_columns.hpp"
#include "app/inputs.hpp"
#include "app/task_options.hpp"
#include "base/text.hpp"
#include "forecast/model_set.hpp"
#include "forecast/record_choice.hpp"

namespace sparsecast::app {
namespace {

struct MeasureArguments {
  std::vector<std::string> matrices;
  std::string device = "host";
  std::vector<std::string> kernels;
  bool all = false;
  std::int64_t iterations = 0;
  devices::ProductTask task;
};

// The conversion and so many products; nothing where there is no time.
std::optional<double> total_seconds(const calibration::Measurement& m, std::int64_t iterations) {
  if (m.status != "ok" || !m.preprocess_s) return std::nullopt;
  return *m.preprocess_s + static_cast<double>(iterations) * m.timing.seconds;
}

// What tables are sorted by: those without a time at the end.
double rank(const calibration::Measurement& m, std::int64_t iterations) {
  constexpr double last = 1e300;
  if (iterations > 0) return total_seconds(m, iterations).value_or(last);
  return m.status == "ok" ? m.timing.seconds : last;
}

double gflops(const calibration::Measurement& m, const devices::ProductTask& task) {
  const double flops = 2 * static_cast<double>(m.nonzeros) * static_cast<double>(task.vectors);
  return m.timing.seconds > 0 ? 1e-9 * flops / m.timing.seconds : 0;
}

nlohmann::ordered_json measurement_json(const calibration::Measurement& m, const MeasureArguments& options) {
  nlohmann::ordered_json out{{"kernel", m.kernel}};
  const bool timed = m.status == "ok";
  out["seconds"] = timed ? nlohmann::ordered_json(m.timing.seconds) : nlohmann::ordered_json();
  out["low_s"] = timed ? nlohmann::ordered_json(m.timing.low_s) : nlohmann::ordered_json();
  out["high_s"] = timed ? nlohmann::ordered_json(m.timing.high_s) : nlohmann::ordered_json();
  out["gflops"] = timed ? nlohmann::ordered_json(gflops(m, options.task)) : nlohmann::ordered_json();
  out["preprocess_s"] = or_null(m.preprocess_s);
  if (options.iterations > 0) out["total_s"] = or_null(total_seconds(m, options.iterations));
  out["repeats"] = m.timing.repeats;
  out["spread"] = m.timing.spread;
  out["status"] = m.status;
  return out;
}

std::string measurements_text(const Structure& s, const std::vector<calibration::Measurement>& measurements,
                              const MeasureArguments& options, const Globals& globals) {
  std::vector<std::string> head{"kernel", "measured", "5 % – 95 %", "spread", "GFLOP/s", "conversion"};
  if (options.iterations > 0) head.push_back(total_heading(options.iterations));
  head.emplace_back("products");
  base::TextTable table(head);
  for (const calibration::Measurement& m : measurements) {
    if (m.status != "ok") {
      table.add({m.kernel, m.status});
      continue;
    }
    std::vector<std::string> row{m.kernel,
                                 base::format_seconds(m.timing.seconds),
                                 base::format_seconds(m.timing.low_s) + " – " + base::format_seconds(m.timing.high_s),
                                 base::format_percent(m.timing.spread),
                                 fmt::format("{:.2f}", gflops(m, options.task)),
                                 seconds_text(m.preprocess_s)};
    if (options.iterations > 0) row.push_back(seconds_text(total_seconds(m, options.iterations)));
    row.push_back(base::format_count(m.timing.repeats));
    table.add(row);
  }
  return fmt::format("{}: {} × {}, {} non-zeros, on {} in {} precision{}\n\n{}", s.name, base::format_count(s.rows),
                     base::format_count(s.cols), base::format_count(s.nonzeros), options.device, globals.precision,
                     task_text(options.task), table.text());
}

// The kernels worth measuring: those asked for, or all but those that the device's profile forecasts far behind the
// best. Without a profile nothing is known and nothing is skipped.
class Selection {
 public:
  Selection(const MeasureArguments& options, const devices::Device& device, const calibration::Store& store,
            const Globals& globals)
      : kernels_(options.kernels.empty() ? device.kernels() : options.kernels) {
    if (options.all || !options.kernels.empty()) return;
    const std::optional<Profile> profile = store.profile(device.properties().name);
    if (!profile) return;
    const FitOptions fit = fit_options(*profile, globals);
    if (forecast::has_records(*profile, fit)) models_.emplace("sparsecast", *profile, fit);
  }

  /// Takes those far behind from the kernels and puts them, with the reason, into `skipped`.
  [[nodiscard]] std::vector<std::string> kernels(const Structure& structure,
                                                 std::vector<calibration::Measurement>& skipped) const {
    if (!models_) return kernels_;
    const std::vector<Forecast> forecasts = models_->best(structure, kernels_);
    std::vector<std::string> kept = kernels_;
    for (const Forecast& slow : forecast::far_behind(forecasts)) {
      std::erase(kept, slow.kernel);
      calibration::Measurement& one = skipped.emplace_back();
      one.kernel = slow.kernel;
      one.status = fmt::format("skipped: forecast {}, {:.0f} times as long as {}; --all measures it",
                               base::format_seconds(slow.seconds), slow.seconds / forecasts.front().seconds,
                               forecasts.front().kernel);
    }
    return kept;
  }

 private:
  std::vector<std::string> kernels_;
  std::optional<forecast::ModelSet> models_;
};

void measure(const MeasureArguments& options, const Globals& globals) {
  const std::unique_ptr<devices::Device> device = devices::open_device(options.device, globals.threads);
  calibration::Store store;
  const Selection selection(options, *device, store, globals);
  nlohmann::ordered_json documents = nlohmann::ordered_json::array();
  for (const auto& file : matrix_files(options.matrices)) {
    const Matrix matrix = input_matrix(file);
    const Structure structure = analyze(matrix, globals.threads);
    std::vector<calibration::Measurement> skipped;
    const std::vector<std::string> kernels = selection.kernels(structure, skipped);
    std::vector<calibration::Measurement> measurements =
        calibration::measure_kernels(*device, matrix, structure, kernels, globals.value_precision(), {}, options.task);
    if (options.task.plain())
      for (const calibration::Measurement& measurement : measurements) store.add_measurement(measurement);
    std::ranges::move(skipped, std::back_inserter(measurements));
    // Fastest first, those without a time at the end.
    std::ranges::stable_sort(measurements, {},
                             [&](const calibration::Measurement& m) { return rank(m, options.iterations); });
    if (!globals.json) {
      print(measurements_text(structure, measurements, options, globals));
      continue;
    }
    nlohmann::ordered_json document{{"matrix", matrix_json(structure)},
                                    {"device", device_json(device->properties())},
                                    {"precision", globals.precision}};
    add_task(document, options.task);
    document["measurements"] = nlohmann::ordered_json::array();
    for (const calibration::Measurement& measurement : measurements)
      document["measurements"].push_back(measurement_json(measurement, options));
    documents.push_back(std::move(document));
  }
  if (!globals.json) return;
  if (documents.size() == 1) {
    print_json("measure", documents[0]);
  } else {
    print_json("measures", {{"measures", std::move(documents)}});
  }
}

}  // namespace

void add_measure(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("measure", "Time every kernel on a matrix");
  auto options = std::make_shared<MeasureArguments>();
  command->add_option("MATRIX", options->matrices, "matrix files or folders of them")->required();
  command->add_option("--device", options->device, "host, opencl:N or cuda:N")->capture_default_str();
  command->add_option("--kernels", options->kernels, "only these, separated by commas")->delimiter(',');
  command->add_flag("--all", options->all,
                    "also kernels that the device's profile forecasts to take ten times as long as the best");
  command
      ->add_option("--iterations", options->iterations,
                   "rank by what finishes so many products first, conversion included")
      ->check(CLI::PositiveNumber);
  add_task_options(*command, options->task);
  command->callback([options, &globals] { measure(*options, globals); });
}

}  // namespace sparsecast::app
