#include "calibration/ginkgo_results.hpp"
#include "formats/kernels.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/guard/parse_json.hpp"

namespace sparsecast::calibration {
namespace {
using Json = nlohmann::ordered_json;

constexpr double largest = 9e15, longest_s = 1e9, nanoseconds_from = 1e3;  // no product takes a thousand seconds

// The tables' names of kernels: library-kernel.
std::string kernel_name(const std::string& ginkgo) {
  static const std::map<std::string, std::string> strategies{
      {"Csrc", "csr-classical"}, {"Csri", "csr-load-balance"}, {"Csrm", "csr-merge"}};
  if (const auto found = strategies.find(ginkgo); found != strategies.end()) return "ginkgo-" + found->second;
  std::string name = ginkgo, library = "ginkgo-";
  for (char& c : name) c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* prefix : {"cusparse-", "hipsparse-", "cusp"})
    if (name.starts_with(prefix)) {
      library = std::string(prefix) == "cusp" ? "cusparse-" : prefix;
      name = name.substr(std::string(prefix).size());
      break;
    }
  if (library != "ginkgo-" && name == "hybrid") name = formats::hyb_format;
  return library + name;
}

double number(const Json& value, double least, double most) {
  const double number = value.get<double>();
  if (!std::isfinite(number) || number < least || number > most)
    throw Error(ErrorCode::bad_input, fmt::format("{} is out of its range {} to {}", number, least, most));
  return number;
}

std::int64_t count_of(const Json& problem, const char* name) {
  return static_cast<std::int64_t>(number(problem.at(name), 0, largest));
}

Structure structure_of_problem(const Json& problem) {
  Structure s;
  s.name = problem.at("group").get<std::string>() + "/" + problem.at("name").get<std::string>();
  s.rows = count_of(problem, "rows");
  s.cols = count_of(problem, problem.contains("cols") ? "cols" : "columns");
  s.nonzeros = count_of(problem, "nonzeros");
  if (static_cast<double>(s.nonzeros) > static_cast<double>(s.rows) * static_cast<double>(s.cols))
    throw Error(ErrorCode::bad_input, s.name + " has more nonzeros than rows × columns");
  s.row_mean = s.rows > 0 ? static_cast<double>(s.nonzeros) / static_cast<double>(s.rows) : 0;
  const Json& lengths = problem.at("row_distribution");
  s.row_min = count_of(lengths, "min");
  s.row_max = std::min(s.cols, count_of(lengths, "max"));
  s.row_std = std::sqrt(number(lengths.at("variance"), 0, 1e30));
  if (s.row_mean > 0) s.row_skew = std::max(0.0, static_cast<double>(s.row_max) / s.row_mean - 1);
  for (const char* quartile : {"q1", "median", "q3"})
    s.row_quartiles.push_back(number(lengths.at(quartile), 0, largest));
  return s;
}

void read_entry(const Json& entry, std::vector<FeatureRecord>& records) {
  if (!entry.contains("spmv") || !entry.contains("problem")) return;
  const Structure structure = structure_of_problem(entry.at("problem"));
  for (const auto& [kernel, told] : entry.at("spmv").items()) {
    const auto time = told.find("time");
    if (time == told.end() || !time->is_number() || !told.value("completed", true)) continue;
    FeatureRecord record;
    record.structure = structure;
    record.kernel = kernel_name(kernel);
    record.seconds = number(*time, 0, longest_s / 1e-9);
    if (record.seconds <= 0) continue;
    record.storage = told.contains("storage") ? number(told.at("storage"), 0, 1e18) : 0;
    record.repetitions = told.contains("repetitions") ? number(told.at("repetitions"), 0, 1e15) : 1;
    records.push_back(std::move(record));
  }
}
}  // namespace

std::vector<FeatureRecord> read_ginkgo_results(const std::filesystem::path& file, TimeUnit unit) {
  const std::string remedy = "Ginkgo's benchmark/spmv writes such files";
  const Json document = base::parse_json(base::read_file(file, {.what = "measurements"}), {file.string(), remedy});
  std::vector<FeatureRecord> records;
  try {
    if (document.is_object()) read_entry(document, records);
    if (document.is_array())
      for (const Json& entry : document) read_entry(entry, records);
    if (records.empty()) throw Error(ErrorCode::bad_input, "it holds no completed product of Ginkgo's benchmark");
  } catch (const Error& wrong) {
    throw Error(ErrorCode::bad_input, wrong.reason(), {file.string()}, remedy);
  } catch (const Json::exception& wrong) {
    throw Error(ErrorCode::bad_input, wrong.what(), {file.string()}, remedy);
  }
  const double most = std::ranges::max_element(records, {}, &FeatureRecord::seconds)->seconds;
  if (unit == TimeUnit::nanoseconds || (unit == TimeUnit::told && most >= nanoseconds_from))
    for (FeatureRecord& record : records) record.seconds *= 1e-9;
  use_storage(records);
  return records;
}

std::vector<FeatureRecord> read_measurements(const std::filesystem::path& file, TimeUnit unit) {
  if (file.extension() == ".json") return read_ginkgo_results(file, unit);
  return read_feature_table(file, true, unit == TimeUnit::nanoseconds ? 1e-9 : 1);
}
}  // namespace sparsecast::calibration
