#pragma once
// What stdout and stderr are: how wide, whether with colour, and with which letters.

#include "app/commands.hpp"
#include "base/page/text_layout.hpp"
#include "base/progress.hpp"

namespace sparsecast::app {
struct Terminal {
  base::Layout page;
  bool tty = false;
  bool known_width = false;  ///< of a terminal or by COLUMNS
  bool ascii = false;        ///< the locale has no UTF-8
};

/// Looked at once. COLUMNS, else the terminal's width, else 80; NO_COLOR and TERM=dumb; LC_ALL, LC_CTYPE, LANG.
const Terminal& standard_output();
const Terminal& standard_error();

/// What tables on stdout are laid out for.
inline const base::Layout& layout() { return standard_output().page; }

/// The text as that terminal shows it: in its letters, and where its width is known no line wider than it.
std::string shown_on(const Terminal& terminal, std::string_view text);
/// The text in the letters of stderr, for lines that stay lines.
std::string in_letters_of(const Terminal& terminal, std::string_view text);

/// A progress bar with the time left on stderr; nothing at all where stderr is no terminal or with --quiet.
class ProgressBar {
 public:
  explicit ProgressBar(const Globals& globals);
  ~ProgressBar();
  ProgressBar& operator=(ProgressBar&&) = delete;  // nor copied

  /// To be handed to the library; the bar must outlive it. Empty where nothing is to be shown.
  [[nodiscard]] base::ProgressFunction function();
  /// Takes the bar away, for a line of text in its place; the next step draws it again.
  void clear();

 private:
  void show(const base::ProgressStep& step);
  bool visible_;
  bool drawn_ = false;
};
}  // namespace sparsecast::app
