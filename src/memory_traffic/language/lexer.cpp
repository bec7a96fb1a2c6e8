#include "memory_traffic/language/lexer.hpp"

#include <set>
#include <utility>

#include "memory_traffic/language/lexicon.hpp"

namespace sparsecast::memory_traffic {
namespace {
class Lexer {
 public:
  explicit Lexer(const SourceText& source) : source_(source), text_(source.text()) {}

  std::vector<Token> run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
    while (step()) {
    }
    if (!nests_.empty()) refuse_open("the end of the file");
    // Statements end with their line, even the last one.
    add(TokenKind::newline, at_, at_);
    add(TokenKind::end_of_file, at_, at_);
    return std::move(tokens_);
  }

 private:
  // matrix and cell: blanks separate. index: braces behind a value. body: of an anonymous function, up to the next
  // separator: blanks do not separate there even inside a cell.
  enum class Nest { paren, matrix, cell, index, body };
  struct Open {
    Nest kind;
    std::size_t begin;
    bool parameters = false;  ///< the parentheses behind @
  };

  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] bool in_matrix() const {
    return !nests_.empty() && (nests_.back().kind == Nest::matrix || nests_.back().kind == Nest::cell);
  }

  void add(TokenKind kind, std::size_t begin, std::size_t end) {
    tokens_.push_back({kind, begin, end, std::string(source_.slice(begin, end))});
    space_ = false;
  }

  bool blank_to(std::size_t end) {
    at_ = end;
    space_ = true;
    return true;
  }
  bool take(TokenKind kind, std::size_t length) {
    add(kind, at_, at_ + length);
    at_ += length;
    return true;
  }

  [[nodiscard]] bool after_operand() const {
    if (tokens_.empty()) return false;
    const Token& last = tokens_.back();
    switch (last.kind) {
      case TokenKind::number:
      case TokenKind::string:
      case TokenKind::identifier:
      case TokenKind::end_value: return true;
      case TokenKind::symbol: return is_one_of(last.text, {")", "]", "}", "'", ".'", "++", "--"});
      default: return false;
    }
  }

  [[nodiscard]] bool at_statement_start() const {
    if (!nests_.empty()) return false;
    if (tokens_.empty()) return true;
    const Token& last = tokens_.back();
    return last.kind == TokenKind::newline || last.kind == TokenKind::semicolon || last.kind == TokenKind::comma ||
           last.kind == TokenKind::directive || (last.kind == TokenKind::keyword && opens_statement(last.text));
  }

  // The bracket is what has to be mended, not what it swallowed.
  [[noreturn]] void refuse_open(const std::string& before) const {
    const std::size_t begin = nests_.back().begin;
    source_.refuse(begin, std::string("the bracket '") + text_[begin] + "' is not closed before " + before,
                   "close it on its line");
  }

  void pop_bodies() {
    while (!nests_.empty() && nests_.back().kind == Nest::body) nests_.pop_back();
  }

  // One token, or blanks, or a comment. False at the end.
  bool step() {
    if (at_ >= text_.size()) {
      pop_bodies();
      return false;
    }
    const char c = peek();
    if (is_blank(c)) return blank_to(at_ + 1);
    if (c == '\n') return line_end();
    if (c == '%' || c == '#') return comment();
    if (c == '.' && peek(1) == '.' && peek(2) == '.')
      return blank_to(std::min(source_.line_end(at_) + 1, text_.size()));
    if (at_statement_start() && command()) return true;
    if (in_matrix() && space_ && after_operand() && starts_element()) add(TokenKind::comma, at_, at_);
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (is_name_start(c)) return word();
    if (c == '"' || (c == '\'' && !transposes())) return string(c);
    if (c == ',' || c == ';') return separator(c);
    return symbol();
  }

