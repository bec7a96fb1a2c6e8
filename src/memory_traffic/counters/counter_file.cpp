#include "memory_traffic/counters/counter_file.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <sparsecast/error.hpp>
#include <string_view>

#include "base/files.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace sparsecast::memory_traffic {
namespace {
// One line, column by column.
class CounterLine {
 public:
  CounterLine(std::string_view text, std::string file, std::int64_t number)
      : columns_(base::split(text, '\t')), place_{std::move(file), number, 0} {}

  [[nodiscard]] std::string_view text() {
    if (next_ == columns_.size()) refuse("ends too early");
    return columns_[next_++];
  }
  template <class Number>
  [[nodiscard]] Number number() {
    const std::string_view column = text();
    const std::optional<Number> value = base::number_in<Number>(column);
    if (!value) refuse(fmt::format("holds '{}' where a number is expected", column));
    return *value;
  }
  void numbers(std::span<double> values) {
    for (double& value : values) value = number<double>();
  }
  void end() const {
    if (next_ != columns_.size()) refuse(fmt::format("has {} columns instead of {}", columns_.size(), next_));
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorCode::failed, "the counters were not written completely: this line " + what, place_,
                "check whether the temporary folder's disk is full");
  }

 private:
  std::vector<std::string_view> columns_;
  std::size_t next_ = 0;
  Place place_;
};

void read_region(CounterLine& line, RunCounts& counts) {
  RegionCounts& region = counts.regions[std::string(line.text())];
  region.calls = line.number<double>();
  line.numbers(region.counted.values);
  region.storage_bytes = line.number<double>();
}

void read_slot(CounterLine& line, RunCounts& counts) {
  SlotCounts& slot = counts.slots.emplace_back();
  slot.file = line.text();
  slot.slot = line.number<std::size_t>();
  line.numbers(slot.counted.values);
}

void read_trace(CounterLine& line, RunCounts& counts) {
  const auto region = counts.regions.find(std::string(line.text()));
  if (region == counts.regions.end()) line.refuse("is for a region that did not run");
  for (auto* const reach : {&region->second.load_reach, &region->second.store_reach}) {
    reach->resize(reach_bins);
    line.numbers(*reach);
  }
  for (auto* const of_operands : {&region->second.products, &region->second.product_bytes}) {
    of_operands->resize(most_operands);
    line.numbers(*of_operands);
  }
}

struct LineKind {
  std::string_view word;
  void (*read)(CounterLine&, RunCounts&);
};
constexpr LineKind line_kinds[] = {{"region", read_region}, {"count", read_slot}, {"reach", read_trace}};
constexpr std::string_view last_word = "end";
}  // namespace

RunCounts read_counters(const std::filesystem::path& file) {
  const std::string text = base::read_file(file, {.what = "counters"});
  std::vector<std::string_view> lines = base::split(text, '\n');
  const bool ended = lines.back().empty();  // what stands behind the last line end
  if (ended) lines.pop_back();
  RunCounts counts;
  std::int64_t number = 0;
  for (const std::string_view content : lines) {
    CounterLine line(content, file.string(), ++number);
    const std::string_view word = line.text();
    if (word == last_word) {
      if (line.number<std::int64_t>() != number - 1) line.refuse(fmt::format("comes after {} others", number - 1));
      line.end();
      if (!ended) line.refuse("does not end");
      return counts;
    }
    const auto* const kind = std::ranges::find(line_kinds, word, &LineKind::word);
    if (kind == std::end(line_kinds)) line.refuse("is of an unknown kind");
    kind->read(line, counts);
    line.end();
  }
  throw Error(ErrorCode::failed, "the counters were not written completely: the last line is missing",
              {file.string(), number, 0}, "check whether the temporary folder's disk is full");
}
}  // namespace sparsecast::memory_traffic
