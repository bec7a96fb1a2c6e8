#pragma once
// What a stretch of straight-line code moves, collected statement by statement until the code that counts it is
// written: the "exclusive memory analysis" of Dennis, Jessup, Waite 2010, section 2.3.

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sparsecast::memory_traffic {
/// A number of bytes as MATLAB text. `variable` is the one whose size it uses, if any.
struct Term {
  std::string text;
  std::string variable;
  bool now = false;  ///< asks for values that the next statement may change: counted at once
};

/// One row of the counters.
struct Touch {
  std::string variable;
  bool store = false;
};

struct Entry {
  std::size_t slot = 0;
  std::vector<Touch> touched;  ///< arrays, in the order in which they are read and written
  std::vector<Term> loads, stores;
  std::vector<std::string> analyses;    ///< rows that the run-time library returned
  bool turn = false;                    ///< a loop begins another turn, or an unanalysed call is due
  std::vector<std::string> unanalysed;  ///< names that it calls
  std::vector<std::size_t> calls;       ///< counters of those calls
  bool subtract = false;                ///< a condition counted in advance that was not evaluated
  [[nodiscard]] bool empty() const {
    return loads.empty() && stores.empty() && analyses.empty() && !turn && unanalysed.empty() && calls.empty();
  }
};

/// Lines of code behind others.
inline void append(std::vector<std::string>& code, const std::vector<std::string>& more) {
  code.insert(code.end(), more.begin(), more.end());
}

class Account {
 public:
  /// `base` is the name of the file's first counter.
  explicit Account(std::string base) : base_(std::move(base)) {}

  /// Also writes code that follows which arrays are touched in which order; `numbers` collects what stands for a name.
  void trace(std::map<std::string, std::size_t>* numbers) { numbers_ = numbers; }

  void add(Entry entry);
  /// The variable's size is about to be found again. Pending entries go on with its old size, but for the stores of the
  /// newest entry where that is the very statement that changed it. The code that sees to it, often none.
  std::vector<std::string> before_resize(const std::string& variable, bool newest_stores_it);
  /// Some pending entry asks for values that may change, or there are many.
  [[nodiscard]] bool urgent() const;
  /// The code that adds all pending entries to the counters.
  std::vector<std::string> flush();
  [[nodiscard]] std::string slot(std::size_t number) const;
  [[nodiscard]] bool empty() const { return pending_.empty(); }

 private:
  std::string base_;
  std::vector<Entry> pending_;
  std::map<std::string, std::size_t>* numbers_ = nullptr;
};
}  // namespace sparsecast::memory_traffic