  bool line_end() {
    pop_bodies();
    if (nests_.empty()) {
      add(TokenKind::newline, at_, at_ + 1);
      statement_begin_ = tokens_.size();
      in_signature_ = false;
    } else if (in_matrix()) {
      add(TokenKind::semicolon, at_, at_ + 1);
    }
    return blank_to(at_ + 1);  // what a line end is inside parentheses
  }

  // A block comment's opening and closing marks stand alone on their lines; blocks nest.
  [[nodiscard]] bool alone_on_line(std::string_view mark_second) const {
    if (!source_.starts_line(at_) || mark_second.find(peek(1)) == std::string_view::npos) return false;
    for (std::size_t i = at_ + 2; i < text_.size() && text_[i] != '\n'; ++i)
      if (!is_blank(text_[i])) return false;
    return true;
  }

  bool comment() {
    if (alone_on_line("{")) return block_comment();
    const std::size_t end = source_.line_end(at_);
    std::size_t word = at_ + 1;
    while (word < end && is_blank(text_[word])) ++word;
    if (text_[at_] == '%' && source_.slice(word, std::min(word + 3, end)) == "SLM" &&
        (word + 3 == end || !is_name(text_[word + 3]))) {
      pop_bodies();
      if (!nests_.empty()) refuse_open("a directive");
      directives(end);
    } else if (const std::string_view said = source_.slice(at_, end); resembles_directive(said)) {
      source_.refuse(at_, "a comment that reads like a directive and is none",
                     "begin it with %SLM, and write its command as in %SLM start NAME;");
    }
    at_ = end;
    return true;
  }

  // "%SLM start a; %SLM print a;" may share a line.
  void directives(std::size_t end) {
    std::size_t begin = at_;
    while (begin < end) {
      const std::size_t next = std::min(text_.find("%SLM", begin + 1), end);
      if (!tokens_.empty() && !at_statement_start()) add(TokenKind::newline, begin, begin);
      std::size_t last = next;
      while (last > begin && is_blank(text_[last - 1])) --last;
      add(TokenKind::directive, begin, last);
      begin = next;
    }
  }

  bool block_comment() {
    const std::size_t opening = at_;
    std::size_t depth = 0;
    do {
      if (at_ >= text_.size()) source_.refuse(opening, "this block comment is never closed", "close it with %}");
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      if (peek() == '%' || peek() == '#') {
        if (alone_on_line("{")) ++depth;
        if (alone_on_line("}")) --depth;
      }
      at_ = std::min(source_.line_end(at_) + (depth > 0 ? 1 : 0), text_.size());
    } while (depth > 0);
    return true;
  }

  // The names before an `=` are variables: a later line that begins with one of them is no command.
  void remember_variables() {
    for (std::size_t i = std::max(statement_begin_, remembered_); i < tokens_.size(); ++i)
      if (tokens_[i].kind == TokenKind::identifier) variables_.insert(tokens_[i].text);
    remembered_ = tokens_.size();  // a = b = c = … looks at each name once
  }

