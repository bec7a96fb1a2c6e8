#include "calibration/database.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <nlohmann/json.hpp>
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

void throw_store_error(sqlite3* database, int result, const std::filesystem::path& file) {
  const std::string reason = sqlite3_errmsg(database);
  const int kind = result & 0xff;
  if (kind == SQLITE_FULL || kind == SQLITE_IOERR)
    throw Error(ErrorCode::failed, "cannot write the store: " + reason, {file.string()},
                "free some disk space and run again; what was reported before is kept");
  if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB)
    throw Error(ErrorCode::failed, "the store is damaged or is none: " + reason, {file.string()},
                "`sqlite3 FILE .recover` saves what can be read; SPARSECAST_HOME names another folder to begin anew");
  if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED)
    throw Error(ErrorCode::failed, "another program holds the store: " + reason, {file.string()},
                "wait for it and run again; where there is none, the file system has no locks: set SPARSECAST_HOME to "
                "a folder of a local disk");
  throw Error(ErrorCode::failed, "cannot use the store: " + reason, {file.string()},
              "set SPARSECAST_HOME to another folder");
}

void Database::Close::operator()(sqlite3* opened) const noexcept { sqlite3_close_v2(opened); }

Database::Database(std::filesystem::path file, std::chrono::milliseconds wait) : file_(std::move(file)), wait_(wait) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open_v2(file_.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  opened_.reset(opened);
  if (result != SQLITE_OK)
    throw Error(ErrorCode::failed, std::string("cannot open the store: ") + sqlite3_errstr(result), {file_.string()},
                "set SPARSECAST_HOME to a folder that you may write");
  sqlite3_busy_timeout(opened, static_cast<int>(wait_.count()));
}

void Database::begin_journal() {
  const char* const sql = is_of_this_host(file_) ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE";
  // Two programs that open a new file at once both want to change its journal, for which SQLite does not wait. A file
  // system without locks looks to it as if another program held them.
  sqlite3_busy_timeout(get(), 0);
  constexpr std::chrono::milliseconds pause(50);
  for (auto left = wait_; left.count() > 0; left -= pause) {
    if (sqlite3_exec(get(), sql, nullptr, nullptr, nullptr) != SQLITE_BUSY) break;
    std::this_thread::sleep_for(pause);
  }
  sqlite3_busy_timeout(get(), static_cast<int>(wait_.count()));
  execute(sql);
}

void Database::execute(const std::string& sql) const {
  if (sqlite3_exec(get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    throw_store_error(get(), sqlite3_errcode(get()), file_);
}

std::int64_t Database::version() const {
  Statement found(*this, "PRAGMA user_version");
  return found.step() ? found.integer() : 0;
}

int Database::changes() const { return sqlite3_changes(get()); }
bool Database::is_read_only() const { return sqlite3_db_readonly(get(), "main") != 0; }

Transaction::~Transaction() {
  if (!committed_) sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

std::vector<double> numbers_of(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const bool numbers = json.is_array() && std::ranges::all_of(json, [](const auto& one) { return one.is_number(); });
  return numbers ? json.get<std::vector<double>>() : std::vector<double>();
}

}  // namespace sparsecast::calibration
