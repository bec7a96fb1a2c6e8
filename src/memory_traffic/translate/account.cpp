#include "memory_traffic/translate/statement_translator.hpp"

#include <fmt/format.h>

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
  if (!entry.loads.empty() || !entry.stores.empty() || entry.analyses.empty())
    text = fmt::format("[{}, {}, 0, 0, 0, 0, 0, {}]", signed_sum(entry.loads), signed_sum(entry.stores),
                       entry.turn ? 1 : 0);
  for (const std::string& analysis : entry.analyses)
    text += (text.empty() ? sign : entry.subtract ? " - " : " + ") + analysis;
  return text;
}

std::string on_one_line(const std::vector<std::string>& code) { return fmt::format("{}", fmt::join(code, " ")); }

// Nothing but blanks and a comment up to the end of the line.
bool line_is_over(const SourceText& source, std::size_t at) {
  at = source.text().find_first_not_of(" \t\r", at);
  return at == std::string_view::npos || std::string_view("\n%#").find(source.text()[at]) != std::string_view::npos;
}
}  // namespace

void Account::add(Entry entry) {
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

void Edits::replace(std::size_t begin, std::size_t end, std::string text) {
  edits_.push_back({begin, end, std::move(text)});
}

void Edits::before(const Statement& statement, const std::vector<std::string>& code) {
  if (code.empty()) return;
  const std::size_t at = statement.begin;
  std::string text;
  if (source_.starts_line(at)) {
    const std::string indent = source_.indentation(at);
    for (const std::string& line : code) text.append(line).append("\n").append(indent);
  } else {
    text = on_one_line(code) + " ";
  }
  edits_.push_back({at, at, text});
}

void Edits::after(const Statement& statement, const std::vector<std::string>& code) {
  if (code.empty()) return;
  if (line_is_over(source_, statement.after)) {
    const std::size_t at = source_.line_end(statement.after);
    const std::string indent = source_.indentation(statement.begin);
    std::string text;
    for (const std::string& line : code) text.append("\n").append(indent).append(line);
    edits_.push_back({at, at, text});
  } else {
    // "if x, y end": y shows its value, so its separator must stay a comma.
    const std::string separator = statement.terminated || statement.kind == StatementKind::directive ? " " : ", ";
    edits_.push_back({statement.after, statement.after, separator + on_one_line(code)});
  }
}

void Edits::at_begin(const Block& block, const std::vector<std::string>& code) {
  if (code.empty()) return;
  if (!block.statements.empty()) return before(block.statements.front(), code);
  edits_.push_back({block.begin, block.begin, fmt::format("\n{}\n", on_one_line(code))});
}

void Edits::add_else(const Block& last_branch, const std::vector<std::string>& code) {
  if (code.empty()) return;
  const std::size_t at = last_branch.end;
  std::string text;
  if (source_.starts_line(at)) {
    const std::string indent = source_.indentation(at);
    text = "else\n";
    for (const std::string& line : code) text.append(indent).append("  ").append(line).append("\n");
    text += indent;
  } else {
    text = "else, " + on_one_line(code) + " ";
  }
  edits_.push_back({at, at, text});
}

Edits::Result Edits::apply() const {
  std::vector<Edit> ordered = edits_;
  // An insertion goes before a replacement that begins at the same place.
  std::stable_sort(ordered.begin(), ordered.end(), [](const Edit& a, const Edit& b) {
    return a.begin != b.begin ? a.begin < b.begin : (a.end == a.begin) > (b.end == b.begin);
  });
  Result result;
  result.source_lines.push_back(1);
  const auto append = [&](std::string_view text, std::size_t offset, bool original) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      result.text += text[i];
      if (text[i] == '\n') result.source_lines.push_back(source_.line(original ? offset + i + 1 : offset));
    }
  };
  std::size_t at = 0;
  for (const Edit& edit : ordered) {
    append(source_.slice(at, edit.begin), at, true);
    append(edit.text, edit.begin, false);
    at = edit.end;
  }
  append(source_.slice(at, source_.size()), at, true);
  return result;
}
}  // namespace sparsecast::memory_traffic
