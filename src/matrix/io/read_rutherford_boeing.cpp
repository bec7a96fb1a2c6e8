#include "matrix/io/read_rutherford_boeing.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <atomic>
#include <optional>

#include "base/interrupt.hpp"
#include "base/machine/memory.hpp"
#include "base/parallel_for.hpp"
#include "base/threads.hpp"
#include "matrix/io/numbers/fixed_columns.hpp"
#include "matrix/io/plausible_size.hpp"
#include "matrix/io/triplets.hpp"

// How such a file becomes a matrix:
//   1. The head: four lines (five in a Harwell-Boeing file with right-hand sides) with the type, the sizes and the
//   formats.
//   2. The formats say how many numbers stand on a line, hence on which lines pointers, row indices and values stand.
//      Line starts are found once; then every number's line is known and lines are parsed in parallel. How a line is
//      cut into numbers says fixed_columns.hpp.
//   3. Row indices and values go straight into triplets, one block per thread; the pointers give their columns.
//   4. Assembly as for every other format (triplets.cpp).

namespace sparsecast::matrix {
namespace {
using Line = std::string_view;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// A part of the file in which so many numbers stand, some to a line, from line `first` on (counting from 0).
struct Section {
  std::string what;   ///< "row index"
  std::string whats;  ///< "row indices"
  std::int64_t first = 0;
  std::int64_t numbers = 0;
  FortranFormat format;

  [[nodiscard]] std::int64_t per_line() const { return static_cast<std::int64_t>(format.fields.size()); }
  [[nodiscard]] std::int64_t lines() const { return numbers == 0 ? 0 : (numbers - 1) / per_line() + 1; }
};

struct Head {
  char value = 'r';     ///< r, i, p
  char symmetry = 'u';  ///< u, r: general; s, h: symmetric; z: skew
  std::int64_t rows = 0, cols = 0, entries = 0;
  Section pointers, indices, values;
};

class RutherfordBoeingReader {
 public:
  RutherfordBoeingReader(std::string_view text, std::string file, const ReadOptions& options)
      : text_(text), file_(std::move(file)), options_(options), threads_(base::thread_count(options.threads)) {}

  Matrix::Storage read() {
    find_lines();
    parse_head();
    ClaimedSize size{head_.rows, head_.cols, head_.entries, static_cast<std::int64_t>(text_.size())};
    size.stored_per_entry = general() ? 1 : 2;
    const std::int64_t allowed = options_.memory_bytes > 0 ? options_.memory_bytes : base::memory_bytes();
    check_plausible(size, static_cast<std::int64_t>(text_.size()), allowed, {file_, 3});
    const bool narrow = Matrix::fits32(head_.rows) && Matrix::fits32(head_.cols);
    Matrix::Storage matrix = narrow ? read_entries<std::int32_t>() : read_entries<std::int64_t>();
    make_remarks();
    return matrix;
  }

 private:
  [[noreturn]] void refuse(std::int64_t line, std::int64_t column, const std::string& reason,
                           const std::string& remedy) const {
    throw Error(ErrorCode::bad_input, reason, {file_, line, column}, remedy);
  }
  [[nodiscard]] bool general() const { return head_.symmetry == 'u' || head_.symmetry == 'r'; }

  void find_lines() {
    line_starts_.push_back(0);
    for (std::size_t at = 0; (at = text_.find('\n', at)) != std::string_view::npos;) line_starts_.push_back(++at);
    if (line_starts_.back() == text_.size()) line_starts_.pop_back();
  }
  [[nodiscard]] std::int64_t line_count() const { return static_cast<std::int64_t>(line_starts_.size()); }
  [[nodiscard]] Line line(std::int64_t k) const {
    if (k >= line_count()) return {};
    const std::size_t end = k + 1 < line_count() ? line_starts_[k + 1] - 1 : text_.size();
    Line found = text_.substr(line_starts_[k], end - line_starts_[k]);
    while (!found.empty() && (found.back() == '\r' || found.back() == '\n')) found.remove_suffix(1);
    return found;
  }

