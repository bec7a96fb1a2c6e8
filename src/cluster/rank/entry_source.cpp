#include "cluster/rank/entry_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "matrix/io/market_entries.hpp"
#include "matrix/io/numbers/number_scan.hpp"

namespace sparsecast::cluster {
namespace {
constexpr std::int64_t chunk_bytes = 1 << 20;  // small against any rank's share, large against a disk's latency

class File {
 public:
  File(std::string path, int rank) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
      const std::string why = descriptor_ < 0 ? std::strerror(errno) : "not a regular file";
      char host[256] = "";
      gethostname(host, sizeof host - 1);
      if (descriptor_ >= 0) ::close(descriptor_);
      throw Error(ErrorCode::bad_input, fmt::format("rank {} on {} cannot read it: {}", rank, host, why), {path_},
                  "every rank must read the file: put it on a file system that all nodes share");
    }
    size_ = status.st_size;
  }
  ~File() { ::close(descriptor_); }
  File& operator=(File&&) = delete;  // nor copied

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Up to `count` bytes from `offset`; fewer only at the end of the file.
  std::int64_t read(std::int64_t offset, char* into, std::int64_t count) const {
    std::int64_t got = 0;
    while (got < count) {
      const auto n = pread(descriptor_, into + got, static_cast<std::size_t>(count - got), offset + got);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw Error(ErrorCode::bad_input, std::string("cannot be read: ") + std::strerror(errno), {path_});
      if (n == 0) break;
      got += n;
    }
    return got;
  }

 private:
  std::string path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

struct Range {
  std::int64_t begin = 0, end = 0;
};

// Range `rank` of `size` equal ones of [begin, end).
Range share(std::int64_t begin, std::int64_t end, int rank, int size) {
  // Quotient and remainder apart: length × rank may not fit 64 bits.
  const std::int64_t length = (end - begin) / size, rest = (end - begin) % size;
  const auto cut = [&](int q) { return begin + length * q + std::min<std::int64_t>(q, rest); };
  return {cut(rank), cut(rank + 1)};
}

class MarketSource final : public EntrySource {
 public:
  MarketSource(std::unique_ptr<File> file, const matrix::MarketHeader& header, Range range)
      : file_(std::move(file)), header_(header), range_(range) {
    rows = header.rows;
    cols = header.cols;
    at_ = first_line_from(range.begin);
    start_ = at_;
  }

  Chunk next() override {
    Chunk chunk;
    try {
      scan(chunk);
    } catch (const Error& error) {
      chunk.fault = error;
    }
    return chunk;
  }

  std::int64_t count_lines() override {
    std::string buffer(chunk_bytes, '\0');
    std::int64_t lines = 0;
    const std::int64_t end = first_line_from(range_.end);
    for (std::int64_t at = start_; at < end;) {
      const std::int64_t got = file_->read(at, buffer.data(), std::min(chunk_bytes, end - at));
      if (got == 0) break;
      lines += std::count(buffer.begin(), buffer.begin() + got, '\n');
      at += got;
    }
    return lines;
  }

  void check_count(const Communicator& ranks) override {
    const std::int64_t total = ranks.sum(entries_);
    if (total == header_.entries) return;
    throw Error(ErrorCode::bad_input,
                fmt::format("the size line announces {} entries and the file holds {}", header_.entries, total),
                {file_->path(), header_.lines},
                total < header_.entries ? "check whether it is cut off" : "fix the size line");
  }

 private:
  std::unique_ptr<File> file_;
  matrix::MarketHeader header_;
  Range range_;
  std::int64_t start_ = 0, at_ = 0;
  std::int64_t entries_ = 0, lines_ = 0;
  std::string buffer_;