  // Octave's rule: a word at the start of a statement, a blank, and then something that is neither an assignment nor
  // an operator with a blank behind it, nor an opening parenthesis.
  bool command() {
    if (!is_name_start(peek())) return false;
    std::size_t end = at_;
    while (end < text_.size() && is_name(text_[end])) ++end;
    const std::string_view name = source_.slice(at_, end);
    if (is_keyword(name) || variables_.contains(std::string(name))) return false;
    std::size_t next = end;
    while (next < text_.size() && is_blank(text_[next])) ++next;
    if (next == end || next >= text_.size()) return false;
    const char c = text_[next];
    const char after = next + 1 < text_.size() ? text_[next + 1] : '\n';
    if (c == '\n' || c == '(' || c == ',' || c == ';' || c == '%' || c == '#') return false;
    if (c == '=' && after != '=') return false;
    if (c == '.' && after == '.' && next + 2 < text_.size() && text_[next + 2] == '.') return false;
    if (c == '{' || c == '[') return false;
    if (!is_name_start(c) && !is_digit(c) && c != '\'' && c != '"' && c != '@') {
      const std::string_view op = symbol_at(text_, next);
      const char behind = next + op.size() < text_.size() ? text_[next + op.size()] : '\n';
      if (op.empty() || is_blank(behind) || behind == '\n' || behind == ';' || is_assignment(op) || op == "++" ||
          op == "--")
        return false;
    }
    // The words reach to the end of the line or a separator outside quotes.
    std::size_t stop = next;
    char quote = '\0';
    int depth = 0;
    for (; stop < text_.size() && text_[stop] != '\n'; ++stop) {
      const char d = text_[stop];
      if (quote != '\0') {
        if (d == quote) quote = '\0';
      } else if (d == '\'' || d == '"') {
        quote = d;
      } else if (d == '(' || d == '[' || d == '{') {
        ++depth;
      } else if (d == ')' || d == ']' || d == '}') {
        --depth;
      } else if (depth <= 0 && (d == ',' || d == ';' || ((d == '%' || d == '#') && is_blank(text_[stop - 1])))) {
        break;
      }
    }
    if (quote != '\0') source_.refuse(next, "unterminated string in a command");
    while (stop > next && is_blank(text_[stop - 1])) --stop;
    add(TokenKind::command, at_, stop);
    at_ = stop;
    return true;
  }

  // Inside brackets and after a blank: does an element start here, rather than an operator's second operand?
  [[nodiscard]] bool starts_element() const {
    const char c = peek(), next = peek(1);
    if (is_name(c) || c == '\'' || c == '"' || c == '@' || c == '(' || c == '[' || c == '{') return true;
    if (c == '.') return is_digit(next);
    if (c == '!' || c == '~') return next != '=';
    if (c == '+' || c == '-') {
      if (next == c) return !is_blank(peek(2)) && peek(2) != '\n';
      return !is_blank(next) && next != '\n' && next != '=' && next != '\0' && !(next == '.' && peek(2) == '.');
    }
    return false;
  }

  [[nodiscard]] bool transposes() const { return after_operand() && !(space_ && in_matrix()); }