  /// `count` integers that are not negative, from character `from` of line `number` (counting from 1) on.
  std::vector<std::int64_t> integers(std::int64_t number, std::size_t from, int least, int most) {
    FieldReader reader{line(number - 1), from};
    std::vector<std::int64_t> found;
    for (std::int64_t column = 0; static_cast<int>(found.size()) < most;) {
      const std::string_view field = reader.next(column);
      if (field.empty()) {
        if (static_cast<int>(found.size()) >= least) break;
        refuse(number, column, fmt::format("there are {} of {} counts", found.size(), least),
               "check that the header is complete");
      }
      const auto parsed = integer_field(field);
      if (!parsed.reason.empty()) refuse(number, column, parsed.reason, "counts are 0, 1, 2 …");
      if (parsed.value < 0)
        refuse(number, column, fmt::format("a count of {}", parsed.value), "counts are not negative");
      found.push_back(parsed.value);
    }
    return found;
  }

  void parse_head() {
    if (line_count() < 4) refuse(line_count(), 0, "the file ends inside its header", "check whether it is cut off");
    const auto counts = integers(2, 0, 4, 5);
    parse_type(line(2));
    const auto sizes = integers(3, 3, 3, 4);
    head_.rows = sizes[0], head_.cols = sizes[1], head_.entries = sizes[2];
    if (!general() && head_.rows != head_.cols)
      refuse(3, 0, fmt::format("{} rows and {} columns cannot be symmetric", head_.rows, head_.cols), "fix the sizes");
    if (head_.cols == INT64_MAX) refuse(3, 0, "that many columns do not fit 64 bits", "fix the sizes");

    std::int64_t first = counts.size() == 5 && counts[4] > 0 ? 5 : 4;
    const std::vector<std::string_view> formats = format_texts(line(3));
    const bool pattern = head_.value == 'p';
    if (formats.size() < (pattern ? 2 : 3))
      refuse(4, 0, "a Fortran format is missing", "check that the header is complete");
    Section* const sections[] = {&head_.pointers, &head_.indices, &head_.values};
    static constexpr const char* names[] = {"column pointer", "row index", "value"};
    static constexpr const char* plurals[] = {"column pointers", "row indices", "values"};
    const std::int64_t numbers[] = {head_.cols + 1, head_.entries, head_.entries};
    for (int k = 0; k < (pattern ? 2 : 3); ++k) {
      auto parsed = parse_fortran_format(formats[k]);
      if (!parsed.reason.empty()) refuse(4, 0, parsed.reason, "formats look like (26I3) or (4E20.12)");
      if (k < 2 && !parsed.format.integer) refuse(4, 0, shown(formats[k]) + " is not a format of integers", "(26I3)");
      *sections[k] = {names[k], plurals[k], first, numbers[k], std::move(parsed.format)};
      if (sections[k]->lines() != counts[k + 1] && miscounted_.empty())
        miscounted_ = fmt::format("{} lines of {} are announced, the sizes and the format make {}", counts[k + 1],
                                  plurals[k], sections[k]->lines());
      need_lines(*sections[k]);
      first += sections[k]->lines();
    }
    if (pattern && counts[3] > 0) lines_of_values_ = counts[3];
    const bool right_hand_sides = counts.size() == 5 && counts[4] > 0;
    if (!miscounted_.empty() && !right_hand_sides) need_end(first);
  }

  /// Counts of lines are wrong in many files and most readers pass over them. Where they are, the sizes and the formats
  /// must account for every line, so that it is sure which of the two is wrong.
  void need_end(std::int64_t first) {
    for (std::int64_t at = first; at < line_count(); ++at) {
      const std::size_t text = line(at).find_first_not_of(" \t");
      if (text == Line::npos) continue;
      refuse(at + 1, static_cast<std::int64_t>(text) + 1, "a line more than the sizes make, and " + miscounted_,
             "fix the counts in line 2, the sizes in line 3 or the formats in line 4");
    }
  }

  void parse_type(Line text) {
    if (text.size() < 4) refuse(3, 1, "the matrix type is missing", "the third line begins like: rua");
    const std::string type{lower(text[0]), lower(text[1]), lower(text[2])};
    head_.value = type[0], head_.symmetry = type[1];
    if (type[0] == 'c') refuse(3, 1, "the values are complex", "write it as Matrix Market");
    if (type[0] == 'q' || type[0] == 'x')
      refuse(3, 1, "the values are in another file", "only files with their own values can be read");
    if (type[2] != 'a') refuse(3, 3, "the matrix is elemental, not assembled", "assemble it first");
  }

