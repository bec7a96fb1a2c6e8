#include "forecast/machines/code_numbers.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <sparsecast/error.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/embedded.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace sparsecast::embedded {
std::span<const File> gpu_code();  ///< profiles/gpu-code.tsv
}

namespace sparsecast::forecast {
namespace {
struct CodeTable {
  std::map<std::tuple<int, std::string, Precision>, CodeNumbers> rows;
  std::vector<int> architectures;  ///< compute capability × 10, ascending
};

// architecture function precision, then the members of CodeNumbers in order, then whose order it is; lines with # tell
// of the table.
CodeTable read_table(const embedded::File& file) {
  CodeTable table;
  bool head = true;
  for (const std::string_view line : base::split(file.text, '\n')) {
    if (line.empty() || line.starts_with('#') || std::exchange(head, false)) continue;
    const auto cells = base::split(line, '\t');
    std::vector<double> numbers;
    for (const std::string_view cell : cells)
      if (const auto number = base::number_in<double>(cell)) numbers.push_back(*number);
    if (cells.size() != 10 || numbers.size() != 7)
      throw Error(ErrorCode::failed, fmt::format("no row of numbers of code: {}", line), {std::string(file.name)});
    const int architecture = static_cast<int>(numbers[0]);
    const Precision precision = cells[2] == "single" ? Precision::single_ : Precision::double_;
    table.rows[{architecture, std::string(cells[1]), precision}] = {numbers[1], numbers[2], numbers[3],
                                                                    numbers[4], numbers[5], numbers[6]};
    if (table.architectures.empty() || table.architectures.back() != architecture)
      table.architectures.push_back(architecture);
  }
  return table;
}

const CodeTable& code_table() {
  static const CodeTable table = read_table(embedded::gpu_code()[0]);
  return table;
}

int architecture_of(double capability) {
  int found = 0;
  for (const int architecture : code_table().architectures)
    if (architecture <= 10 * capability + 0.5) found = architecture;
  return found;
}
}  // namespace

double code_capability(double capability) { return static_cast<double>(architecture_of(capability)) / 10; }

const CodeNumbers* code_numbers(std::string_view function, Precision precision, double capability) {
  const int architecture = architecture_of(capability);
  if (architecture == 0) return nullptr;
  const auto found = code_table().rows.find({architecture, std::string(function), precision});
  if (found == code_table().rows.end())
    throw Error(ErrorCode::failed, fmt::format("profiles/gpu-code.tsv has no {}", function));
  return &found->second;
}
}  // namespace sparsecast::forecast
