#include "gpu_code/space/tuning_problem.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sparsecast/error.hpp>

#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/interrupt.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"
#include "gpu_code/compile/macros.hpp"
#include "gpu_code/launch_options.hpp"

namespace sparsecast::gpu_code {
namespace {
using SpaceJson = nlohmann::json;

constexpr std::int64_t most_file_bytes = 16 << 20;
constexpr std::size_t most_values = 60'000, most_parameters = 256;
constexpr std::array<const char*, 3> directions{"X", "Y", "Z"};
/// Names that Kernel Tuner gives a block's threads in each direction.
constexpr std::array<const char*, 3> usual_blocks{"block_size_x", "block_size_y", "block_size_z"};

[[noreturn]] void refuse_space(const std::string& reason, const wording::Text& remedy = {}) {
  throw Error(ErrorCode::bad_input, reason, {},
              remedy.empty() ? "a tuning problem has ConfigurationSpace (TuningParameters, Conditions) and "
                               "KernelSpecification (KernelName, ProblemSize, LocalSize, GridDivX)"
                             : remedy);
}

const ExpressionValue* no_names(std::string_view /*name*/) { return nullptr; }

ExpressionValue value_of(const SpaceJson& json) {
  if (json.is_boolean()) return ExpressionValue::of(static_cast<std::int64_t>(json.get<bool>()));
  if (json.is_number_integer()) return ExpressionValue::of(json.get<std::int64_t>());
  if (json.is_number()) return ExpressionValue::of(json.get<double>());
  if (json.is_string()) return ExpressionValue::of(json.get<std::string>());
  refuse_space("a value is neither a number nor a text");
}

/// A list, or a text that is the expression of one: "[16, 32]".
std::vector<ExpressionValue> values_of(const SpaceJson& json) {
  std::vector<ExpressionValue> values;
  if (json.is_string()) {
    auto value = Expression(json.get<std::string>()).evaluate(no_names);
    if (value.kind == ExpressionValue::Kind::list) return std::move(value.list);
    values.push_back(std::move(value));
    return values;
  }
  if (!json.is_array()) return {value_of(json)};
  for (const auto& v : json) values.push_back(value_of(v));
  return values;
}

/// A number or the text of an expression.
Expression expression_of(const SpaceJson& json) {
  if (json.is_string()) return Expression(json.get<std::string>());
  return Expression(value_of(json).written());
}

std::vector<Expression> expressions_of(const SpaceJson& object, const char* key) {
  std::vector<Expression> list;
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return list;
  if (!found->is_array()) return {expression_of(*found)};
  for (const auto& e : *found) list.push_back(expression_of(e));
  return list;
}

/// {"X": …, "Y": …, "Z": …}, or a list in that order; directions that are not given are 1.
std::vector<Expression> sizes_of(const SpaceJson& object, const char* key) {
  std::vector<Expression> list;
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return list;
  if (found->is_object()) {
    for (const auto& [direction, size] : found->items())
      if (std::ranges::find(directions, direction) == directions.end())
        refuse_space(fmt::format("{}: there is no direction {}", key, direction), "directions are X, Y and Z");
    for (const auto* direction : directions)
      list.push_back(found->contains(direction) ? expression_of((*found)[direction]) : Expression("1"));
    return list;
  }
  if (!found->is_array() || found->empty() || found->size() > directions.size())
    refuse_space(fmt::format("{} is neither an object of X, Y and Z nor a list of one to three sizes", key));
  for (const auto& size : *found) list.push_back(expression_of(size));
  while (list.size() < directions.size()) list.emplace_back("1");
  return list;
}

/// Whether GlobalSize counts threads, as OpenCL does, and not blocks.
bool counts_threads(const SpaceJson& kernel) {
  const auto found = kernel.find("GlobalSizeType");
  if (found == kernel.end() || found->is_null()) return false;
  const auto type = base::lower_case(found->get<std::string>());
  if (type != "opencl" && type != "cuda" && type != "vulkan")
    refuse_space(fmt::format("GlobalSizeType is '{}'", found->get<std::string>()),
                 "it is OpenCL, where GlobalSize counts threads, or CUDA or Vulkan, where it counts blocks");
  return type == "opencl";
}

/// A key that is nearly one that is read was meant to be that, and would be passed over. Others may be another tuner's.
void require_spelt(const SpaceJson& object, const std::string& place, const std::vector<std::string>& known) {
  if (!object.is_object()) return;
  for (const auto& [key, value] : object.items())
    if (std::ranges::find(known, key) == known.end())
      if (const auto meant = base::did_you_mean(key, known); !meant.empty())
        refuse_space(fmt::format("\"{}\"{} is not known", key, place), meant);
}

/// The format's keys, those of Kernel Tuner among them.
void require_spelt(const SpaceJson& document) {
  require_spelt(document, "",
                {"ConfigurationSpace", "KernelSpecification", "General", "Search", "Budget", "BenchmarkConfig"});
  const auto& space = document.at("ConfigurationSpace");
  require_spelt(space, " of ConfigurationSpace", {"TuningParameters", "Conditions", "Configurations"});
  for (const auto& parameter : space.at("TuningParameters"))
    require_spelt(parameter, " of a parameter", {"Name", "Type", "Values", "Default"});
  if (const auto kernel = document.find("KernelSpecification"); kernel != document.end())
    require_spelt(*kernel, " of KernelSpecification",
                  {"Device",     "Language",        "CompilerOptions", "Profiling",          "BenchmarkName",
                   "KernelName", "KernelFile",      "GlobalSizeType",  "GlobalSize",         "LocalSize",
                   "GridDivX",   "GridDivY",        "GridDivZ",        "ProblemSize",        "SharedMemory",
                   "Stream",     "SimulationInput", "Arguments",       "ReferenceArguments", "Misc"});
}

/// "a*b,c": parts by the commas that stand in no bracket.
std::vector<Expression> given_sizes(const std::string& text) {
  std::vector<Expression> list;
  std::string part;
  int depth = 0;
  for (const char c : text + ",") {
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c != ',' || depth > 0) {
      part += c;
      continue;
    }
    list.emplace_back(part);
    part.clear();
  }
  if (list.size() > 3) refuse_space("a size has three directions at most");
  while (list.size() < 3) list.emplace_back("1");
  return list;
}

/// A Kernel Tuner cache as a tuning problem: what it measured or was about to is its space, since the restrictions that
/// made it are not in the file; blocks and grids are by the names and the divisor that are its tuner's defaults.
SpaceJson problem_of_cache(const SpaceJson& cache) {
  SpaceJson space = {{"TuningParameters", SpaceJson::array()}, {"Configurations", SpaceJson::array()}};
  const auto& names = cache.at("tune_params_keys");
  for (const auto& name : names)
    space["TuningParameters"].push_back({{"Name", name}, {"Values", cache.at("tune_params").at(name)}});
  for (const auto& [key, entry] : cache.at("cache").items()) {
    auto configuration = SpaceJson::array();
    for (const auto& name : names) configuration.push_back(entry.at(name.get<std::string>()));
    space["Configurations"].push_back(std::move(configuration));
  }
  SpaceJson kernel = {{"KernelName", cache.value("kernel_name", "")}};
  if (const auto size = cache.find("problem_size"); size != cache.end()) kernel["ProblemSize"] = *size;
  return {{"ConfigurationSpace", std::move(space)}, {"KernelSpecification", std::move(kernel)}};
}
}  // namespace