  /// The parenthesised groups of the head's fourth line.
  static std::vector<std::string_view> format_texts(Line text) {
    std::vector<std::string_view> found;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '(' && depth++ == 0) begin = at;
      if (text[at] == ')' && depth > 0 && --depth == 0) found.push_back(text.substr(begin, at + 1 - begin));
    }
    return found;
  }

  void need_lines(const Section& section) const {
    if (section.lines() <= line_count() - section.first) return;
    refuse(line_count(), 0,
           fmt::format("the file ends after {} of {} lines of {}",
                       std::max<std::int64_t>(line_count() - section.first, 0), section.lines(), section.whats),
           "fetch it again if it is cut off");
  }

  /// Numbers first … last − 1 of a section, each given to store(k, number), which returns why it is refused ("" if
  /// not). False where one was refused. Lines on which the range begins or ends are looked at whole.
  template <class Read, class Store>
  bool parse(const Section& section, std::int64_t first, std::int64_t last, Read&& read, Store&& store) {
    std::vector<FieldText> fields;
    for (std::int64_t k = first; k < last;) {
      const std::int64_t before = k / section.per_line() * section.per_line();
      const std::int64_t at = section.first + k / section.per_line();
      const std::int64_t on_line = std::min(section.per_line(), section.numbers - before);
      const LineCut cut = cut_line(line(at), section.format, static_cast<std::size_t>(on_line), fields);
      if (!cut.reason.empty()) {
        const std::int64_t number = before + static_cast<std::int64_t>(cut.field) + 1;
        note_fault(at + 1, cut.column, fmt::format("{} {}: {}", section.what, number, cut.reason));
        return false;
      }
      if (cut.by_blanks && section.format.has_widths()) by_blanks_.store(true, std::memory_order_relaxed);
      for (; k < std::min(last, before + on_line); ++k) {
        const auto field = static_cast<std::size_t>(k - before);
        auto number = read(fields[field].text, section.format.fields[field], cut.by_blanks);
        std::string reason = std::move(number.reason);
        if (reason.empty()) reason = store(k, number.value);
        if (reason.empty()) continue;
        note_fault(at + 1, fields[field].column, fmt::format("{} {}: {}", section.what, k + 1, reason));
        return false;
      }
    }
    return true;
  }

  void note_fault(std::int64_t at, std::int64_t column, std::string reason) {
#pragma omp critical(sparsecast_rutherford_boeing_fault)
    if (!fault_ || at < fault_->line || (at == fault_->line && column < fault_->column))
      fault_ = Fault{at, column, std::move(reason)};
  }

  void note_sides(const Sides& sides) {
#pragma omp critical(sparsecast_rutherford_boeing_sides)
    sides_.add(sides);
  }

  void stop_at_fault() const {
    base::throw_if_interrupted();
    if (fault_) refuse(fault_->line, fault_->column, fault_->reason, "fix it, or fetch the file again");
  }

  [[nodiscard]] std::int64_t share(std::int64_t total, std::int64_t part) const {
    return total / threads_ * part + total % threads_ * part / threads_;
  }

