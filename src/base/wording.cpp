// Wording: what a text with marks says in a voice, and what each front end taught it.

#include "fields/wording.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>

#include "base/text.hpp"

namespace sparsecast::wording {
namespace {
// ---- marks

enum class Sort : char { option = 'o', ask = 'a', call = 'c', command = 'k' };

// What one mark stands for. Of an option the question may be empty, and there is one argument.
struct Meaning {
  Sort sort = Sort::option;
  std::string question;
  std::vector<Argument> arguments;
};

Text mark(Sort sort, std::string_view question, const std::vector<Argument>& arguments) {
  std::string marked{mark_begin, static_cast<char>(sort)};
  marked += Marks::escaped(question);
  for (const auto& [field, value] : arguments) {
    marked += mark_between + Marks::escaped(field) + mark_between + static_cast<char>(value.kind);
    marked += Marks::escaped(value.text) + mark_between + Marks::escaped(value.in_code);
  }
  return Marks::text(marked + mark_end);
}

// `inside`: between the begin and the end of a mark. Nothing where it is none: another process's file may be damaged.
std::optional<Meaning> meaning_of(std::string_view inside) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= inside.size();) {
    const std::size_t end = std::min(inside.find(mark_between, at), inside.size());
    parts.emplace_back(inside.substr(at, end - at));
    at = end + 1;
  }
  if (parts.front().empty() || parts.size() % 3 != 1) return std::nullopt;
  Meaning meaning{static_cast<Sort>(parts.front()[0]), parts.front().substr(1), {}};
  for (std::size_t k = 1; k + 2 < parts.size(); k += 3) {
    if (parts[k + 1].empty()) return std::nullopt;
    Value value;
    value.kind = static_cast<Value::Kind>(parts[k + 1][0]);
    value.text = parts[k + 1].substr(1);
    value.in_code = parts[k + 2];
    meaning.arguments.push_back({parts[k], std::move(value)});
  }
  const bool named = meaning.sort == Sort::option ? !meaning.arguments.empty() : !meaning.question.empty();
  return named ? std::optional(std::move(meaning)) : std::nullopt;
}

// ---- vocabularies

struct Taught {
  std::function<Vocabulary()> make;
  std::shared_ptr<const Vocabulary> made = std::make_shared<const Vocabulary>();
};

std::mutex mutex_of_taught;
std::array<Taught, 4>& all_taught() {
  static auto* const all = new std::array<Taught, 4>;  // errors are worded while the program ends, too
  return *all;
}

std::shared_ptr<const Vocabulary> vocabulary_of(Voice voice) {
  static thread_local bool making = false;  // what is worded meanwhile goes by the rule
  Taught& taught = all_taught()[static_cast<std::size_t>(voice)];
  std::function<Vocabulary()> make;
  {
    const std::lock_guard lock(mutex_of_taught);
    if (!taught.make || making) return taught.made;
    make = taught.make;
  }
  struct Making {
    Making() { making = true; }
    ~Making() { making = false; }
  };
  const auto made = [&] {
    const Making meanwhile;
    return std::make_shared<const Vocabulary>(make());
  }();
  const std::lock_guard lock(mutex_of_taught);
  taught.make = nullptr;
  return taught.made = made;
}

// The idiom of a question's field (empty: of the question itself) and value (empty: of the field's name). One of that
// very question goes before one of any; where the question is not told, that of whichever question has one.
const std::string* idiom(const Vocabulary& of, std::string_view question, std::string_view field,
                         std::string_view value) {
  const std::string* general = nullptr;
  const std::string* other = nullptr;
  for (const Idiom& one : of.idioms) {
    if (one.field != field || one.value != value) continue;
    if (one.question == question) return &one.words;
    if (one.question.empty() && general == nullptr) general = &one.words;
    if (question.empty() && other == nullptr) other = &one.words;
  }
  return general != nullptr ? general : other;
}

