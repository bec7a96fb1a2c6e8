// bench-predict: what a forecast costs beyond reading the matrix, as a ratio to one CSR product of the same matrix on
// the same threads in the same run, and what a hundred forecasts from structures cost. Goals: 10 products, 1 s.
//
//     bench-predict THREADS [MATRIX…]       (default: made matrices of about ten million non-zeros)
//
// Needs the records of `sparsecast calibrate`; fitted models are cached, as in the second call of the command.
// Prints one JSON document.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/read.hpp>
#include <sparsecast/recommend.hpp>
#include <sparsecast/structure.hpp>
#include <string>
#include <vector>

#include "calibration/store.hpp"
#include "calibration/timing.hpp"
#include "forecast/model_set.hpp"
#include "hardware/device.hpp"
#include "recipes.hpp"
#include "results_json.hpp"

namespace {

using namespace sparsecast;

template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The middle one of three, so that one interruption is not the answer.
template <class Work>
double median_seconds(const Work& work) {
  std::array<double, 3> times{};
  for (double& time : times) time = seconds(work);
  std::ranges::sort(times);
  return times[1];
}

Profile host_profile() {
  std::optional<Profile> profile = calibration::Store().profile("host");
  if (!profile) throw Error(ErrorCode::failed, "the host was never calibrated", {}, "run `sparsecast calibrate`");
  return std::move(*profile);
}

std::vector<std::string> kernels_of(const Profile& profile) {
  std::set<std::string> kernels;
  for (const Record& record : profile.records) kernels.insert(record.kernel);
  return {kernels.begin(), kernels.end()};
}

// All that `predict` does after reading: the structure, the profile from the store, the cached fits, every kernel.
struct Cost {
  double analyze_s = 0, models_s = 0, forecast_s = 0;
};

Cost forecast_cost(const Matrix& matrix, int threads) {
  Cost cost;
  Structure structure;
  cost.analyze_s = median_seconds([&] { structure = analyze(matrix, threads); });
  std::optional<forecast::ModelSet> models;
  std::vector<std::string> kernels;
  cost.models_s = median_seconds([&] {
    const Profile profile = host_profile();
    kernels = kernels_of(profile);
    models.emplace("best", profile, FitOptions{Precision::double_, threads});
  });
  cost.forecast_s = median_seconds([&] { (void)recommend(models->best(structure, kernels), 0); });
  return cost;
}

// A hundred structures that differ, every kernel of each, models loaded as a new process loads them.
double hundred_forecasts(int threads) {
  std::vector<Structure> records;
  for (int i = 0; i < 100; ++i) {
    MatrixSpec spec;
    spec.kind = "powerlaw";
    spec.rows = 1000 + 100 * i;
    spec.row_length = 4 + i % 30;
    spec.seed = static_cast<std::uint64_t>(i);
    records.push_back(analyze(generate(spec, threads), threads));
  }
  return median_seconds([&] {
    const Profile profile = host_profile();
    const forecast::ModelSet models("best", profile, {Precision::double_, threads});
    const std::vector<std::string> kernels = kernels_of(profile);
    for (const Structure& record : records) (void)recommend(models.best(record, kernels), 0);
  });
}

nlohmann::ordered_json judge(const Matrix& matrix, hardware::Device& device, int threads) {
  const std::unique_ptr<hardware::Product> product =
      device.prepare(matrix, analyze(matrix, threads), "csr", Precision::double_);
  hardware::Product* const timed[] = {product.get()};
  const double product_s = calibration::time_interleaved(timed, {}).front().seconds;
  const Cost cost = forecast_cost(matrix, threads);
  const double all = cost.analyze_s + cost.models_s + cost.forecast_s;
  return {{"matrix", matrix.name()},    {"nonzeros", matrix.nonzeros()},
          {"product_s", product_s},     {"analyze_products", cost.analyze_s / product_s},
          {"models_s", cost.models_s},  {"forecast_s", cost.forecast_s},
          {"products", all / product_s}};
}

void run(int argc, char** argv) {
  if (argc < 2) throw Error(ErrorCode::usage, "bench-predict THREADS [MATRIX…]", {}, "name the number of threads");
  const int threads = std::max(1, std::atoi(argv[1]));
  const std::unique_ptr<hardware::Device> device = hardware::open_device("host", threads);
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (int i = 2; i < argc; ++i) results.push_back(judge(read_matrix(argv[i]), *device, threads));
  if (argc == 2)
    for (const bench::Recipe& recipe : bench::large_recipes)
      results.push_back(judge(bench::make(recipe, threads), *device, threads));
  const nlohmann::ordered_json document{{"benchmark", "predict"},
                                        {"threads", threads},
                                        {"matrices", results},
                                        {"hundred_forecasts_s", hundred_forecasts(threads)}};
  fmt::print("{}\n", bench::results_text(document));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
