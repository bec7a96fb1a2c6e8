#pragma once
// Texts that name what can be asked of the library. A field of a request and a function of answers.hpp are called
// otherwise on a command line, in C++, in Python and in C; such a text keeps what is meant, and is worded when somebody
// is spoken to.
//
// Thread safety: a text is a value; threads may share one that none of them changes.

#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Who is spoken to: programs in C++, people at the `sparsecast` command, programs in Python and in C.
enum class Voice { library, command_line, python, c };

namespace wording {
/// A text of the library. What becomes one by itself is plain: it means nothing but its letters, whatever they are.
class Text {
 public:
  Text() = default;
  // NOLINTBEGIN(google-explicit-constructor,hicpp-explicit-conversions)
  Text(std::string plain);
  Text(std::string_view plain);
  Text(const char* plain);
  // NOLINTEND(google-explicit-constructor,hicpp-explicit-conversions)

  [[nodiscard]] bool empty() const noexcept { return marked_.empty(); }
  /// As `voice` says it.
  [[nodiscard]] std::string in(Voice voice) const;

  Text& operator+=(const Text& then);
  friend Text operator+(Text first, const Text& then) { return first += then; }

 private:
  friend struct Marks;  // makes options and questions: not for users
  std::string marked_;
};
}  // namespace wording

}  // namespace sparsecast
#pragma GCC visibility pop
