#pragma once
// How a database of ours is written: with a journal that its file system can keep.

#include <chrono>
#include <filesystem>

struct sqlite3;

namespace sparsecast::calibration {
/// Begins the journal of a database just opened, and has what follows wait so long for other programs. On a file system
/// of this host, a write-ahead log; on any other (NFS, Lustre, …) a rollback journal, which needs the file's locks
/// alone where a log's index is memory, which hosts do not share (sqlite.org/wal.html). Error failed.
void begin_journal(sqlite3* database, const std::filesystem::path& file, std::chrono::milliseconds wait);
}  // namespace sparsecast::calibration
