#pragma once
// A SQLite file that several programs, and on other file systems several hosts, may have open.

#include <chrono>
#include <filesystem>
#include <memory>

struct sqlite3;

namespace sparsecast::calibration {
/// An open file. Every failure is an Error failed with the file and a way out.
class Database {
 public:
  /// Opens the file, or creates it; what follows waits so long for other programs.
  Database(std::filesystem::path file, std::chrono::milliseconds wait);

  /// On a file system of this host, a write-ahead log; on any other (NFS, Lustre, …) a rollback journal, which needs
  /// the file's locks alone where a log's index is memory, which hosts do not share (sqlite.org/wal.html).
  void begin_journal();
  /// Statements without values and rows.
  void execute(const std::string& sql) const;
  /// Of the program's own, 0 in a new file.
  [[nodiscard]] std::int64_t version() const;
  /// Rows that the last statement changed.
  [[nodiscard]] int changes() const;
  [[nodiscard]] bool is_read_only() const;
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] sqlite3* get() const { return opened_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* opened) const noexcept;
  };
  std::filesystem::path file_;
  std::chrono::milliseconds wait_;
  std::unique_ptr<sqlite3, Close> opened_;
};

/// All or nothing: rolled back unless committed.
class Transaction {
 public:
  explicit Transaction(const Database& database) : database_(database) { database_.execute("BEGIN IMMEDIATE"); }
  ~Transaction();
  Transaction& operator=(Transaction&&) = delete;  // nor copied
  void commit() {
    database_.execute("COMMIT");
    committed_ = true;
  }

 private:
  const Database& database_;
  bool committed_ = false;
};
}  // namespace sparsecast::calibration
