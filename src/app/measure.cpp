// sparsecast measure: the truth, by the same kernels.

#include "calibration/measure.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sparsecast/read.hpp>

#include "app/commands.hpp"
#include "app/inputs.hpp"
#include "base/text.hpp"

namespace sparsecast::app {
namespace {

struct MeasureArguments {
  std::vector<std::string> matrices;
  std::string device = "host";
  std::vector<std::string> kernels;
};

double gflops(const calibration::Measurement& m) {
  return m.timing.seconds > 0 ? 2e-9 * static_cast<double>(m.nonzeros) / m.timing.seconds : 0;
}

nlohmann::ordered_json measurement_json(const calibration::Measurement& m) {
  nlohmann::ordered_json out{{"kernel", m.kernel}};
  const bool timed = m.status == "ok";
  out["seconds"] = timed ? nlohmann::ordered_json(m.timing.seconds) : nlohmann::ordered_json();
  out["low_s"] = timed ? nlohmann::ordered_json(m.timing.low_s) : nlohmann::ordered_json();
  out["high_s"] = timed ? nlohmann::ordered_json(m.timing.high_s) : nlohmann::ordered_json();
  out["gflops"] = timed ? nlohmann::ordered_json(gflops(m)) : nlohmann::ordered_json();
  out["preprocess_s"] = m.preprocess_s;
  out["repeats"] = m.timing.repeats;
  out["spread"] = m.timing.spread;
  out["status"] = m.status;
  return out;
}

std::string measurements_text(const Structure& s, const std::vector<calibration::Measurement>& measurements,
                              const std::string& device, const Globals& globals) {
  base::TextTable table({"kernel", "measured", "5 % – 95 %", "spread", "GFLOP/s", "conversion", "products"});
  for (const calibration::Measurement& m : measurements) {
    if (m.status != "ok") {
      table.add({m.kernel, m.status});
      continue;
    }
    table.add({m.kernel, base::format_seconds(m.timing.seconds),
               base::format_seconds(m.timing.low_s) + " – " + base::format_seconds(m.timing.high_s),
               base::format_percent(m.timing.spread), fmt::format("{:.2f}", gflops(m)),
               m.preprocess_s > 0 ? base::format_seconds(m.preprocess_s) : "–", base::format_count(m.timing.repeats)});
  }
  return fmt::format("{}: {} × {}, {} non-zeros, on {} in {} precision\n\n{}", s.name, base::format_count(s.rows),
                     base::format_count(s.cols), base::format_count(s.nonzeros), device, globals.precision,
                     table.text());
}

void measure(const MeasureArguments& options, const Globals& globals) {
  const std::unique_ptr<devices::Device> device = devices::open_device(options.device, globals.threads);
  calibration::Store store;
  nlohmann::ordered_json documents = nlohmann::ordered_json::array();
  for (const auto& file : matrix_files(options.matrices)) {
    const Matrix matrix = read_matrix(file);
    const Structure structure = analyze(matrix, globals.threads);
    std::vector<calibration::Measurement> measurements = calibration::measure_kernels(
        *device, matrix, structure, options.kernels.empty() ? device->kernels() : options.kernels,
        globals.value_precision(), {});
    for (const calibration::Measurement& measurement : measurements) store.add_measurement(measurement);
    // Fastest first, those without a time at the end.
    std::ranges::stable_sort(measurements, {}, [](const calibration::Measurement& m) {
      return m.status == "ok" ? m.timing.seconds : 1e300;
    });
    if (!globals.json) {
      print(measurements_text(structure, measurements, options.device, globals));
      continue;
    }
    nlohmann::ordered_json document{{"matrix", matrix_json(structure)},
                                    {"device", device_json(device->properties())},
                                    {"precision", globals.precision},
                                    {"measurements", nlohmann::ordered_json::array()}};
    for (const calibration::Measurement& measurement : measurements)
      document["measurements"].push_back(measurement_json(measurement));
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
  command->callback([options, &globals] { measure(*options, globals); });
}

}  // namespace sparsecast::app
