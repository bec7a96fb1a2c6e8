#pragma once
// A tuning problem as the tuners' public format has it (T1: parameters, restrictions, problem size, block and grid by
// expressions), or as a Kernel Tuner cache tells it, and its space of configurations: walked without listing what the
// restrictions shut out, or those that the file lists.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu_code/space/expression.hpp"
#include "gpu_code/tuning_table.hpp"

namespace sparsecast::gpu_code {
struct TuningParameter {
  std::string name;
  std::vector<ExpressionValue> values;
};

/// One configuration: the number of the value of every parameter.
using Choice = std::vector<std::uint16_t>;

/// What the command line adds to a file.
struct ProblemSettings {
  std::string kernel;                ///< instead of the file's
  std::vector<std::string> defines;  ///< NAME=VALUE: of a parameter the only value, else a macro
  std::string grid, block;           ///< expressions by commas, instead of the file's
};

class TuningProblem {
 public:
  /// Error bad_input naming the file and what is wrong in it; usage where a setting does not fit.
  TuningProblem(const std::filesystem::path& file, const ProblemSettings& settings);
  /// The same of a file's text, called `name` in messages.
  TuningProblem(const std::string& text, const std::string& name, const ProblemSettings& settings);

  [[nodiscard]] const std::string& kernel() const { return kernel_; }
  [[nodiscard]] const std::vector<TuningParameter>& parameters() const { return parameters_; }
  /// A list; empty where the file has none.
  [[nodiscard]] const ExpressionValue& problem_size() const { return problem_; }
  /// Scalar arguments that the file gives: NAME, value.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& scalars() const { return scalars_; }

  /// Calls `visit` for every configuration that the restrictions allow, the last parameter fastest, until it says no.
  /// Where the file lists configurations these alone. Error bad_input where after so many steps there is more to look
  /// through.
  void walk(const std::function<bool(std::span<const std::uint16_t>)>& visit,
            std::int64_t most_steps = 100'000'000) const;
  /// What the space is made of, in one line of text that changes where the space does.
  [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }

  /// The configuration as a row of a table: kernel, launch, macros, arguments. Error bad_input where an expression has
  /// no value.
  [[nodiscard]] TuningRow row(std::span<const std::uint16_t> choice) const;
  [[nodiscard]] const ExpressionValue& value(std::span<const std::uint16_t> choice, std::size_t parameter) const {
    return parameters_[parameter].values[choice[parameter]];
  }

 private:
  struct Restriction {
    Expression expression;
    std::size_t after = 0;  ///< the last parameter that it reads
  };
  void read(const nlohmann::json& document, const ProblemSettings& settings);
  void list(const nlohmann::json& configurations);
  [[nodiscard]] bool allows(const Choice& choice) const;
  void pin(const std::vector<std::string>& defines);
  void place_restrictions();
  [[nodiscard]] const ExpressionValue* find(std::string_view name, std::span<const std::uint16_t> choice) const;
  [[nodiscard]] Dim3 block_of(const ExpressionNames& names) const;
  [[nodiscard]] Dim3 grid_of(const ExpressionNames& names, const Dim3& block) const;

  std::string kernel_, fingerprint_;
  std::vector<TuningParameter> parameters_;
  std::vector<Restriction> restrictions_;
  std::vector<std::vector<std::size_t>> restrictions_after_;
  std::optional<std::vector<Choice>> listed_;  ///< configurations that the file has, where it lists them
  ExpressionValue problem_;
  std::vector<Expression> block_, grid_;           ///< x, y, z
  std::array<std::vector<Expression>, 3> divide_;  ///< of the problem, by direction
  bool grid_in_threads_ = false;
  std::vector<std::string> macros_;
  std::vector<std::pair<std::string, std::string>> scalars_;
};
}  // namespace sparsecast::gpu_code
