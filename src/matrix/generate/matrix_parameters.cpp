#include "matrix/generate/matrix_parameters.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

namespace sparsecast {
namespace {
using P = MatrixParameters;

constexpr std::array<matrix::ParameterRow, 16> table{{
    {"size", &P::size, 1, 0x1p53, true},
    {"depth", &P::depth, 1, 0x1p53, true},
    {"row_std", &P::row_std},
    {"skew", &P::skew},
    {"bandwidth", &P::bandwidth},  // of structured a share, of banded a number of columns
    {"neighbours", &P::neighbours, 0, 2},
    {"similarity", &P::similarity, 0, 1},
    {"exponent", &P::exponent, 2.01, 10},
    {"long_rows", &P::long_rows, 0, 0x1p53, true},
    {"long_share", &P::long_share, 0, 1},
    {"scale", &P::scale, 0, 30, true},
    {"edges", &P::edges, 0, 0x1p53, true},
    {"dof", &P::dof, 1, 0x1p53, true},
    {"dimensions", &P::dimensions, 2, 3, true},
    {"symmetric", &P::symmetric, 0, 1, true},
    {"distinct", &P::distinct, 0, 0x1p53, true},
}};
static_assert(sizeof(P) == table.size() * sizeof(std::optional<double>) + sizeof(std::string),
              "a member of MatrixParameters has no row");

constexpr std::string_view pattern_name = "pattern";

std::int64_t whole_size(std::string_view name, double value) {
  if (value != std::floor(value) || value < 0 || value > 0x1p53)
    throw Error(ErrorCode::usage, fmt::format("{} is {}, but must be a whole number from 0 on", name, value));
  return static_cast<std::int64_t>(value);
}

nlohmann::json parsed(std::string_view text) {
  auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object())
    throw Error(ErrorCode::usage, fmt::format("parameters of a generated matrix are not a JSON object: {}", text));
  return json;
}

double number_of(const std::string& name, const nlohmann::json& value) {
  if (!value.is_number())
    throw Error(ErrorCode::usage,
                fmt::format("parameter {} of a generated matrix is not a number: {}", name, value.dump()));
  return value.get<double>();
}

const matrix::ParameterRow& row_of(std::string_view name) {
  const auto found = std::ranges::find(table, name, &matrix::ParameterRow::name);
  if (found == table.end()) throw Error(ErrorCode::usage, fmt::format("no kind of matrix takes {}", name));
  return *found;
}
}  // namespace

std::string MatrixParameters::json() const {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    text += fmt::format(R"({}"{}":{})", text.empty() ? "{" : ",", name, value);
  };
  for (const matrix::ParameterRow& row : table)
    if (const std::optional<double>& value = this->*row.member) add(row.name, fmt::format("{}", *value));
  if (!pattern.empty()) add(pattern_name, nlohmann::json(pattern).dump());
  return text.empty() ? text : text + "}";
}

MatrixParameters MatrixParameters::from_json(std::string_view text) {
  MatrixParameters parameters;
  if (text.empty()) return parameters;
  const auto document = parsed(text);
  for (const auto& [name, value] : document.items()) {
    if (name == pattern_name && value.is_string())
      parameters.pattern = value.get<std::string>();
    else
      parameters.*row_of(name).member = number_of(name, value);
  }
  return parameters;
}

std::span<const matrix::ParameterRow> matrix::parameter_table() { return table; }

void matrix::set_parameter(MatrixSpec& spec, std::string_view name, double value) {
  if (name == "rows")
    spec.rows = whole_size(name, value);
  else if (name == "cols")
    spec.cols = whole_size(name, value);
  else if (name == "row_mean")
    spec.row_length = value;
  else
    spec.parameters.*row_of(name).member = value;
}

void set_parameters(MatrixSpec& spec, std::string_view json) {
  const auto document = parsed(json);
  for (const auto& [name, value] : document.items()) matrix::set_parameter(spec, name, number_of(name, value));
}

std::map<std::string, double> matrix::given_parameters(const MatrixSpec& spec) {
  std::map<std::string, double> numbers;
  if (spec.rows != 0) numbers["rows"] = static_cast<double>(spec.rows);
  if (spec.cols != 0) numbers["cols"] = static_cast<double>(spec.cols);
  if (spec.row_length != 0) numbers["row_mean"] = spec.row_length;
  for (const ParameterRow& row : table)
    if (const std::optional<double>& value = spec.parameters.*row.member) numbers.emplace(row.name, *value);
  return numbers;
}
}  // namespace sparsecast
