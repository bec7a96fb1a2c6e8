#pragma once
// A thin value type over one prepared SQLite statement: bind in order, step, read in order. Every failure is an Error.

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <sparsecast/error.hpp>
#include <string>
#include <string_view>

namespace sparsecast::calibration {

class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql) : database_(database) {
    check(sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr));
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  template <class... Values>
  Statement& bind(const Values&... values) {
    (bind_one(values), ...);
    return *this;
  }
  /// True while there is a row.
  bool step() {
    const int result = sqlite3_step(statement_);
    if (result == SQLITE_ROW) {
      column_ = 0;
      return true;
    }
    if (result != SQLITE_DONE) check(result);
    return false;
  }
  [[nodiscard]] std::string text() {
    const int column = column_++;
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes == nullptr ? std::string()
                            : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  }
  /// nullopt for NULL.
  [[nodiscard]] std::optional<double> optional_real() {
    if (sqlite3_column_type(statement_, column_) == SQLITE_NULL) return ++column_, std::nullopt;
    return real();
  }
  [[nodiscard]] double real() { return sqlite3_column_double(statement_, column_++); }
  [[nodiscard]] std::int64_t integer() { return sqlite3_column_int64(statement_, column_++); }

 private:
  void bind_one(std::string_view value) {
    check(sqlite3_bind_text(statement_, ++bound_, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT));
  }
  void bind_one(const std::string& value) { bind_one(std::string_view(value)); }
  void bind_one(const char* value) { bind_one(std::string_view(value)); }
  void bind_one(double value) { check(sqlite3_bind_double(statement_, ++bound_, value)); }
  void bind_one(const std::optional<double>& value) {
    value ? bind_one(*value) : check(sqlite3_bind_null(statement_, ++bound_));
  }
  void bind_one(std::int64_t value) { check(sqlite3_bind_int64(statement_, ++bound_, value)); }
  void bind_one(int value) { bind_one(static_cast<std::int64_t>(value)); }

  void check(int result) const {
    if (result == SQLITE_OK) return;
    const char* file = sqlite3_db_filename(database_, nullptr);
    const std::string reason = sqlite3_errmsg(database_);
    if (result == SQLITE_FULL || result == SQLITE_IOERR)
      throw Error(ErrorCode::failed, "cannot write the store: " + reason, {file != nullptr ? file : ""},
                  "free some disk space and run again");
    throw Error(ErrorCode::failed, "store: " + reason, {file != nullptr ? file : ""},
                "set SPARSECAST_HOME to another folder or remove the file");
  }

  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
  int column_ = 0;
};

}  // namespace sparsecast::calibration
