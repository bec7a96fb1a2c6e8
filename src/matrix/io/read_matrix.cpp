#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>

#include "base/memory.hpp"
#include "base/guard/open_input.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "matrix/io/decompressor.hpp"
#include "matrix/io/market_entries.hpp"
#include "matrix/io/zip_archive.hpp"

namespace sparsecast::matrix {
namespace {
[[noreturn]] void refuse(const std::string& file, const std::string& reason, const std::string& remedy) {
  throw Error(ErrorCode::bad_input, reason, {file}, remedy);
}

// InputFile: the bytes of a file, memory-mapped where it is a regular one, read to its end where it is a pipe
// (`info <(xz -dc a.mtx.xz)`). Anything that cannot be a matrix file is refused here: folders, devices, what is
// missing.

class InputFile {
 public:
  /// Error bad_input where it cannot be opened or mapped. A pipe longer than limit_bytes is refused.
  InputFile(const std::filesystem::path& path, std::int64_t limit_bytes) : name_(path.string()) {
    const base::OpenInput opened(path, {.what = "matrix file", .remedy = "check the path and its permissions"});
    if (opened.is_pipe()) {
      read_pipe(opened.descriptor(), limit_bytes);
      return;
    }
    if (opened.size() == 0) return;
    const auto size = static_cast<std::size_t>(opened.size());
    mapping_ = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, opened.descriptor(), 0);
    if (mapping_ == MAP_FAILED) {
      mapping_ = nullptr;
      refuse(name_, "cannot be mapped into memory: " + base::error_text(errno), "copy it to a local disk");
    }
    ::madvise(mapping_, size, MADV_WILLNEED);
    bytes_ = {static_cast<const char*>(mapping_), size};
  }
  ~InputFile() {
    if (mapping_ != nullptr) ::munmap(mapping_, bytes_.size());
  }
  InputFile& operator=(InputFile&&) = delete;  // nor copied

  /// As the user wrote it, for messages.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  void read_pipe(int descriptor, std::int64_t limit_bytes) {
    constexpr std::size_t step = std::size_t{1} << 20;
    for (std::size_t filled = 0;;) {
      if (!base::can_read(descriptor, 1)) continue;
      piped_.resize(filled + step);
      const ssize_t got = ::read(descriptor, piped_.data() + filled, step);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (got < 0) refuse(name_, "cannot be read: " + base::error_text(errno), "check what writes to the pipe");
      filled += static_cast<std::size_t>(got);
      if (got == 0) {
        piped_.resize(filled);
        bytes_ = piped_;
        return;
      }
      if (static_cast<std::int64_t>(filled) > limit_bytes) {
        throw Error(ErrorCode::too_large,
                    fmt::format("the pipe brought more than {}", base::format_bytes(static_cast<double>(limit_bytes))),
                    {name_}, "write it to a file first: files are mapped, not copied");
      }
    }
  }

  std::string name_;
  std::string_view bytes_;
  std::string piped_;
  void* mapping_ = nullptr;
};

}  // namespace

// "the control group's limit is 210 MB"; what the caller allowed has no other name.
std::string allowed_text(std::int64_t bytes) {
  const base::MemoryLimit limit = base::memory_limit();
  return fmt::format("{} is {}", bytes == limit.bytes ? limit.set_by : "the limit",
                     base::format_bytes(static_cast<double>(bytes)));
}