  // Where the first line that begins at or after `offset` begins.
  std::int64_t first_line_from(std::int64_t offset) const {
    if (offset <= static_cast<std::int64_t>(header_.first_entry)) return static_cast<std::int64_t>(header_.first_entry);
    std::string buffer(4096, '\0');
    for (std::int64_t at = offset - 1; at < file_->size();) {
      const std::int64_t got = file_->read(at, buffer.data(), static_cast<std::int64_t>(buffer.size()));
      if (got == 0) break;
      const auto* const found =
          static_cast<const char*>(std::memchr(buffer.data(), '\n', static_cast<std::size_t>(got)));
      if (found != nullptr) return at + (found - buffer.data()) + 1;
      at += got;
    }
    return file_->size();
  }

  void scan(Chunk& chunk) {
    if (at_ >= range_.end || at_ >= file_->size()) return;
    buffer_.resize(static_cast<std::size_t>(chunk_bytes) + 1 + matrix::readable_beyond);
    std::int64_t got = file_->read(at_, buffer_.data(), chunk_bytes);
    const bool at_end = at_ + got >= file_->size();
    if (at_end && got > 0 && buffer_[static_cast<std::size_t>(got) - 1] != '\n')
      buffer_[static_cast<std::size_t>(got++)] = '\n';
    const std::string_view text(buffer_.data(), static_cast<std::size_t>(got));
    // The last line that begins before the end of the range ends at the first line end from there on.
    std::size_t end = range_.end - at_ <= got ? text.find('\n', static_cast<std::size_t>(range_.end - at_ - 1))
                                              : std::string_view::npos;
    const bool last = end != std::string_view::npos;
    if (!last) end = text.rfind('\n');
    if (end == std::string_view::npos)
      throw Error(ErrorCode::bad_input, fmt::format("a line is longer than {} bytes", chunk_bytes),
                  {file_->path(), header_.lines + lines_ + 1});
    const auto scanned = matrix::scan_entries<std::int64_t>(text.substr(0, end + 1), header_, INT64_MAX);
    if (scanned.fault)
      throw Error(ErrorCode::bad_input, scanned.fault->reason,
                  {file_->path(), header_.lines + lines_ + scanned.fault->line, scanned.fault->column},
                  scanned.fault->remedy);
    at_ += static_cast<std::int64_t>(end) + 1;
    lines_ += scanned.lines;
    entries_ += scanned.entries;
    chunk.more = !last && at_ < file_->size();
    const auto& triplets = scanned.triplets;
    const double mirror = header_.symmetry == matrix::MarketSymmetry::skew ? -1.0 : 1.0;
    for (std::size_t k = 0; k < triplets.rows.size(); ++k) {
      const FileEntry entry{triplets.rows[k], triplets.cols[k], triplets.values.empty() ? 1.0 : triplets.values[k]};
      chunk.entries.push_back(entry);
      if (header_.symmetry != matrix::MarketSymmetry::general && entry.row != entry.column)
        chunk.entries.push_back({entry.column, entry.row, mirror * entry.value});
    }
  }
};

class RecordSource final : public EntrySource {
 public:
  RecordSource(std::unique_ptr<File> file, const EntryFileHeader& header, Range range)
      : file_(std::move(file)), at_(range.begin), end_(range.end) {
    rows = header.rows;
    cols = header.cols;
  }
  Chunk next() override {
    Chunk chunk;
    constexpr auto size = static_cast<std::int64_t>(sizeof(FileEntry));
    const std::int64_t count = std::min(end_ - at_, chunk_bytes / size);
    chunk.entries.resize(static_cast<std::size_t>(count));
    try {
      const std::int64_t got = file_->read(static_cast<std::int64_t>(sizeof(EntryFileHeader)) + at_ * size,
                                           reinterpret_cast<char*>(chunk.entries.data()), count * size);
      if (got != count * size) throw Error(ErrorCode::bad_input, "the file of entries is cut off", {file_->path()});
    } catch (const Error& error) {
      chunk.fault = error;
    }
    at_ += count;
    chunk.more = at_ < end_;
    return chunk;
  }