bool has(const Vocabulary& of, const Meaning& meaning) {
  if (of.questions.empty()) return true;
  const auto found = of.questions.find(meaning.question);
  return found != of.questions.end() && std::ranges::all_of(meaning.arguments, [&](const Argument& one) {
           return one.field == "json" || found->second.contains(one.field);
         });
}

// ---- words

std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += (c == '"' || c == '\\' ? std::string("\\") : std::string()) + c;
  return quoted + '"';
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
}

// A placeholder, or a text: FILE is a variable of the reader's, "a.mtx" what it says.
std::string text_in_code(std::string_view text) {
  if (!is_name(text)) return in_quotes(text);
  std::string name;
  for (const char c : text) name += c == '_' ? c : static_cast<char>(c - 'A' + 'a');
  return name;
}

std::string value_in_shell(const Value& value) {
  switch (value.kind) {
    case Value::Kind::placeholder: return value.text;
    case Value::Kind::entry: return base::shell_word(value.text + "=" + value.in_code);
    default: return base::shell_word(value.text);
  }
}

std::string value_in_code(const Value& value, Voice voice) {
  const bool python = voice == Voice::python, c = voice == Voice::c;
  switch (value.kind) {
    case Value::Kind::truth:
      return python ? (value.text == "true" ? "True" : "False") : c ? (value.text == "true" ? "1" : "0") : value.text;
    case Value::Kind::text: return in_quotes(value.text);
    case Value::Kind::word: return python || c ? in_quotes(value.text) : value.in_code;
    case Value::Kind::placeholder: return text_in_code(value.text);
    case Value::Kind::entry:
      return fmt::format(fmt::runtime(python ? "{{{}: {}}}" : "{{{{{}, {}}}}}"), text_in_code(value.text),
                         text_in_code(value.in_code));
    default: return value.text;
  }
}

std::string named_in_shell(const Vocabulary& own, std::string_view question, const Argument& argument) {
  const auto& [field, value] = argument;
  if (const auto* said = value.text.empty() ? nullptr : idiom(own, question, field, value.text)) return *said;
  const std::string* called = idiom(own, question, field, {});
  std::string name = called != nullptr ? *called : "--" + base::replaced(field, "_", "-");
  if (value.kind == Value::Kind::truth) return value.text == "true" ? name : "";  // a flag is typed or not
  if (value.kind != Value::Kind::nothing)
    return name.empty() ? value_in_shell(value) : name + " " + value_in_shell(value);
  std::string positional = field;
  for (char& c : positional)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return name.empty() ? positional : name;
}

// `within` a question's brackets.
std::string named_in_code(const Vocabulary& own, Voice voice, std::string_view question, const Argument& argument,
                          bool within) {
  const auto& [field, value] = argument;
  if (const auto* said = value.text.empty() ? nullptr : idiom(own, question, field, value.text)) return *said;
  const std::string* called = idiom(own, question, field, {});
  std::string name = called != nullptr ? *called : field;
  if (voice == Voice::library && !within && value.kind == Value::Kind::truth && value.text == "true") return name;
  const bool flag = value.kind == Value::Kind::nothing && own.flags.contains(field);
  if (value.kind == Value::Kind::nothing && !flag) return name;
  std::string set_to = value_in_code(flag ? Value(true) : value, voice);
  if (name.empty()) return set_to;
  return (voice == Voice::library && within ? "." : "") + name + (voice == Voice::python ? "=" : " = ") + set_to;
}

std::string as_command(const Meaning& meaning) {
  const std::shared_ptr<const Vocabulary> own = vocabulary_of(Voice::command_line);
  const std::string* called = idiom(*own, meaning.question, {}, {});
  std::string line = "sparsecast " + (called != nullptr ? *called : meaning.question);
  for (const Argument& one : meaning.arguments)
    if (const std::string words = named_in_shell(*own, meaning.question, one); !words.empty()) line += ' ' + words;
  return meaning.sort == Sort::call ? line : '`' + line + '`';
}