TuningProblem::TuningProblem(const std::filesystem::path& file, const ProblemSettings& settings)
    : TuningProblem(base::read_file(file, {.what = "tuning space", .most_bytes = most_file_bytes}), file.string(),
                    settings) {}

TuningProblem::TuningProblem(const std::string& text, const std::string& name, const ProblemSettings& settings) {
  constexpr const char* remedy = "the tuners' public format T1, or a Kernel Tuner cache, as JSON";
  try {
    const auto document = base::parse_sorted_json(text, {name, remedy});
    const bool cache = document.is_object() && document.contains("tune_params_keys") && document.contains("cache");
    read(cache ? problem_of_cache(document) : document, settings);
  } catch (const SpaceJson::exception& error) {
    throw Error(ErrorCode::bad_input, fmt::format("not a tuning problem: {}", base::json_reason(error)), {name},
                remedy);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input || !error.place().file.empty()) throw;
    throw Error(error.code(), error.reason_text(), {name}, error.remedy_text());
  }
  fingerprint_ = fmt::format("{}|{}|{}|{}|{}", text, fmt::join(settings.defines, " "), settings.kernel, settings.grid,
                             settings.block);
}

void TuningProblem::read(const nlohmann::json& document, const ProblemSettings& settings) {
  if (!document.is_object() || !document.contains("ConfigurationSpace")) refuse_space("it has no ConfigurationSpace");
  require_spelt(document);
  const auto& space = document.at("ConfigurationSpace");
  for (const auto& p : space.at("TuningParameters")) {
    TuningParameter parameter{p.at("Name").get<std::string>(), values_of(p.at("Values"))};
    if (parameter.values.empty() || parameter.values.size() > most_values)
      refuse_space(fmt::format("parameter {} has no values, or too many", parameter.name));
    if (std::ranges::find(parameters_, parameter.name, &TuningParameter::name) != parameters_.end())
      refuse_space(fmt::format("parameter {} is given twice", parameter.name), "remove one of them");
    parameters_.push_back(std::move(parameter));
  }
  if (parameters_.empty() || parameters_.size() > most_parameters) refuse_space("it has no parameters, or too many");
  if (const auto conditions = space.find("Conditions"); conditions != space.end())
    for (const auto& c : *conditions)
      restrictions_.push_back({Expression((c.is_object() ? c.at("Expression") : c).get<std::string>()), 0});

  const auto kernel = document.value("KernelSpecification", SpaceJson::object());
  kernel_ = settings.kernel.empty() ? kernel.value("KernelName", "") : settings.kernel;
  if (const auto problem = kernel.find("ProblemSize"); problem != kernel.end())
    problem_ = ExpressionValue::of(values_of(*problem));
  block_ = settings.block.empty() ? sizes_of(kernel, "LocalSize") : given_sizes(settings.block);
  constexpr std::array<const char*, 3> divisors{"GridDivX", "GridDivY", "GridDivZ"};
  bool divided = false;
  for (std::size_t d = 0; d < 3; ++d) {
    divide_[d] = expressions_of(kernel, divisors[d]);
    divided |= !divide_[d].empty();
  }
  if (!settings.grid.empty()) {
    grid_ = given_sizes(settings.grid);
  } else if (!divided && kernel.contains("GlobalSize")) {
    grid_ = sizes_of(kernel, "GlobalSize");
    grid_in_threads_ = counts_threads(kernel);
  }
  if (const auto arguments = kernel.find("Arguments"); arguments != kernel.end())
    for (const auto& a : *arguments)
      if (a.value("MemoryType", "") == "Scalar" && a.contains("Name") && a.contains("FillValue"))
        scalars_.emplace_back(a["Name"].get<std::string>(), value_of(a["FillValue"]).written());
  pin(settings.defines);
  place_restrictions();
  if (const auto configurations = space.find("Configurations"); configurations != space.end()) list(*configurations);
}