void check_plausible(const ClaimedSize& size, std::int64_t file_bytes, std::int64_t memory_bytes, const Place& place) {
  constexpr auto remedy = "fix the sizes, or fetch the file again if it is cut off";
  if (size.entries > size.most_entries) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{} entries are promised but {} cannot hold them", base::format_count(size.entries),
                            base::format_bytes(static_cast<double>(file_bytes))),
                place, remedy);
  }
  constexpr std::int64_t always_plausible = std::int64_t{1} << 27;
  const std::int64_t longest = std::max(size.rows, size.cols);
  if (longest > always_plausible && longest / 64 > file_bytes) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{} × {} is absurd for a file of {}", base::format_count(size.rows),
                            base::format_count(size.cols), base::format_bytes(static_cast<double>(file_bytes))),
                place, remedy);
  }
  // Row pointers and the counters of the assembly, and the entries; in floating point, which cannot overflow.
  const double pointer_bytes = size.entries > INT32_MAX / size.stored_per_entry ? 8 : 4;
  const double stored = static_cast<double>(size.entries) * (16 + 12.0 * size.stored_per_entry) / 28.0;
  const double needed = 2 * pointer_bytes * static_cast<double>(size.rows) + size.entry_bytes * stored;
  if (needed > static_cast<double>(memory_bytes)) {
    throw Error(
        ErrorCode::too_large,
        fmt::format("reading {} × {} with {} entries needs {} of memory; {}", base::format_count(size.rows),
                    base::format_count(size.cols), base::format_count(size.entries), base::format_bytes(needed),
                    allowed_text(memory_bytes)),
        place, "read it where more memory is allowed");
  }
}
}  // namespace sparsecast::matrix

namespace sparsecast {
namespace {
/// Text that is enough to tell what a compressed file is.
constexpr std::size_t first_bytes = std::size_t{1} << 20;

/// All the text of a compressed file, for a reader that needs it whole.
std::string whole_text(const matrix::InputFile& input, std::int64_t limit_bytes) {
  matrix::CompressedText source(input.bytes(), input.name());
  std::string text;
  for (std::string piece; !(piece = source.next(first_bytes)).empty();) {
    base::throw_if_interrupted();
    text += piece;
    if (static_cast<std::int64_t>(text.size()) > limit_bytes)
      throw Error(ErrorCode::too_large, "the decompressed text does not fit the memory", {input.name()},
                  "decompress it to a file");
  }
  return text;
}

Matrix::Storage read_any(const matrix::InputFile& input, std::int64_t limit_bytes, const ReadOptions& options) {
  const std::string_view bytes = input.bytes();
  const std::string& file = input.name();
  if (bytes.empty()) throw Error(ErrorCode::bad_input, "the file is empty", {file}, "fetch it again");
  if (matrix::is_zip(bytes)) return matrix::read_npz(bytes, file, options);
  const bool compressed = !matrix::compression_of(bytes).empty();
  std::string first_text;
  std::string_view text = bytes;
  if (compressed) {
    first_text = matrix::CompressedText(bytes, file).next(first_bytes);
    text = first_text;
    if (text.empty()) throw Error(ErrorCode::bad_input, "the compressed file is empty", {file}, "fetch it again");
  }
  if (matrix::is_matrix_market(text)) return matrix::read_market(bytes, file, options);
  if (matrix::is_rutherford_boeing(text)) {
    if (!compressed) return matrix::read_rutherford_boeing(bytes, file, options);
    return matrix::read_rutherford_boeing(whole_text(input, limit_bytes), file, options);
  }
  throw Error(ErrorCode::bad_input, "is neither Matrix Market, Rutherford-Boeing nor npz", {file, 1, 1},
              "a Matrix Market file begins with: %%MatrixMarket matrix coordinate real general");
}
}  // namespace

std::string matrix_name(const std::filesystem::path& file) {
  static constexpr std::array<std::string_view, 15> endings{".gz",  ".bz2", ".xz",  ".zst", ".mtx",
                                                            ".mm",  ".npz", ".rb",  ".hb",  ".rua",
                                                            ".rsa", ".pua", ".psa", ".rra", ".txt"};
  std::string name = file.filename().string();
  for (bool cut = true; cut;) {
    cut = false;
    for (const std::string_view ending : endings) {
      if (name.size() <= ending.size() || !name.ends_with(ending)) continue;
      name.resize(name.size() - ending.size());
      cut = true;
    }
  }
  return name;
}

Matrix read_matrix(const std::filesystem::path& file, const ReadOptions& options) {
  const std::int64_t memory = options.memory_bytes > 0 ? options.memory_bytes : base::memory_bytes();
  const matrix::InputFile input(file, memory);
  try {
    return Matrix(read_any(input, memory, options), matrix_name(file));
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::too_large, "there is not enough memory to read it", {input.name()},
                "read it on a machine with more memory");
  }
}
}  // namespace sparsecast
