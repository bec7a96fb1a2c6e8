#include "planning/run/saved_plan.hpp"

#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "fields/json.hpp"
#include "fields/wording.hpp"
#include "planning/run/plan_runner.hpp"

namespace sparsecast {
namespace {
constexpr const char* plan_schema = "sparsecast/plan/1";
constexpr std::int64_t largest_file = 256 << 20;
}  // namespace

void Plan::save(const std::filesystem::path& file) const {
  const Strategy& s = strategy();
  const std::string& checksum = planning::Runner::of(*this).checksums().whole;
  if (checksum.empty())
    throw Error(ErrorCode::usage, "the plan's values were updated, and a saved plan is bound to its matrix's values",
                {}, "save a plan that was made of the matrix as it is now");
  nlohmann::ordered_json json{{"schema", plan_schema}};
  json.update(fields::written(planning::SavedPlan{{rows(), cols(), checksum}, s.device, s.precision, s}));
  base::write_file_atomically(file, base::json_text(json, 2) + '\n', {.what = "plan"});
}

Plan Plan::load(const std::filesystem::path& file, const Matrix& matrix) {
  const Place place{file.string()};
  const wording::Text remedy = wording::format(
      "{} writes one",
      wording::ask("plan", {{"matrix", wording::placeholder("MATRIX")}, {"save", wording::placeholder("FILE")}}));
  const auto json =
      base::parse_json(base::read_file(file, {.what = "plan", .most_bytes = largest_file}), {file.string(), remedy});
  if (!json.is_object() || json.value("schema", nlohmann::ordered_json()) != plan_schema)
    throw Error(ErrorCode::bad_input, "not a saved plan", place, remedy);
  planning::SavedPlan saved;
  try {
    saved = fields::read_struct<planning::SavedPlan>(json);
  } catch (const Error& wrong) {
    throw Error(wrong.code(), "not a saved plan: " + wrong.reason(), place, remedy);
  }
  saved.strategy.device = saved.device;
  saved.strategy.precision = saved.precision;
  if (saved.matrix.checksum != matrix_checksum(matrix) && saved.matrix.checksum != planning::earlier_checksum(matrix))
    throw Error(ErrorCode::bad_input, "the plan was not made for the matrix " + matrix.name(), place,
                "plan again for this one");
  try {
    return {matrix, std::move(saved.strategy)};
  } catch (const Error& wrong) {
    if (wrong.code() != ErrorCode::usage) throw;
    throw Error(ErrorCode::bad_input, wrong.reason(), place, "plan again for this matrix");
  }
}
}  // namespace sparsecast