/// Each is a list of values in the parameters' order. Those with another value than a pinned parameter has are left
/// out.
void TuningProblem::list(const nlohmann::json& configurations) {
  std::vector<std::map<std::string, std::uint16_t>> numbers(parameters_.size());
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    for (std::size_t v = 0; v < parameters_[p].values.size(); ++v)
      numbers[p].emplace(parameters_[p].values[v].written(), static_cast<std::uint16_t>(v));
  listed_.emplace();
  for (const auto& configuration : configurations) {
    if (!configuration.is_array() || configuration.size() != parameters_.size())
      refuse_space("a configuration of the list does not have a value for every parameter");
    Choice choice;
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      const auto found = numbers[p].find(value_of(configuration[p]).written());
      if (found == numbers[p].end()) break;
      choice.push_back(found->second);
    }
    if (choice.size() == parameters_.size() && allows(choice)) listed_->push_back(std::move(choice));
  }
  std::ranges::sort(*listed_);
  listed_->erase(std::unique(listed_->begin(), listed_->end()), listed_->end());
}

bool TuningProblem::allows(const Choice& choice) const {
  const ExpressionNames names = [&](std::string_view name) { return find(name, choice); };
  return std::ranges::all_of(restrictions_, [&](const auto& r) { return r.expression.evaluate(names).truth(); });
}

void TuningProblem::pin(const std::vector<std::string>& defines) {
  std::set<std::string> macros;
  for (const auto& define : defines) {
    check_define(define, wording::option("kernel.defines"), macros);
    const auto equal = define.find('=');
    const auto name = define.substr(0, equal);
    const auto parameter = std::ranges::find(parameters_, name, &TuningParameter::name);
    if (parameter == parameters_.end()) {
      macros_.push_back(define);
      continue;
    }
    const auto wanted = equal == std::string::npos ? "1" : define.substr(equal + 1);
    std::erase_if(parameter->values, [&](const auto& v) { return v.written() != wanted; });
    if (parameter->values.empty())
      throw Error(
          ErrorCode::usage,
          wording::format("{} {}: parameter {} has no such value", wording::option("kernel.defines"), define, name), {},
          "give one of the values that the space lists");
  }
  for (const auto& p : parameters_)
    for (const auto& v : p.values) check_define(fmt::format("{}={}", p.name, v.written()), "parameter");
}

void TuningProblem::place_restrictions() {
  restrictions_after_.assign(parameters_.size(), {});
  for (std::size_t r = 0; r < restrictions_.size(); ++r) {
    for (const auto& name : restrictions_[r].expression.names()) {
      const auto found = std::ranges::find(parameters_, name, &TuningParameter::name);
      if (found == parameters_.end()) {
        if (name != "ProblemSize" && name != "problem_size")
          refuse_space(
              fmt::format("restriction '{}': there is no parameter {}", restrictions_[r].expression.text(), name));
        continue;
      }
      restrictions_[r].after = std::max(restrictions_[r].after, static_cast<std::size_t>(found - parameters_.begin()));
    }
    restrictions_after_[restrictions_[r].after].push_back(r);
  }
}