 private:
  std::unique_ptr<File> file_;
  std::int64_t at_, end_;
};

// The head of the file is read in growing pieces: comments may be long.
matrix::MarketHeader read_head(const File& file) {
  for (std::int64_t size = 4096;; size *= 4) {
    std::string text(static_cast<std::size_t>(std::min(size, file.size())), '\0');
    text.resize(static_cast<std::size_t>(file.read(0, text.data(), static_cast<std::int64_t>(text.size()))));
    if (auto header = matrix::parse_market_header(text, size >= file.size(), file.path())) {
      if (header->field == matrix::MarketField::complex)
        throw Error(ErrorCode::bad_input, "the values are complex", {file.path(), 1},
                    "clusters multiply real matrices only");
      if (header->format != matrix::MarketFormat::coordinate)
        throw Error(ErrorCode::bad_input, "a dense array cannot be read in parts", {file.path(), 1},
                    "store it as coordinate");
      // "1 1" and a line end are the shortest entry.
      if (header->entries > (file.size() - static_cast<std::int64_t>(header->first_entry) + 1) / 4)
        throw Error(ErrorCode::bad_input,
                    fmt::format("the size line announces {} entries, more than the file can hold", header->entries),
                    {file.path(), header->lines}, "check whether it is cut off");
      return *header;
    }
  }
}

template <class Header>
Header from_rank_0(const Communicator& ranks, const std::function<Header()>& read) {
  static_assert(std::is_trivially_copyable_v<Header>, "it is sent as bytes");
  Header header{};
  ranks.agreed([&] {
    if (ranks.rank() == 0) header = read();
  });
  MPI_Bcast(&header, sizeof header, MPI_BYTE, 0, ranks.handle());
  return header;
}
}  // namespace

std::unique_ptr<EntrySource> open_entries(const Communicator& ranks, const Job& job) {
  std::unique_ptr<File> file;
  ranks.agreed([&] { file = std::make_unique<File>(job.matrix.file, ranks.rank()); });
  if (job.matrix.form == MatrixForm::market) {
    const auto header = from_rank_0<matrix::MarketHeader>(ranks, [&] { return read_head(*file); });
    const Range range = share(static_cast<std::int64_t>(header.first_entry), file->size(), ranks.rank(), ranks.size());
    std::unique_ptr<EntrySource> source;
    ranks.agreed([&] { source = std::make_unique<MarketSource>(std::move(file), header, range); });
    return source;
  }
  const auto header = from_rank_0<EntryFileHeader>(ranks, [&] {
    EntryFileHeader head;
    if (file->read(0, reinterpret_cast<char*>(&head), sizeof head) != sizeof head ||
        std::memcmp(head.magic, EntryFileHeader{}.magic, sizeof head.magic) != 0)
      throw Error(ErrorCode::bad_input, "not a file of entries", {file->path()});
    return head;
  });
  return std::make_unique<RecordSource>(std::move(file), header, share(0, header.entries, ranks.rank(), ranks.size()));
}

void stream_entries(const Communicator& ranks, EntrySource& source,
                    const std::function<void(std::vector<FileEntry>)>& take) {
  enum State : std::int64_t { exhausted, more, faulty };
  for (bool mine = true;;) {
    EntrySource::Chunk chunk;
    if (mine) chunk = source.next();
    mine = chunk.more;
    const std::int64_t state = ranks.max(static_cast<std::int64_t>(chunk.fault  ? faulty
                                                                   : chunk.more ? more
                                                                                : exhausted));
    if (state == faulty) {
      const std::int64_t before = ranks.sum_below(source.count_lines());
      ranks.agreed([&] {
        if (!chunk.fault) return;
        Place place = chunk.fault->place();
        if (place.line > 0) place.line += before;
        throw Error(chunk.fault->code(), chunk.fault->reason(), place, chunk.fault->remedy());
      });
    }
    take(std::move(chunk.entries));
    if (state == exhausted) break;
  }
  source.check_count(ranks);
}
}  // namespace sparsecast::cluster
