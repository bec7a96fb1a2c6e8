#include "matrix/collection/collection.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <thread>

#include "base/files.hpp"
#include "base/home.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "base/wording.hpp"

namespace sparsecast::matrix {
namespace {
// Whether a Matrix Market file is the one that the index promises: its banner and its size line against the entry.

constexpr std::size_t longest_line = 1 << 16;  // of the head

std::vector<std::int64_t> numbers_of(std::string_view line) {
  std::vector<std::int64_t> numbers;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (at != end) {
    if (*at == ' ' || *at == '\t' || *at == '\r') {
      ++at;
      continue;
    }
    std::int64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return {};
    numbers.push_back(number);
    at = next;
  }
  return numbers;
}

class MarketSizes {
 public:
  /// `file` is for messages. `entry` must outlive it.
  MarketSizes(const CollectionEntry& entry, std::string file) : entry_(entry), file_(std::move(file)) {}

  /// The next piece of the file; Error bad_input once it is clear that the file is another matrix.
  void read(std::string_view bytes) {
    while (!sizes_ && !bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      line_ += bytes.substr(0, end);
      if (line_.size() > longest_line) refuse("is no Matrix Market file: a line of its head does not end");
      if (end == std::string_view::npos) return;
      bytes.remove_prefix(end + 1);
      read_line(line_);
      line_.clear();
    }
    if (bytes.empty()) return;
    lines_ += std::ranges::count(bytes, '\n');
    last_ = bytes.back();
  }
  /// At the end of the file: Error bad_input where there was no size line, or fewer lines than entries.
  void finish() const {
    if (!sizes_) refuse("ends before its size line");
    const std::int64_t lines = lines_ + (last_ == '\n' ? 0 : 1);
    if (lines < entries_)
      refuse(fmt::format("ends after {} of {} entries", base::format_count(lines), base::format_count(entries_)));
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(
        ErrorCode::bad_input, reason, {file_},
        wording::format("it was not kept; {} fetches the index anew", wording::command("get", {{"refresh", true}})));
  }
  void read_line(std::string_view line) {
    if (!banner_) {
      const std::string words = base::lower_case(line);
      if (!words.starts_with("%%matrixmarket matrix ")) refuse("is no Matrix Market file");
      banner_ = true;
      array_ = words.find(" array ") != std::string::npos;
      symmetric_ = words.find(" general") == std::string::npos;
      return;
    }
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '%') return;
    const std::vector<std::int64_t> sizes = numbers_of(line);
    if (sizes.size() != (array_ ? 2 : 3)) refuse("has no size line");
    compare(sizes[0], sizes[1], array_ ? 0 : sizes[2]);
    entries_ = array_ ? 0 : sizes[2];
    sizes_ = true;
  }
  void compare(std::int64_t rows, std::int64_t cols, std::int64_t entries) const {
    if (rows != entry_.rows || cols != entry_.cols)
      refuse(fmt::format("is {} × {}; by the index it is {} × {}", base::format_count(rows), base::format_count(cols),
                         base::format_count(entry_.rows), base::format_count(entry_.cols)));
    if (array_) return;
    // Of a symmetric matrix one triangle is stored. Zeros that are stored may not be counted.
    const std::int64_t most = entry_.entries > 0 ? entry_.entries : INT64_MAX;
    const std::int64_t least = symmetric_ ? entry_.nonzeros / 2 : entry_.nonzeros;
    if (entries < least || entries > most)
      refuse(fmt::format("holds {} entries; by the index it has {} non-zeros", base::format_count(entries),
                         base::format_count(entry_.nonzeros)));
  }

