#include "plan/run/strategy_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "plan/run/plan_ranges.hpp"
#include "plan/run/plan_runner.hpp"

namespace sparsecast {
namespace {

constexpr const char* plan_schema = "sparsecast/plan/1";
constexpr std::int64_t largest_file = 256 << 20;
constexpr int most_threads = 1024;

nlohmann::ordered_json blocks_json(const std::vector<PlannedBlock>& blocks) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const PlannedBlock& block : blocks)
    out.push_back({{"first_strip", block.first_strip},
                   {"last_strip", block.last_strip},
                   {"first_row", block.first_row},
                   {"last_row", block.last_row},
                   {"kernel", block.kernel},
                   {"reordered", block.reordered},
                   {"seconds", block.seconds},
                   {"conversion_s", block.conversion_s}});
  return out;
}

std::vector<PlannedBlock> blocks_from(const nlohmann::ordered_json& json) {
  std::vector<PlannedBlock> blocks;
  for (const auto& entry : json) {
    PlannedBlock block;
    entry.at("first_strip").get_to(block.first_strip);
    entry.at("last_strip").get_to(block.last_strip);
    entry.at("first_row").get_to(block.first_row);
    entry.at("last_row").get_to(block.last_row);
    entry.at("kernel").get_to(block.kernel);
    entry.at("reordered").get_to(block.reordered);
    entry.at("seconds").get_to(block.seconds);
    entry.at("conversion_s").get_to(block.conversion_s);
    if (!(block.seconds >= 0) || !(block.conversion_s >= 0) || !std::isfinite(block.seconds))
      throw Error(ErrorCode::bad_input, "a block's time is negative or no number");
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace

nlohmann::ordered_json planning::strategy_to_json(const Strategy& s) {
  nlohmann::ordered_json singles = nlohmann::ordered_json::array();
  for (const SingleKernel& single : s.singles)
    singles.push_back({{"kernel", single.kernel}, {"seconds", single.seconds}, {"conversion_s", single.conversion_s}});
  return {{"strategy", blocks_json(s.blocks)},
          {"predicted_s", s.predicted_s},
          {"conversion_s", s.conversion_s},
          {"best_single",
           {{"kernel", s.best_single.kernel},
            {"seconds", s.best_single.seconds},
            {"conversion_s", s.best_single.conversion_s}}},
          {"singles", std::move(singles)},
          {"best_cut", blocks_json(s.best_cut)},
          {"gain", s.gain},
          {"gain_low", s.gain_low},
          {"gain_high", s.gain_high},
          {"cut", s.cut},
          {"reason", s.reason},
          {"strips", s.strips},
          {"strip_rows", s.strip_rows},
          {"iterations", s.iterations},
          {"break_even", s.break_even},
          {"planning_s", s.planning_s},
          {"threads", s.threads}};
}

Strategy planning::strategy_from_json(const nlohmann::ordered_json& json, const std::string& file) try {
  Strategy s;
  s.blocks = blocks_from(json.at("strategy"));
  json.at("predicted_s").get_to(s.predicted_s);
  json.at("conversion_s").get_to(s.conversion_s);
  const auto single_from = [](const nlohmann::ordered_json& entry) {
    return SingleKernel{entry.at("kernel").get<std::string>(), entry.at("seconds").get<double>(),
                        entry.at("conversion_s").get<double>()};
  };
  s.best_single = single_from(json.at("best_single"));
  for (const auto& entry : json.at("singles")) s.singles.push_back(single_from(entry));
  s.best_cut = blocks_from(json.at("best_cut"));
  json.at("gain").get_to(s.gain);
  json.at("gain_low").get_to(s.gain_low);
  json.at("gain_high").get_to(s.gain_high);
  json.at("cut").get_to(s.cut);
  json.at("reason").get_to(s.reason);
  json.at("strips").get_to(s.strips);
  json.at("strip_rows").get_to(s.strip_rows);
  json.at("iterations").get_to(s.iterations);
  json.at("break_even").get_to(s.break_even);
  json.at("planning_s").get_to(s.planning_s);
  json.at("threads").get_to(s.threads);
  if (s.threads < 0 || s.threads > most_threads)
    throw Error(ErrorCode::bad_input, "a plan for " + std::to_string(s.threads) + " threads");
  return s;
} catch (const nlohmann::json::exception& wrong) {
  throw Error(ErrorCode::bad_input, std::string("not a saved plan: ") + wrong.what(), {file},
              "make it again with `sparsecast optimize MATRIX --save FILE`");
} catch (const Error& wrong) {
  throw Error(ErrorCode::bad_input, "not a saved plan: " + wrong.reason(), {file},
              "make it again with `sparsecast optimize MATRIX --save FILE`");
}

void Plan::save(const std::filesystem::path& file) const {
  const Strategy& s = strategy();
  const std::string& checksum = planning::Runner::of(*this).checksums.whole;
  if (checksum.empty())
    throw Error(ErrorCode::usage, "the plan's values were updated, and a saved plan is bound to its matrix's values",
                {}, "save a plan that was made of the matrix as it is now");
  nlohmann::ordered_json json{{"schema", plan_schema},
                              {"matrix", {{"rows", rows()}, {"cols", cols()}, {"checksum", checksum}}},
                              {"device", s.device},
                              {"precision", to_string(s.precision)}};
  json.update(planning::strategy_to_json(s));
  base::write_file_atomically(file, base::json_text(json, 2) + '\n', {.what = "plan"});
}

Plan Plan::load(const std::filesystem::path& file, const Matrix& matrix) {
  const Place place{file.string()};
  constexpr const char* remedy = "make it again with `sparsecast optimize MATRIX --save FILE`";
  const auto json =
      base::parse_json(base::read_file(file, {.what = "plan", .most_bytes = largest_file}), {file.string(), remedy});
  if (!json.is_object() || json.value("schema", nlohmann::ordered_json()) != plan_schema)
    throw Error(ErrorCode::bad_input, "not a saved plan", place,
                "make one with `sparsecast optimize MATRIX --save FILE`");
  try {
    base::check_ranges(json, planning::plan_ranges());
  } catch (const Error& wrong) {
    throw Error(wrong.code(), "not a saved plan: " + wrong.reason(), place, remedy);
  }
  Strategy strategy = planning::strategy_from_json(json, file.string());
  std::string checksum;
  try {
    checksum = json.at("matrix").at("checksum").get<std::string>();
    strategy.device = json.at("device").get<std::string>();
    strategy.precision = json.at("precision").get<std::string>() == "single" ? Precision::single_ : Precision::double_;
  } catch (const nlohmann::json::exception& wrong) {
    throw Error(ErrorCode::bad_input, std::string("not a saved plan: ") + wrong.what(), place);
  }
  if (checksum != matrix_checksum(matrix))
    throw Error(ErrorCode::bad_input, "the plan was made for another matrix than " + matrix.name(), place,
                "plan again for this one");
  try {
    return {matrix, std::move(strategy)};
  } catch (const Error& wrong) {
    if (wrong.code() != ErrorCode::usage) throw;
    throw Error(ErrorCode::bad_input, wrong.reason(), place, "plan again for this matrix");
  }
}

}  // namespace sparsecast
