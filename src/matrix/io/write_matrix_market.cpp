#include <fmt/format.h>
#include <zlib.h>
#include <algorithm>
#include <charconv>
#include <sparsecast/write.hpp>

#include "base/files.hpp"
#include "base/interrupt.hpp"
#include "base/parallel_for.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"

// Threads format stretches of rows into text, a batch at a time; the batch is then written in order by one.

namespace sparsecast {
namespace {
/// Where the text goes: a file, or a gzip stream into one.
class TextSink {
 public:
  TextSink(const std::filesystem::path& target, bool compressed) : file_(target, {.what = "matrix"}) {
    if (!compressed) return;
    auto stream = std::make_unique<z_stream>();
    constexpr int gzip_window = 15 + 16, memory_level = 8;
    if (deflateInit2(stream.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, memory_level, Z_DEFAULT_STRATEGY) !=
        Z_OK)
      throw Error(ErrorCode::failed, "zlib has no memory", {target.string()}, "close other programs");
    stream_ = std::move(stream);
  }
  ~TextSink() {
    if (stream_) deflateEnd(stream_.get());
  }
  TextSink& operator=(TextSink&&) = delete;  // nor copied

  void write(std::string_view text) {
    if (stream_)
      deflate_all(text, Z_NO_FLUSH);
    else
      file_.write(text);
  }

  /// Everything is on its way to the disk, and the file is in its place.
  void finish() {
    if (stream_) deflate_all({}, Z_FINISH);
    file_.finish();
  }

 private:
  void deflate_all(std::string_view text, int flush) {
    std::vector<char> out(std::size_t{1} << 18);
    do {
      stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
      const auto step = static_cast<uInt>(std::min<std::size_t>(text.size(), 1U << 30));
      stream_->avail_in = step;
      stream_->next_out = reinterpret_cast<Bytef*>(out.data());
      stream_->avail_out = static_cast<uInt>(out.size());
      const int code = deflate(stream_.get(), flush);
      text.remove_prefix(step - stream_->avail_in);
      file_.write({out.data(), out.size() - stream_->avail_out});
      if (code == Z_STREAM_END) break;
    } while (!text.empty() || stream_->avail_out == 0 || flush == Z_FINISH);
  }

  base::AtomicFile file_;
  std::unique_ptr<z_stream> stream_;
};

template <class Number>
void append(std::string& text, Number number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  text.append(digits, end);
}

template <class Csr>
std::string rows_as_text(const Csr& csr, std::int64_t first, std::int64_t last, const WriteOptions& options) {
  std::string text;
  text.reserve(static_cast<std::size_t>(csr.row_pointers[last] - csr.row_pointers[first]) * 24);
  for (std::int64_t r = first; r < last; ++r) {
    for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k) {
      if (options.symmetric && csr.column_indices[k] > r) break;
      append(text, r + 1);
      text += ' ';
      append(text, static_cast<std::int64_t>(csr.column_indices[k]) + 1);
      if (!options.pattern) {
        text += ' ';
        append(text, double{csr.values[k]});  // what a reader, which reads doubles, gets back
      }
      text += '\n';
    }
  }
  return text;
}

/// Entries of the lower triangle; Error usage where (r, c) and (c, r) differ.
template <class Csr>
std::int64_t lower_entries(const Csr& csr, bool pattern, const std::string& name) {
  const auto refuse = [&](std::int64_t row, std::int64_t col) {
    throw Error(ErrorCode::usage, fmt::format("{} is not symmetric: see row {}, column {}", name, row + 1, col + 1), {},
                "write it as a general matrix");
  };
  if (csr.rows != csr.cols) refuse(0, 0);
  // Rows are visited in order, so the mirror images of a row's entries are met in ascending order in every other row.
  std::vector<std::int64_t> next(csr.row_pointers.begin(), csr.row_pointers.end() - 1);
  std::int64_t lower = 0;
  for (std::int64_t r = 0; r < csr.rows; ++r) {
    for (std::int64_t k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k) {
      const std::int64_t c = csr.column_indices[k];
      const std::int64_t image = next[c]++;
      if (image >= csr.row_pointers[c + 1] || csr.column_indices[image] != r ||
          (!pattern && csr.values[image] != csr.values[k]))
        refuse(r, c);
      lower += c <= r;
    }
  }
  return lower;
}

template <class Csr>
void write_rows(const Csr& csr, TextSink& sink, const WriteOptions& options) {
  constexpr std::int64_t entries_at_a_time = 65536;
  const int threads = base::thread_count(options.threads);
  std::vector<std::int64_t> cuts{0};
  std::vector<std::string> texts(static_cast<std::size_t>(threads) * 2);
  while (cuts.back() < csr.rows) {
    base::throw_if_interrupted();
    cuts = {cuts.back()};
    while (cuts.back() < csr.rows && cuts.size() <= texts.size()) {
      const std::int64_t target = csr.row_pointers[cuts.back()] + entries_at_a_time;
      const auto end = std::upper_bound(csr.row_pointers.begin() + cuts.back() + 1, csr.row_pointers.end(), target);
      cuts.push_back(std::max<std::int64_t>(end - csr.row_pointers.begin() - 1, cuts.back() + 1));
    }
    const auto stretches = static_cast<int>(cuts.size()) - 1;
    base::parallel_for(stretches, {threads},
                       [&](std::int64_t k) { texts[k] = rows_as_text(csr, cuts[k], cuts[k + 1], options); });
    for (int k = 0; k < stretches; ++k) sink.write(texts[k]);
  }
}
}  // namespace

void write_matrix_market(const Matrix& matrix, const std::filesystem::path& file, const WriteOptions& options) {
  matrix.visit([&](const auto& csr) {
    const std::int64_t entries =
        options.symmetric ? lower_entries(csr, options.pattern, matrix.name()) : matrix.nonzeros();
    std::string head = fmt::format("%%MatrixMarket matrix coordinate {} {}\n", options.pattern ? "pattern" : "real",
                                   options.symmetric ? "symmetric" : "general");
    if (!options.comment.empty())
      for (const std::string_view line : base::split(options.comment, '\n')) head += fmt::format("% {}\n", line);
    head += fmt::format("{} {} {}\n", matrix.rows(), matrix.cols(), entries);
    TextSink sink(file, base::lower_case(file.extension().string()) == ".gz");
    sink.write(head);
    write_rows(csr, sink, options);
    sink.finish();
  });
}
}  // namespace sparsecast