  const CollectionEntry& entry_;
  std::string file_;
  std::string line_;  ///< the beginning of a line of the head
  bool banner_ = false, sizes_ = false;
  bool symmetric_ = false, array_ = false;
  std::int64_t entries_ = 0;  ///< by the size line
  std::int64_t lines_ = 0;    ///< with an end, after the size line
  char last_ = '\n';
};

// Bytes that a matrix's file may have at most, by its entry in the index.
std::int64_t most_market_bytes(const CollectionEntry& entry) {
  // Two indices of at most 20 digits, two numbers of at most 27 characters. Where the zeros are not counted, a file may
  // hold as many again.
  constexpr std::int64_t head = 1 << 20, most_entries = INT64_MAX / 512;
  const std::int64_t entries = entry.entries > 0 ? entry.entries : 2 * std::min(entry.nonzeros, most_entries);
  return head + 96 * std::min(entries, most_entries);
}

namespace fs = std::filesystem;

constexpr std::string_view own_url = "https://sparse.tamu.edu";
constexpr std::int64_t most_index_bytes = std::int64_t{64} << 20;

std::string chosen_url(const std::string& given) {
  std::string url = given.empty() ? base::environment("SPARSECAST_COLLECTION_URL") : given;
  if (url.empty()) url = own_url;
  while (url.ends_with('/')) url.pop_back();
  if (!url.starts_with("http://") && !url.starts_with("https://"))
    throw Error(ErrorCode::usage, "is no http:// or https:// address", {url},
                "for example https://mirror.example/collection");
  return url;
}

// A folder's name of a server's address: "127.0.0.1_8080".
std::string server_folder(const std::string& url) {
  std::string name = url.substr(url.find("//") + 2);
  for (char& c : name)
    if (!is_collection_name(std::string("x") + c)) c = '_';
  return name.empty() || name.front() == '.' ? "_" + name : name;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(ErrorCode::failed, "cannot create the folder: " + error.message(), {folder.string()},
                "set SPARSECAST_HOME");
}

// Held while something is fetched: servers refuse several requests at a time, and a file has one writer.
class Turn {
 public:
  Turn(const fs::path& folder, const DownloadOptions& options) {
    make_folder(folder);
    const std::string file = (folder / "lock").string();
    lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock_ < 0) throw Error(ErrorCode::failed, "cannot be opened: " + base::error_text(errno), {file});
    for (bool told = false; ::flock(lock_, LOCK_EX | LOCK_NB) != 0; told = true) {
      if (!told && options.notice) options.notice("another process is fetching; waiting for it");
      if (base::interrupt_requested()) ::close(lock_);
      base::throw_if_interrupted();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  ~Turn() { ::close(lock_); }
  Turn& operator=(Turn&&) = delete;  // nor copied

 private:
  int lock_ = -1;
};

void discard(const fs::path& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
}
}  // namespace

Collection::Collection(CollectionOptions options) : options_(std::move(options)) {
  options_.url = chosen_url(options_.url);
  folder_ = base::home_folder() / "collection" / server_folder(options_.url);
}

fs::path Collection::file_of(const CollectionEntry& entry) const {
  return folder_ / entry.group / (entry.name + ".mtx");
}

const CollectionIndex& Collection::index() {
  if (index_) return *index_;
  const fs::path file = folder_ / "ssstats.csv";
  if (!fs::exists(file)) refresh();
  const base::FileToRead about{.what = "index of the collection", .most_bytes = most_index_bytes};
  return index_.emplace(parse_collection_index(base::read_file(file, about), file.string()));
}

void Collection::refresh() {
  index_.reset();
  const Turn turn(folder_, options_.download);
  DownloadOptions download = options_.download;
  download.what = "index of the collection";
  download.most_bytes = most_index_bytes;
  const fs::path part = folder_ / "ssstats.csv.part";
  discard(part);  // it is small, and another version is another file
  matrix::download(options_.url + "/files/ssstats.csv", part, download);
  const std::string text = base::read_file(part, {.what = "index", .most_bytes = most_index_bytes});
  try {
    static_cast<void>(parse_collection_index(text, options_.url + "/files/ssstats.csv"));
  } catch (const Error&) {
    discard(part);  // the one that is kept stays
    throw;
  }
  fs::rename(part, folder_ / "ssstats.csv");
}

fs::path Collection::matrix(std::string_view name) {
  const std::vector<std::string_view> parts = base::split(name, '/');
  if (parts.size() == 2 && is_collection_name(parts[0]) && is_collection_name(parts[1])) {
    fs::path file = folder_ / parts[0] / (std::string(parts[1]) + ".mtx");
    if (fs::exists(file)) return file;
  }
  return matrix(find_matrix(index(), name));
}

fs::path Collection::matrix(const CollectionEntry& entry) {
  fs::path file = file_of(entry);
  if (fs::exists(file)) return file;
  make_folder(file.parent_path());
  const Turn turn(folder_, options_.download);
  if (!fs::exists(file)) fetch(entry);  // another process may just have brought it
  return file;
}

void Collection::fetch(const CollectionEntry& entry) {
  const fs::path part = folder_ / entry.group / (entry.name + ".tar.gz.part");
  DownloadOptions download = options_.download;
  download.what = entry.full_name();
  // Beside the matrix an archive may hold right-hand sides and the like.
  download.most_bytes = 2 * most_market_bytes(entry) + (std::int64_t{1} << 28);
  const std::string url = fmt::format("{}/MM/{}/{}.tar.gz", options_.url, entry.group, entry.name);
  const bool resumed = fs::exists(part);
  matrix::download(url, part, download);
  try {
    unpack(entry, part);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) throw;
    discard(part);
    if (!resumed || error.code() != ErrorCode::bad_input) throw;
    // What was there may have been the beginning of another version.
    matrix::download(url, part, download);
    try {
      unpack(entry, part);
    } catch (const Error&) {
      discard(part);
      throw;
    }
  }
  discard(part);
}

void Collection::unpack(const CollectionEntry& entry, const fs::path& archive) const {
  const fs::path target = file_of(entry);
  MarketSizes sizes(entry, entry.full_name());
  base::AtomicFile out(target, {.what = "matrix"});
  MemberToTake member;
  member.path = fmt::format("{0}/{0}.mtx", entry.name);
  member.most_bytes = most_market_bytes(entry);
  member.most_unpacked = 8 * member.most_bytes + (std::int64_t{1} << 32);
  read_member(archive, member, [&](std::string_view bytes) {
    sizes.read(bytes);
    out.write(bytes);
  });
  sizes.finish();
  out.finish();
}
}  // namespace sparsecast::matrix