const ExpressionValue* TuningProblem::find(std::string_view name, std::span<const std::uint16_t> choice) const {
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    if (parameters_[p].name == name) return &parameters_[p].values[choice[p]];
  if (name == "ProblemSize" || name == "problem_size") return &problem_;
  return nullptr;
}

void TuningProblem::walk(const std::function<bool(std::span<const std::uint16_t>)>& visit,
                         std::int64_t most_steps) const {
  if (listed_) {
    for (const Choice& choice : *listed_)
      if (!visit(choice)) return;
    return;
  }
  Choice choice(parameters_.size(), 0);
  const ExpressionNames names = [&](std::string_view name) { return find(name, choice); };
  const auto allowed = [&](std::size_t p) {
    return std::ranges::all_of(restrictions_after_[p],
                               [&](auto r) { return restrictions_[r].expression.evaluate(names).truth(); });
  };
  // An odometer that is stopped at the first wheel whose restrictions do not hold.
  std::size_t p = 0;
  for (std::int64_t steps = 0;; ++steps) {
    if (steps > most_steps)
      refuse_space("the space is too large to enumerate",
                   wording::format("give {} of a parameter, or fewer values", wording::option("kernel.defines")));
    if ((steps & 0xffff) == 0) base::throw_if_interrupted();
    if (choice[p] < parameters_[p].values.size()) {
      if (!allowed(p)) {
        ++choice[p];
      } else if (p + 1 < parameters_.size()) {
        choice[++p] = 0;
      } else {
        if (!visit(choice)) return;
        ++choice[p];
      }
    } else {
      if (p == 0) return;
      ++choice[--p];
    }
  }
}

Dim3 TuningProblem::block_of(const ExpressionNames& names) const {
  Dim3 block{1, 1, 1};
  if (block_.empty() && !names(usual_blocks[0]))  // blocks of one thread are hardly what is meant
    refuse_space("it does not say how many threads a block has: there is neither LocalSize nor block_size_x",
                 wording::format("add one, or give {}; Kernel Tuner's own is 256", wording::option("block")));
  for (std::size_t d = 0; d < 3; ++d) {
    if (!block_.empty())
      block[d] = block_[d].whole_number(names, 1);
    else if (names(usual_blocks[d]))
      block[d] = Expression(usual_blocks[d]).whole_number(names, 1);
  }
  return block;
}

Dim3 TuningProblem::grid_of(const ExpressionNames& names, const Dim3& block) const {
  Dim3 grid{1, 1, 1};
  const auto up = [](std::int64_t n, std::int64_t by) { return (n + by - 1) / by; };
  if (!grid_.empty()) {
    for (std::size_t d = 0; d < 3; ++d) {
      grid[d] = grid_[d].whole_number(names, 1);
      if (grid_in_threads_) grid[d] = up(grid[d], block[d]);
    }
    return grid;
  }
  if (problem_.list.empty())
    refuse_space("it gives neither ProblemSize nor GlobalSize", "add one, or give " + wording::option("grid"));
  const bool divided = std::ranges::any_of(divide_, [](const auto& d) { return !d.empty(); });
  for (std::size_t d = 0; d < std::min<std::size_t>(3, problem_.list.size()); ++d) {
    const auto size = Expression(problem_.list[d].written()).whole_number(names, 1);
    // Without divisors blocks cover the problem, one thread an element.
    std::int64_t divisor = divided ? 1 : block[d];
    for (const auto& e : divide_[d])
      if (__builtin_mul_overflow(divisor, e.whole_number(names, 1), &divisor))
        refuse_space("a grid divisor is too large");
    // As Kernel Tuner has it, what no divisor is given for is divided by its block. A direction of the problem that
    // nothing divides is no direction of the grid (the depth of a matrix product).
    const bool undivided = divided && divide_[d].empty(), by_block = undivided && names(usual_blocks[d]) != nullptr;
    if (by_block) divisor = Expression(usual_blocks[d]).whole_number(names, 1);
    grid[d] = undivided && !by_block ? 1 : up(size, divisor);
  }
  return grid;
}

TuningRow TuningProblem::row(std::span<const std::uint16_t> choice) const {
  const ExpressionNames names = [&](std::string_view name) { return find(name, choice); };
  TuningRow row;
  row.kernel = kernel_;
  row.block = block_of(names);
  row.grid = grid_of(names, row.block);
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    row.defines.push_back(fmt::format("{}={}", parameters_[p].name, value(choice, p).written()));
  row.defines.insert(row.defines.end(), macros_.begin(), macros_.end());
  return row;
}
}  // namespace sparsecast::gpu_code