  template <class Index>
  Matrix::Storage read_entries() {
    Array<std::int64_t> pointers(static_cast<std::size_t>(head_.cols) + 1);
    base::parallel_for(threads_, {threads_}, [&](std::int64_t t) {
      parse(head_.pointers, share(head_.cols + 1, t), share(head_.cols + 1, t + 1), fortran_integer,
            [&](std::int64_t k, std::int64_t pointer) -> std::string {
              pointers[k] = pointer - 1;
              if (pointer < 1 || pointer > head_.entries + 1)
                return fmt::format("{} is outside 1 … {}", pointer, head_.entries + 1);
              return {};
            });
    });
    stop_at_fault();
    check_order(pointers);

    std::vector<Triplets<Index>> blocks(static_cast<std::size_t>(threads_));
    const bool pattern = head_.value == 'p', skew = head_.symmetry == 'z';
    base::parallel_for(threads_, {threads_}, [&](std::int64_t t) {
      const std::int64_t first = share(head_.entries, t), last = share(head_.entries, t + 1);
      auto& block = blocks[t];
      try {
        block.rows.resize(last - first);
        block.cols.resize(last - first);
        if (!pattern) block.values.resize(last - first);
      } catch (const std::bad_alloc&) {
        note_fault(3, 0, "there is not enough memory for the entries");
        return;
      }
      Sides sides;
      std::int64_t col = std::upper_bound(pointers.begin(), pointers.end(), first) - pointers.begin() - 1;
      const bool indexed =
          parse(head_.indices, first, last, fortran_integer, [&](std::int64_t k, std::int64_t row) -> std::string {
            while (pointers[col + 1] <= k) ++col;
            if (row < 1 || row > head_.rows) return fmt::format("{} is outside 1 … {}", row, head_.rows);
            block.rows[k - first] = static_cast<Index>(row - 1);
            block.cols[k - first] = static_cast<Index>(col);
            if (!general()) sides.add(row - 1, col);
            return {};
          });
      note_sides(sides);
      if (pattern || !indexed) return;
      parse(head_.values, first, last, fortran_real, [&](std::int64_t k, double value) -> std::string {
        if (skew && block.rows[k - first] == block.cols[k - first] && value != 0)
          return "a skew-symmetric matrix has no diagonal";
        block.values[k - first] = value;
        return {};
      });
    });
    stop_at_fault();
    AssemblyOptions options{head_.rows, head_.cols, Mirror::none, pattern, threads_, file_};
    if (!general()) options.mirror = skew ? Mirror::negated : Mirror::same;
    return assemble(std::move(blocks), options);
  }

  void make_remarks() const {
    if (!options_.remark) return;
    if (!miscounted_.empty()) options_.remark(fmt::format("{}:2: {}", file_, miscounted_));
    if (lines_of_values_ > 0)
      options_.remark(
          fmt::format("{}:3: the type says a pattern: every entry is 1, and the {} lines of values that line "
                      "2 announces are not read",
                      file_, lines_of_values_));
    if (by_blanks_) {
      options_.remark(file_ + ": read by blanks: the numbers are not in the fields that the format in line 4 declares");
    }
    if (sides_.both()) options_.remark(remark_on_both_triangles(file_));
  }

  void check_order(const Array<std::int64_t>& pointers) const {
    const auto place = [&](std::int64_t k) { return head_.pointers.first + k / head_.pointers.per_line() + 1; };
    if (pointers.front() != 0) refuse(place(0), 0, "the first column pointer is not 1", "fix the pointers");
    for (std::int64_t k = 1; k <= head_.cols; ++k)
      if (pointers[k] < pointers[k - 1])
        refuse(place(k), 0, fmt::format("column pointer {} is less than the one before", k + 1), "fix the pointers");
    if (pointers.back() != head_.entries) {
      refuse(place(head_.cols), 0,
             fmt::format("the last column pointer is {}, not {}", pointers.back() + 1, head_.entries + 1),
             "fix the pointers or the number of entries in the header");
    }
  }

  struct Fault {
    std::int64_t line, column;
    std::string reason;
  };

  std::string_view text_;
  std::string file_;
  const ReadOptions& options_;
  int threads_;
  std::vector<std::size_t> line_starts_;
  Head head_;
  std::optional<Fault> fault_;
  std::string miscounted_;            ///< what to say of the head's counts of lines
  std::int64_t lines_of_values_ = 0;  ///< announced, of a pattern
  std::atomic<bool> by_blanks_ = false;
  Sides sides_;
};
}  // namespace

bool is_rutherford_boeing(std::string_view text) {
  std::size_t at = 0;
  for (int k = 0; k < 2; ++k) {
    at = text.find('\n', at);
    if (at == std::string_view::npos) return false;
    ++at;
  }
  if (text.size() < at + 4) return false;
  const auto one_of = [&](std::size_t k, std::string_view letters) {
    return letters.find(lower(text[at + k])) != std::string_view::npos;
  };
  return one_of(0, "rcipqx") && one_of(1, "suzhr") && one_of(2, "ae") && one_of(3, " \t");
}

Matrix::Storage read_rutherford_boeing(std::string_view text, const std::string& file, const ReadOptions& options) {
  return RutherfordBoeingReader(text, file, options).read();
}
}  // namespace sparsecast::matrix
