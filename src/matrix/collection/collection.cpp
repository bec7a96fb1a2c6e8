#include "matrix/collection/collection.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/files.hpp"
#include "base/home.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"
#include "matrix/collection/archive_member.hpp"
#include "matrix/collection/market_sizes.hpp"

namespace sparsecast::matrix {
namespace {
namespace fs = std::filesystem;

constexpr std::string_view own_url = "https://sparse.tamu.edu";
constexpr std::int64_t most_index_bytes = std::int64_t{64} << 20;

std::string chosen_url(const std::string& given) {
  std::string url = given.empty() ? base::environment("SPARSECAST_COLLECTION_URL") : given;
  if (url.empty()) url = own_url;
  while (url.ends_with('/')) url.pop_back();
  if (!url.starts_with("http://") && !url.starts_with("https://"))
    throw Error(ErrorCode::usage, "is not an http:// or https:// address", {url},
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
                "set SPARSECAST_HOME to a folder that you may write");
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
      if (!told && options.notice) options.notice("waiting for another process that is fetching it");
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