std::string as_call(const Vocabulary& own, Voice voice, const Meaning& meaning) {
  const std::string* called = idiom(own, meaning.question, {}, {});
  std::string name = called != nullptr ? *called : meaning.question, list;
  for (const Argument& one : meaning.arguments) {
    const std::string words =
        one.field == "json" ? "" : named_in_code(own, voice, meaning.question, one, /*within=*/true);
    if (!words.empty()) list += (list.empty() ? "" : ", ") + words;
  }
  switch (voice) {
    case Voice::python: return "sparsecast." + (name.ends_with(')') ? name : name + '(' + list + ')');
    case Voice::c: return "sparsecast_" + name + "()" + (list.empty() ? "" : " with " + list);
    default: return name + '(' + (list.empty() ? "" : '{' + list + '}') + ')';
  }
}

std::string words_of(const Meaning& meaning, Voice voice) {
  const std::shared_ptr<const Vocabulary> own = vocabulary_of(voice);
  if (meaning.sort == Sort::option)
    return voice == Voice::command_line
               ? named_in_shell(*own, meaning.question, meaning.arguments.front())
               : named_in_code(*own, voice, meaning.question, meaning.arguments.front(), /*within=*/false);
  if (voice == Voice::command_line || meaning.sort == Sort::command || !has(*own, meaning)) return as_command(meaning);
  return as_call(*own, voice, meaning);
}
}  // namespace

std::string Marks::escaped(std::string_view plain) {
  std::string out;
  out.reserve(plain.size());
  for (const char c : plain)
    if (c == mark_begin || c == mark_between || c == mark_end)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  return out;
}

Text::Text(std::string plain) : marked_(std::move(plain)) {
  constexpr char marks[] = {mark_begin, mark_between, mark_end, 0};
  if (marked_.find_first_of(marks) != std::string::npos) marked_ = Marks::escaped(marked_);
}
Text::Text(std::string_view plain) : Text(std::string(plain)) {}
Text::Text(const char* plain) : Text(std::string(plain)) {}

Text& Text::operator+=(const Text& then) {
  marked_ += then.marked_;
  return *this;
}

std::string Text::in(Voice voice) const {
  std::string out;
  for (std::size_t at = 0; at < marked_.size();) {
    const std::size_t begin = std::min(marked_.find(mark_begin, at), marked_.size());
    out += std::string_view(marked_).substr(at, begin - at);
    if (begin == marked_.size()) break;
    const std::size_t end = std::min(marked_.find(mark_end, begin), marked_.size());
    const std::optional<Meaning> meaning = meaning_of(std::string_view(marked_).substr(begin + 1, end - begin - 1));
    if (meaning) out += words_of(*meaning, voice);
    at = end + 1;
  }
  return out;
}

Value placeholder(std::string_view words) {
  Value value = words;
  value.kind = Value::Kind::placeholder;
  return value;
}

Value word(std::string_view word, std::string_view enumerator) {
  Value value = word;
  value.kind = Value::Kind::word;
  value.in_code = enumerator;
  return value;
}

Value entry(std::string_view key, std::string_view value) {
  Value made = key;
  made.kind = Value::Kind::entry;
  made.in_code = value;
  return made;
}

Text option(std::string_view field, const Value& value) {
  const std::size_t dot = std::min(field.find('.'), field.size());
  if (dot == field.size()) return mark(Sort::option, {}, {{std::string(field), value}});
  return mark(Sort::option, field.substr(0, dot), {{std::string(field.substr(dot + 1)), value}});
}

Text ask(std::string_view question, const std::vector<Argument>& arguments) {
  return mark(Sort::ask, question, arguments);
}
Text call(std::string_view question, const std::vector<Argument>& arguments) {
  return mark(Sort::call, question, arguments);
}
Text command(std::string_view name, const std::vector<Argument>& arguments) {
  return mark(Sort::command, name, arguments);
}

void teach(Voice voice, std::function<Vocabulary()> vocabulary) {
  const std::lock_guard lock(mutex_of_taught);
  all_taught()[static_cast<std::size_t>(voice)].make = std::move(vocabulary);
}
}  // namespace sparsecast::wording
