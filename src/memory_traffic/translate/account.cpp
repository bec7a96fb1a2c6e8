#include "memory_traffic/translate/account.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <utility>

#include "memory_traffic/counters/counter_layout.hpp"

namespace sparsecast::memory_traffic {
namespace {
std::string sum(const std::vector<Term>& terms) {
  // Constants first, added up: "16 + slm_x".
  long constant = 0;
  std::string text;
  for (const Term& term : terms) {
    if (term.text.find_first_not_of("0123456789") == std::string::npos)
      constant += std::stol(term.text);
    else
      text += (text.empty() ? "" : " + ") + term.text;
  }
  if (text.empty()) return std::to_string(constant);
  return constant == 0 ? text : std::to_string(constant) + " + " + text;
}

std::string row(const Entry& entry) {
  const std::string sign = entry.subtract ? "-" : "";
  const auto signed_sum = [&](const std::vector<Term>& terms) {
    const std::string text = sum(terms);
    return entry.subtract && text != "0" ? "-(" + text + ")" : text;
  };
  std::string text;
  if (!entry.loads.empty() || !entry.stores.empty() || entry.analyses.empty()) {
    std::array<std::string, counter_count> columns;
    columns.fill("0");
    const auto column = [&](Counter counter) -> std::string& { return columns[static_cast<std::size_t>(counter)]; };
    column(Counter::loads) = signed_sum(entry.loads);
    column(Counter::stores) = signed_sum(entry.stores);
    if (entry.turn) column(Counter::turns) = entry.subtract ? "-1" : "1";
    text = fmt::format("[{}]", fmt::join(columns, ", "));
  }
  for (const std::string& analysis : entry.analyses)
    text += (text.empty() ? sign : entry.subtract ? " - " : " + ") + analysis;
  return text;
}
}  // namespace

void Account::add(Entry entry) {
  // In front of the entry itself: the newest one is asked for what it stores (before_resize).
  for (const std::size_t slot : std::exchange(entry.calls, {})) {
    Entry& call = pending_.emplace_back();
    call.slot = slot;
    call.turn = true;
    call.subtract = entry.subtract;
  }
  entry.unanalysed.clear();
  if (!entry.empty()) pending_.push_back(std::move(entry));
}

bool Account::urgent() const {
  // A program of a hundred thousand statements in a row is not looked through for each of them.
  constexpr std::size_t most_pending = 1000;
  if (pending_.size() >= most_pending) return true;
  return std::ranges::any_of(pending_, [](const Entry& entry) {
    return std::ranges::any_of(entry.loads, &Term::now) || std::ranges::any_of(entry.stores, &Term::now);
  });
}

std::vector<std::string> Account::before_resize(const std::string& variable, bool newest_stores_it) {
  const std::string now = "slm_" + variable, old = "slm_was_" + variable;
  Entry newest;
  if (newest_stores_it && !pending_.empty()) {
    newest.slot = pending_.back().slot;
    newest.stores.swap(pending_.back().stores);
  }
  bool used = false, kept = false, plain = true;
  std::vector<Term*> affected;
  for (Entry& entry : pending_)
    for (auto* terms : {&entry.loads, &entry.stores})
      for (Term& term : *terms) {
        if (term.text == old) kept = true;
        if (term.variable != variable) continue;
        used = true;
        if (term.text != now) plain = false;
        affected.push_back(&term);
      }
  std::vector<std::string> code;
  if (used && plain && !kept) {
    for (Term* term : affected) *term = {old, {}};
    code.push_back(old + " = " + now + ";");
  } else if (used) {
    std::erase_if(pending_, [](const Entry& entry) { return entry.empty(); });
    code = flush();
  }
  if (!newest.stores.empty()) {
    if (!pending_.empty() && pending_.back().slot == newest.slot && !pending_.back().subtract)
      pending_.back().stores.swap(newest.stores);
    else
      pending_.push_back(std::move(newest));
  }
  return code;
}

std::string Account::slot(std::size_t number) const { return fmt::format("{}+{}", base_, number); }

std::vector<std::string> Account::flush() {
  std::vector<std::string> code;
  // Neighbouring rows share one addition.
  for (std::size_t first = 0; first < pending_.size();) {
    std::size_t last = first;
    while (last + 1 < pending_.size() && pending_[last + 1].slot == pending_[last].slot + 1) ++last;
    std::string rows = row(pending_[first]), where = slot(pending_[first].slot);
    for (std::size_t i = first + 1; i <= last; ++i) rows += "; " + row(pending_[i]);
    if (last > first) {
      rows = fmt::format("[{}]", rows);
      where += ":" + slot(pending_[last].slot);
    }
    code.push_back(fmt::format("SLM_count({0}, :) = SLM_count({0}, :) + {1};", where, rows));
    first = last + 1;
  }
  if (numbers_ != nullptr) {
    std::string ids, sizes;
    for (const Entry& entry : pending_)
      for (const Touch& touch : entry.touched) {
        const std::size_t number = numbers_->try_emplace(touch.variable, numbers_->size() + 1).first->second;
        ids += fmt::format("{}{}{}", ids.empty() ? "" : ", ", touch.store ? "-" : "", number);
        sizes += (sizes.empty() ? "slm_" : ", slm_") + touch.variable;
      }
    if (!ids.empty()) code.push_back(fmt::format("SLMtouch({}, [{}], [{}]);", base_, ids, sizes));
  }
  pending_.clear();
  return code;
}
}  // namespace sparsecast::memory_traffic
