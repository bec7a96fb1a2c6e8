// The table of kinds, and what they share: looking up and checking parameters.

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>

#include "matrix/generate/counter_random.hpp"
#include "matrix/generate/generators.hpp"
#include "matrix/generate/matrix_parameters.hpp"

namespace sparsecast {
namespace {
struct TableRow {
  GeneratorKind kind;
  matrix::Generator make;
};

const GeneratorParameter rows{"rows", "rows", true};
const GeneratorParameter cols{"cols", "columns (as many as rows)"};
const GeneratorParameter row_mean{"row_mean", "mean non-zeros per row", true};
const GeneratorParameter size{"size", "grid points along an edge", true};
const GeneratorParameter depth{"depth", "grid points along the last edge; the same number if not given"};

const GeneratorParameter distinct{
    "distinct", "number of different values, which are then not symmetric (default: as the kind has them)"};

const std::vector<TableRow>& kind_rows() {
  static const std::vector<TableRow> kinds{
#include "matrix/generate/kinds.def"
  };
  return kinds;
}

// All of them with the parameter that every kind takes.
const std::vector<TableRow>& table() {
  static const std::vector<TableRow> kinds = [] {
    std::vector<TableRow> all = kind_rows();
    for (TableRow& row : all) row.kind.parameters.push_back(distinct);
    return all;
  }();
  return kinds;
}

// The same pattern with so many different values, all of which single precision holds.
Matrix with_values(const Matrix& made, std::uint64_t seed, std::int64_t count) {
  // Spread over the 23 bits that a float holds, so that a few hundred of them are no values of two bytes.
  const auto values = static_cast<std::uint64_t>(count), step = std::max<std::uint64_t>(1, (1 << 23) / values);
  return made.visit([&]<class Value, class Offset, class Index>(const CsrSpans<Value, Offset, Index>& from) {
    Csr<Offset, Index> csr{from.rows, from.cols, {}, {}, {}};
    csr.row_pointers.assign(from.row_pointers.begin(), from.row_pointers.end());
    csr.column_indices.assign(from.column_indices.begin(), from.column_indices.end());
    csr.values.resize(from.values.size());
    for (std::size_t k = 0; k < csr.values.size(); ++k)
      csr.values[k] = static_cast<double>(1 + step * (matrix::mix_bits(seed + k) % values)) / 1024;
    return Matrix(std::move(csr), made.name());
  });
}

std::string kind_names() {
  std::string names;
  for (const TableRow& row : table()) names += (names.empty() ? "" : ", ") + row.kind.name;
  return names;
}

std::string parameter_names(const GeneratorKind& kind) {
  std::string names;
  for (const GeneratorParameter& p : kind.parameters) names += (names.empty() ? "" : ", ") + p.name;
  return names;
}

matrix::GeneratorCall look_up(const MatrixSpec& spec, const GeneratorKind& kind) {
  matrix::GeneratorCall call{generated_name(spec), spec.seed, {}, {}};
  const auto numbers = matrix::given_parameters(spec);
  for (const GeneratorParameter& p : kind.parameters) {
    const auto found = numbers.find(p.name);
    call.given[p.name] = found != numbers.end();
    if (p.required && found == numbers.end())
      throw Error(ErrorCode::usage, fmt::format("generating {} needs {} ({})", kind.name, p.name, p.meaning));
    call.numbers[p.name] = found == numbers.end() ? p.standard : found->second;
    if (!std::isfinite(call.numbers[p.name]) || call.numbers[p.name] < 0)
      throw Error(ErrorCode::usage, fmt::format("{} of {} cannot be {}", p.name, kind.name, call.numbers[p.name]));
  }
  for (const auto& [name, value] : numbers)
    if (!call.numbers.contains(name))
      throw Error(ErrorCode::usage, fmt::format("{} takes no {}", kind.name, name), {},
                  "it takes " + parameter_names(kind));
  for (const matrix::ParameterRow& row : matrix::parameter_table()) {
    const std::string name(row.name);
    // What is not given and has no standard is not asked for.
    if (!call.given.contains(name) || (!call.given.at(name) && call.number(name) == 0)) continue;
    if (row.whole) static_cast<void>(call.count(name, static_cast<std::int64_t>(row.least)));
    if (std::isfinite(row.most)) static_cast<void>(call.between(name, row.least, row.most));
  }
  return call;
}

const TableRow* find_row(const std::string& name) {
  const auto found = std::ranges::find(table(), name, [](const TableRow& row) { return row.kind.name; });
  return found == table().end() ? nullptr : &*found;
}
}  // namespace

std::int64_t matrix::GeneratorCall::count(const std::string& parameter, std::int64_t least) const {
  const double value = number(parameter);
  if (value != std::floor(value) || value < static_cast<double>(least) || value > 0x1p53)
    throw Error(ErrorCode::usage,
                fmt::format("{} is {}, but must be a whole number from {} on", parameter, value, least));
  return static_cast<std::int64_t>(value);
}

double matrix::GeneratorCall::between(const std::string& parameter, double least, double most) const {
  const double value = number(parameter);
  if (value < least || value > most)
    throw Error(ErrorCode::usage,
                fmt::format("{} is {}, but must lie between {} and {}", parameter, value, least, most));
  return value;
}

const std::vector<GeneratorKind>& generator_kinds() {
  static const std::vector<GeneratorKind> kinds = [] {
    std::vector<GeneratorKind> list;
    for (const TableRow& row : table()) list.push_back(row.kind);
    return list;
  }();
  return kinds;
}

const GeneratorKind* find_generator_kind(const std::string& name) {
  const TableRow* row = find_row(name);
  return row == nullptr ? nullptr : &row->kind;
}

Matrix generate(const MatrixSpec& spec, int threads) {
  const TableRow* row = find_row(spec.kind);
  if (row == nullptr)
    throw Error(ErrorCode::usage, fmt::format("there is no kind of matrix \"{}\"", spec.kind), {},
                "kinds: " + kind_names());
  const matrix::GeneratorCall call = look_up(spec, row->kind);
  Matrix made = row->make(call, threads);
  const std::int64_t values = call.whole(distinct.name);
  return values > 0 ? with_values(made, spec.seed, values) : made;
}

std::string generated_name(const MatrixSpec& spec) {
  std::string name = spec.kind;
  if (spec.rows > 0) name += fmt::format("-{}x{}", spec.rows, spec.cols > 0 ? spec.cols : spec.rows);
  if (spec.row_length > 0) name += fmt::format("-p{:g}", spec.row_length);
  // In the order of their names.
  for (const auto& [key, value] : matrix::given_parameters({.parameters = spec.parameters}))
    name += fmt::format("-{}{:g}", key == "size" ? "" : key, value);
  if (spec.seed != 0) name += fmt::format("-s{}", spec.seed);
  return name;
}
}  // namespace sparsecast
