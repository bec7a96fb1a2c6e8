#include "pages/sections/side_by_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "base/text.hpp"
#include "pages/picture.hpp"
#include "pages/table.hpp"

namespace sparsecast::pages {
namespace {

// Where documents of a schema hold times: in which list, what names an entry, the time and its interval.
struct TimesOf {
  const char* schema;
  const char* title;
  const char* list;
  std::vector<const char*> keys;
  const char* seconds;
  const char *low, *high;  // null where only a relative spread is told
  const char* spread;
};

const std::vector<TimesOf>& known_times() {
  static const std::vector<TimesOf> table{
      {"predict", "Forecasts", "forecasts", {"kernel", "model"}, "seconds", "low_s", "high_s", nullptr},
      {"measure", "Measured times", "measurements", {"kernel"}, "seconds", "low_s", "high_s", nullptr},
      {"evaluate", "Measured times", "cases", {"matrix", "kernel"}, "measured_s", nullptr, nullptr, "spread"},
      {"evaluate", "Forecasts", "cases", {"matrix", "kernel", "model"}, "predicted_s", "low_s", "high_s", nullptr},
      {"evaluate", "Mean errors", "summary", {"kernel", "model"}, "mean_error", nullptr, nullptr, nullptr},
      {"optimize", "Single kernels", "singles", {"kernel"}, "seconds", nullptr, nullptr, nullptr},
      {"optimize", "Single kernels, measured", "singles", {"kernel"}, "measured_s", nullptr, nullptr, nullptr},
      {"compare", "Machines", "ranking", {"device"}, "seconds", "low_s", "high_s", nullptr},
      {"cluster-predict",
       "Forecasts",
       "forecasts",
       {"way", "format", "processes", "model"},
       "seconds",
       nullptr,
       nullptr,
       nullptr},
      {"cluster-measure",
       "Measured times",
       "measurements",
       {"way", "format", "processes"},
       "seconds",
       "low_s",
       "high_s",
       nullptr},
      {"traffic", "Loaded bytes", "regions", {"name"}, "wsl_bytes", nullptr, nullptr, nullptr},
      {"traffic", "Times", "regions", {"name"}, "seconds", nullptr, nullptr, nullptr},
      {"kernel", "Times by model", "estimates", {"model"}, "seconds", nullptr, nullptr, nullptr}};
  return table;
}

// Documents with lists of documents, as pages and "predictions" are, taken apart: each as {schema's name, document}.
void take_apart(const Json& document, std::vector<std::pair<std::string, const Json*>>& out, bool outermost = true) {
  const std::string schema = schema_name(document);
  if (schema == "page") {
    if (!outermost) return;
    for (const Json& inner : list(document, "documents")) take_apart(inner, out, false);
    return;
  }
  const auto several = [&](const char* name, const char* of) {
    for (const Json& inner : list(document, name)) out.emplace_back(of, &inner);
  };
  if (schema == "predictions") return several("predictions", "predict");
  if (schema == "measures") return several("measures", "measure");
  if (schema == "compare") return several("matrices", "compare");
  if (!schema.empty()) out.emplace_back(schema, &document);
}

// Of a matrix where a document is about one; two documents speak of the same where this is equal.
std::string subject_of(const Json& document, const std::string& schema) {
  if (schema == "compare") return text(document, "name");
  if (schema == "traffic") return {};  // two versions of a program have two names
  const Json& matrix = member(document, "matrix");
  return matrix.is_object() ? text(matrix, "name") : text(document, "matrix");
}

std::string key_of(const Json& entry, const std::vector<const char*>& keys) {
  std::string out;
  for (const char* key : keys) {
    const auto value = number(entry, key);
    const std::string part = value ? shown(*value, Unit::count) : text(entry, key);
    if (!part.empty()) out += (out.empty() ? "" : ", ") + part;
  }
  return out;
}

struct Interval {
  double value, low, high;
  bool known;  // whether the document tells an interval
};

std::optional<Interval> interval_of(const Json& entry, const TimesOf& times) {
  const auto value = number(entry, times.seconds);
  if (!value || !(*value > 0)) return {};
  Interval out{*value, *value, *value, false};
  const auto set = [&](double low, double high) {
    out = {*value, std::min(*value, low), std::max(*value, high), low > 0};
  };
  if (times.low != nullptr)
    if (const auto low = number(entry, times.low), high = number(entry, times.high); low && high) set(*low, *high);
  if (times.spread != nullptr)  // a median absolute deviation: twice that much of normal noise is a little over 80 %
    if (const auto spread = number(entry, times.spread))
      set(*value * std::max(0.01, 1 - 2 * *spread), *value * (1 + 2 * *spread));
  return out;
}

struct Change {
  std::string key;
  Interval before, after;
  [[nodiscard]] double ratio() const { return after.value / before.value; }
  [[nodiscard]] double low() const { return after.low / before.high; }
  [[nodiscard]] double high() const { return after.high / before.low; }
  [[nodiscard]] std::string verdict(const char* less, const char* more) const {
    if (before.known && after.known && low() <= 1 && high() >= 1) return "within the noise";
    return ratio() == 1 ? "the same" : ratio() < 1 ? less : more;
  }
};

struct Paired {
  std::vector<Change> changes;
  std::vector<std::string> only_before, only_after;
};

Paired pair_up(const Json& before, const Json& after, const TimesOf& times) {
  std::map<std::string, Interval> old;
  Paired out;
  for (const Json& entry : list(before, times.list))
    if (const auto interval = interval_of(entry, times)) old.emplace(key_of(entry, times.keys), *interval);
  std::map<std::string, bool> seen;
  for (const Json& entry : list(after, times.list)) {
    const auto interval = interval_of(entry, times);
    const std::string key = key_of(entry, times.keys);
    if (!interval || !seen.emplace(key, true).second) continue;
    const auto found = old.find(key);
    if (found == old.end()) {
      out.only_after.push_back(key);
    } else {
      out.changes.push_back({key, found->second, *interval});
    }
  }
  for (const auto& entry : old)
    if (!seen.contains(entry.first)) out.only_before.push_back(entry.first);
  return out;
}

Element changes_table(const Paired& paired, const TimesOf& times, const std::string& id, const std::string& caption) {
  const std::string_view name = times.seconds;
  const bool bytes = name.ends_with("bytes"), share = name.ends_with("error");
  const Unit unit = bytes ? Unit::bytes : share ? Unit::share : Unit::seconds;
  const char *less = bytes || share ? "less" : "faster", *more = bytes || share ? "more" : "slower";
  std::vector<double> ratios{0.9, 1.1};
  for (const Change& change : paired.changes)
    for (const double ratio : {change.ratio(), change.low(), change.high()}) ratios.push_back(ratio);
  const Track track(Scale::logarithmic(ratios, Unit::ratio));
  Table table(id, caption,
              {{"key", "of", Unit::plain, true},
               {"", "after over before", Unit::plain, false, "", track.axis(), true},
               {"before", "before", unit},
               {"after", "after", unit},
               {"ratio", "ratio", Unit::ratio, false, "after over before: below 1 is less"},
               {"ratio_low", "from", Unit::ratio, false, "if both ends of the intervals go against each other"},
               {"ratio_high", "to", Unit::ratio},
               {"verdict", "", Unit::plain, true}});
  for (const Change& change : paired.changes) {
    const bool known = change.before.known && change.after.known;
    const auto end = [&](double value) { return known ? std::optional<double>(value) : std::nullopt; };
    table.add({change.key,
               track.row({change.ratio(), end(change.low()), end(change.high())}, {},
                         fmt::format("{}: {} instead of {}, {:.3g} ×", change.key, shown(change.after.value, unit),
                                     shown(change.before.value, unit), change.ratio())),
               change.before.value, change.after.value, change.ratio(), end(change.low()), end(change.high()),
               change.verdict(less, more)},
              change.verdict("less", "more"));
  }
  return table.element();
}

Element changes_answer(const Paired& paired) {
  double logarithms = 0;
  std::map<std::string, int> verdicts;
  for (const Change& change : paired.changes) {
    logarithms += std::log(change.ratio());
    ++verdicts[change.verdict("below", "above")];
  }
  const auto cases = static_cast<double>(paired.changes.size());
  return Element("p", "answer")
      .add("strong", shown(std::exp(logarithms / cases), Unit::ratio))
      .text(fmt::format(" in the geometric mean of {}: {} lower, {} higher, {} within the noise{}.",
                        shown(cases, Unit::count), verdicts["below"], verdicts["above"], verdicts["within the noise"],
                        verdicts["the same"] > 0 ? fmt::format(", {} the same", verdicts["the same"]) : ""));
}

}  // namespace

std::vector<ComparedPart> comparison(const Json& before, const Json& after) {
  std::vector<std::pair<std::string, const Json*>> old, now;
  take_apart(before, old);
  take_apart(after, now);
  std::vector<ComparedPart> out;
  for (const auto& [schema, document] : now) {
    const std::string subject = subject_of(*document, schema);
    const std::string& wanted = schema;  // a structured binding cannot be captured everywhere
    const auto match = std::ranges::find_if(
        old, [&](const auto& entry) { return entry.first == wanted && subject_of(*entry.second, wanted) == subject; });
    if (match == old.end()) continue;
    for (const TimesOf& times : known_times()) {
      if (schema != times.schema) continue;
      const Paired paired = pair_up(*match->second, *document, times);
      if (paired.changes.empty()) continue;
      const std::string title = subject.empty() ? times.title : fmt::format("{}: {}", subject, times.title);
      const std::string id = fmt::format("changes{}", out.size());
      Element section("section");
      section.with("id", id + "-top").add("h2", title).add(changes_answer(paired));
      section.add(changes_table(paired, times, id, title));
      if (!paired.only_before.empty())
        section.add(Element("p", "note").text(fmt::format("Only before: {}", fmt::join(paired.only_before, "; "))));
      if (!paired.only_after.empty())
        section.add(Element("p", "note").text(fmt::format("Only after: {}", fmt::join(paired.only_after, "; "))));
      out.push_back({id + "-top", title, section});
    }
  }
  if (out.empty())
    throw Error(ErrorCode::bad_input, "the two documents have no times in common", {},
                "compare two documents of one command, about the same matrices");
  return out;
}

}  // namespace sparsecast::pages
