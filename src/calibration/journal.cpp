#include "calibration/journal.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <algorithm>
#include <cctype>
#include <iterator>
#include <thread>

#include "calibration/statement.hpp"

namespace sparsecast::calibration {
namespace {
// Whether no other host can have it open: disks' file systems and memory's.
bool is_of_this_host(const std::filesystem::path& file) {
  constexpr unsigned long zfs = 0x2fc12fc1;
  constexpr unsigned long known[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,     F2FS_SUPER_MAGIC, zfs,
                                     TMPFS_MAGIC,      RAMFS_MAGIC,     OVERLAYFS_SUPER_MAGIC, MSDOS_SUPER_MAGIC};
  struct statfs found {};
  std::error_code none;
  const auto place = std::filesystem::exists(file, none) ? file : std::filesystem::absolute(file).parent_path();
  return ::statfs(place.c_str(), &found) == 0 &&
         std::ranges::find(known, static_cast<unsigned long>(found.f_type)) != std::end(known);
}
}  // namespace

bool may_be_written(const std::filesystem::path& file) {
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return true;  // whoever opens it makes it, or is told why not
  const auto folder = std::filesystem::absolute(file).parent_path();
  return ::faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) == 0 &&
         ::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) == 0;
}

int open_to_read(const std::filesystem::path& file, sqlite3** database) {
  std::string name = "file:";
  for (const char c : std::filesystem::absolute(file).string())
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/')
      name += c;
    else
      name += fmt::format("%{:02x}", static_cast<unsigned char>(c));
  name += "?mode=ro";
  // Readers of a write-ahead log write to its index, which they cannot here. Where no log is left, nobody writes, and
  // all there is stands in the file itself.
  std::error_code error;
  const auto log = std::filesystem::file_size(file.string() + "-wal", error);
  if (error || log == 0) name += "&immutable=1";
  return sqlite3_open_v2(name.c_str(), database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
}

void begin_journal(sqlite3* database, const std::filesystem::path& file, std::chrono::milliseconds wait) {
  const char* const sql = is_of_this_host(file) ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE";
  // Two programs that open a new file at once both want to change its journal, for which SQLite does not wait. A file
  // system without locks looks to it as if another program held them.
  sqlite3_busy_timeout(database, 0);
  constexpr std::chrono::milliseconds pause(50);
  for (auto left = wait; left.count() > 0; left -= pause) {
    if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_BUSY) break;
    std::this_thread::sleep_for(pause);
  }
  sqlite3_busy_timeout(database, static_cast<int>(wait.count()));
  execute(database, sql, file);
}
}  // namespace sparsecast::calibration
