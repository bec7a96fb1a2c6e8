
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sparsecast/error.hpp>
#include <stdexcept>

#include "base/temporary_folder.hpp"
#include "support/command.hpp"

namespace sparsecast::base {
namespace {

namespace fs = std::filesystem;

Error error_of(const TemporaryPlace& place) {
  try {
    const TemporaryFolder folder(place);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorCode::failed, ""};
}

TEST(TemporaryFolder, IsItsOwnersAloneAndGoneAfterAnException) {
  fs::path path;
  try {
    const TemporaryFolder folder(TemporaryPlace{.prefix = "sparsecast-base"});
    path = folder.path();
    EXPECT_TRUE(path.filename().string().starts_with("sparsecast-base-"));
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700U);
    fs::create_directories(path / "a/b");
    std::ofstream(path / "a/b/file") << "text";
    throw std::runtime_error("any");
  } catch (const std::runtime_error&) {
  }
  EXPECT_FALSE(path.empty());
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, IsGoneWhereOneMoreFileMayBeOpen) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  fs::path path;
  {
    const TemporaryFolder folder(TemporaryPlace{.prefix = "sparsecast-base"});
    path = folder.path();
    fs::create_directories(path / "a" / "b" / "c");
    std::ofstream(path / "a" / "b" / "file") << "text";
    fs::create_directory_symlink("/", path / "a" / "link");
    const int next = ::dup(STDERR_FILENO);  // the lowest that is free
    ::close(next);
    const rlimit one{static_cast<rlim_t>(next) + 1, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &one), 0);
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, MakesTheParentThatIsNamed) {
  const test::TemporaryFolder outer;
  const TemporaryFolder one(TemporaryPlace{.parent = outer.path() / "x/y"}),
      other(TemporaryPlace{.parent = outer.path() / "x/y"});
  EXPECT_EQ(one.path().parent_path(), outer.path() / "x/y");
  EXPECT_NE(one.path(), other.path());
}

TEST(TemporaryFolder, PassesOverWhatDoesNotSuit) {
  const test::TemporaryFolder outer;
  fs::create_directory(outer.path() / "two words");
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", (outer.path() / "two words").c_str(), 1);
  constexpr auto no_blank = [](const fs::path& path) { return path.string().find(' ') == std::string::npos; };
  {
    const TemporaryFolder plain(TemporaryPlace{.suits = no_blank}), any;
    EXPECT_EQ(plain.path().string().find(' '), std::string::npos);
    EXPECT_EQ(any.path().parent_path(), outer.path() / "two words");
  }
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

TEST(TemporaryFolder, TellsWhereNoneCanBe) {
  const test::TemporaryFolder outer;
  const auto file = outer.write("file", "x");
  const auto error = error_of({.purpose = "the job", .parent = file, .remedy = "name another place"});
  EXPECT_EQ(error.code(), ErrorCode::failed);
  EXPECT_EQ(error.place().file, file.string());
  EXPECT_EQ(error.reason(), "cannot create a folder for the job: Not a directory");
  EXPECT_EQ(error.remedy(), "name another place");
}

}  // namespace
}  // namespace sparsecast::base