  bool number() {
    const std::size_t begin = at_;
    const auto digits = [&] {
      while (is_digit(peek()) || peek() == '_') ++at_;
    };
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X') &&
        std::isxdigit(static_cast<unsigned char>(peek(2))) != 0) {
      at_ += 2;
      while (std::isxdigit(static_cast<unsigned char>(peek())) != 0 || peek() == '_') ++at_;
      integer_suffix();
    } else if (peek() == '0' && (peek(1) == 'b' || peek(1) == 'B') && (peek(2) == '0' || peek(2) == '1')) {
      at_ += 2;
      digits();
      integer_suffix();
    } else {
      digits();
      // "1./x" divides element by element, "1.'" transposes.
      const bool belongs = peek() == '.' && std::string_view("*/\\^'").find(peek(1)) == std::string_view::npos &&
                           !(peek(1) == '.' && peek(2) == '.');
      if (belongs || (peek() == '.' && peek(1) == '\0')) {
        ++at_;
        digits();
      }
      if (std::string_view("eEdD").find(peek()) != std::string_view::npos && peek() != '\0' &&
          (is_digit(peek(1)) || ((peek(1) == '+' || peek(1) == '-') && is_digit(peek(2))))) {
        at_ += 2;
        digits();
      }
      if (std::string_view("iIjJ").find(peek()) != std::string_view::npos && peek() != '\0') ++at_;
    }
    if (is_name(peek())) source_.refuse(begin, "this is neither a number nor a name");
    add(TokenKind::number, begin, at_);
    return true;
  }

  void integer_suffix() {
    if ((peek() == 'u' || peek() == 's') && is_digit(peek(1))) {
      ++at_;
      while (is_digit(peek())) ++at_;
    }
  }

  bool word() {
    const std::size_t begin = at_;
    while (is_name(peek())) ++at_;
    const std::string_view name = source_.slice(begin, at_);
    const bool field = !tokens_.empty() && tokens_.back().kind == TokenKind::symbol && tokens_.back().text == ".";
    if (field || !is_keyword(name)) {
      add(TokenKind::identifier, begin, at_);
    } else if (name == "end" && !nests_.empty()) {
      add(TokenKind::end_value, begin, at_);
    } else {
      pop_bodies();
      if (!nests_.empty()) refuse_open("'" + std::string(name) + "'");
      add(TokenKind::keyword, begin, at_);
      if (name == "function") in_signature_ = true;
      if (opens_statement(name)) statement_begin_ = tokens_.size();
    }
    return true;
  }

  bool string(char quote) {
    const std::size_t begin = at_++;
    while (true) {
      const char c = peek();
      if (at_ >= text_.size() || c == '\n') source_.refuse(begin, "unterminated string");
      if (c == '\\' && quote == '"') {
        // A backslash at the end of a line continues the string.
        if (peek(1) == '\r' && peek(2) == '\n') ++at_;
        at_ += 2;
      } else if (c == quote && peek(1) == quote) {
        at_ += 2;
      } else if (c == quote) {
        ++at_;
        break;
      } else {
        ++at_;
      }
    }
    add(TokenKind::string, begin, std::min(at_, text_.size()));
    return true;
  }

  bool separator(char c) {
    pop_bodies();
    if (c == ';' && !nests_.empty() && !in_matrix()) refuse_open("';'");
    take(c == ',' ? TokenKind::comma : TokenKind::semicolon, 1);
    if (nests_.empty()) statement_begin_ = tokens_.size();
    return true;
  }

  bool symbol() {
    const std::string_view op = symbol_at(text_, at_);
    if (op == "=" && nests_.empty()) remember_variables();
    if (op == ")" || op == "]" || op == "}") return close(op[0]);
    if (op == "(" || op == "[" || op == "{") return open(op[0]);
    if (!op.empty()) return take(TokenKind::symbol, op.size());
    const char c = peek();
    const bool printable = std::isprint(static_cast<unsigned char>(c)) != 0;
    source_.refuse(at_, printable ? std::string("the character '") + c + "' has no meaning here"
                                  : "a character that MATLAB does not know");
  }

  bool open(char c) {
    Open nest{Nest::paren, at_};
    if (c == '(')
      nest.parameters = !tokens_.empty() && tokens_.back().text == "@" && tokens_.back().kind == TokenKind::symbol;
    if (c == '[') nest.kind = Nest::matrix;
    if (c == '{') nest.kind = after_operand() && !(space_ && in_matrix()) ? Nest::index : Nest::cell;
    nests_.push_back(nest);
    return take(TokenKind::symbol, 1);
  }

  bool close(char c) {
    pop_bodies();
    const char expected = nests_.empty()                       ? '\0'
                          : nests_.back().kind == Nest::paren  ? ')'
                          : nests_.back().kind == Nest::matrix ? ']'
                                                               : '}';
    if (expected != c)
      source_.refuse(at_, std::string("'") + c + "' closes nothing",
                     expected == '\0' ? "" : std::string("'") + expected + "' is missing before it");
    const Open nest = nests_.back();
    nests_.pop_back();
    take(TokenKind::symbol, 1);
    if (nest.parameters) nests_.push_back({Nest::body, nest.begin});
    if (nests_.empty() && in_signature_ && c == ')') {
      remember_variables();
      in_signature_ = false;
    }
    return true;
  }

  const SourceText& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool space_ = false;
  bool in_signature_ = false;
  std::size_t statement_begin_ = 0, remembered_ = 0;
  std::vector<Open> nests_;
  std::vector<Token> tokens_;
  std::set<std::string> variables_;
};
}  // namespace

std::vector<Token> tokenize(const SourceText& source) { return Lexer(source).run(); }
}  // namespace sparsecast::memory_traffic
