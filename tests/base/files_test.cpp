// Whole files: bounds, one clear line for every failure, and the old file where a new one cannot be written.

#include "base/files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "base/temporary_folder.hpp"
#include "support/command.hpp"
#include "support/interrupt.hpp"

namespace sparsecast::base {
namespace {

namespace fs = std::filesystem;
using test::read_text;
using test::TemporaryFolder;

template <class Act>
Error error_of(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorCode::failed, ""};
}

void expect_one_line(const Error& error, const fs::path& file, const std::string& reason) {
  EXPECT_EQ(error.place().file, file.string());
  EXPECT_NE(error.reason().find(reason), std::string::npos) << error.reason();
  EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  EXPECT_FALSE(error.remedy().empty());
}

std::int64_t files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

unsigned mode_of(const fs::path& file) {
  struct stat status {};
  EXPECT_EQ(stat(file.c_str(), &status), 0);
  return status.st_mode & 07777;
}

// Root is kept out by no mode, so a test that runs as root is nobody for a while.
class Unprivileged {
 public:
  Unprivileged() {
    if (root_ && seteuid(65534) != 0) ADD_FAILURE() << "still root";
  }
  ~Unprivileged() {
    if (root_ && seteuid(0) != 0) ADD_FAILURE() << "root no more";
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  bool root_ = geteuid() == 0;
};

TEST(ReadFile, GivesEveryByte) {
  const TemporaryFolder folder;
  for (const std::size_t size : {0U, 1U, 65535U, 65536U, 65537U, 300000U}) {
    std::string bytes(size, '\0');
    for (std::size_t k = 0; k < size; ++k) bytes[k] = static_cast<char>(k * 7 + k / 256);
    EXPECT_EQ(read_file(folder.write("a", bytes)), bytes) << size;
  }
}

TEST(ReadFile, ReadsWhatTellsNoSize) {
  EXPECT_NE(read_file("/proc/self/status").find("Name:"), std::string::npos);
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string bytes(200000, 'x');
  std::thread writer([&] { write_file_atomically(pipe, bytes); });
  EXPECT_EQ(read_file(pipe), bytes);
  writer.join();
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(ReadFile, WaitsForAPipeButNotBeyondAnInterrupt) {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const test::Interrupt interrupt;
  EXPECT_EQ(error_of([&] { (void)read_file(pipe); }).code(), ErrorCode::interrupted);
}

TEST(ReadFile, RefusesMoreThanTheBound) {
  const TemporaryFolder folder;
  FileToRead about{"table", "give a shorter one", 1000};
  EXPECT_EQ(read_file(folder.write("fits", std::string(1000, 'x')), about).size(), 1000U);
  const auto file = folder.write("longer", std::string(1001, 'x'));
  expect_one_line(error_of([&] { (void)read_file(file, about); }), file,
                  "cannot read the table: it is larger than 1.00 kB");
  about.most_bytes = 1 << 20;
  EXPECT_EQ(error_of([&] { (void)read_file("/dev/zero", about); }).code(), ErrorCode::bad_input);
}

TEST(ReadFile, TellsWhatIsMissingAndWhatIsAFolder) {
  const TemporaryFolder folder;
  const FileToRead about{"plan", "make one", 1000, ErrorCode::usage};
  const auto missing = error_of([&] { (void)read_file(folder.path() / "no", about); });
  expect_one_line(missing, folder.path() / "no", "cannot read the plan: No such file or directory");
  EXPECT_EQ(missing.code(), ErrorCode::usage);
  EXPECT_EQ(missing.remedy(), "make one");
  expect_one_line(error_of([&] { (void)read_file(folder.path()); }), folder.path(), "is a folder, not a file");
  const auto through = folder.write("file", "x") / "below";
  expect_one_line(error_of([&] { (void)read_file(through); }), through, "Not a directory");
}

TEST(ReadFile, TellsWhatMayNotBeRead) {
  const TemporaryFolder folder;
  const auto file = folder.write("secret", "x");
  fs::permissions(folder.path(), fs::perms{0755});
  fs::permissions(file, fs::perms::none);
  const Unprivileged someone;
  expect_one_line(error_of([&] { (void)read_file(file); }), file, "Permission denied");
}

TEST(WriteFile, ReplacesWhatWasThereAndLeavesNothingBeside) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a";
  EXPECT_THROW(write_file_atomically("-", "first"), Error) << "it looks like the standard output";
  EXPECT_FALSE(fs::exists("-"));
  write_file_atomically(file, "first");
  write_file_atomically(file, std::string("se\0cond", 7));
  EXPECT_EQ(read_text(file), std::string("se\0cond", 7));
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(WriteFile, TakesItsPlaceOnlyWhenFinished) {
  const TemporaryFolder folder;
  const auto file = folder.write("a", "old");
  {
    AtomicFile out(file);
    out.write(std::string(100000, 'x'));
    EXPECT_EQ(read_text(file), "old");
  }
  EXPECT_EQ(read_text(file), "old");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(WriteFile, TwoWritersOfOneFileDoNotMeet) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a";
  const auto write_often = [&](char c) {
    for (int k = 0; k < 50; ++k) write_file_atomically(file, std::string(10000, c));
  };
  std::thread other([&] { write_often('b'); });
  write_often('a');
  other.join();
  const auto text = read_text(file);
  EXPECT_TRUE(text == std::string(10000, 'a') || text == std::string(10000, 'b'));
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(WriteFile, HasTheModeOfTheUmaskOrOfTheFileBefore) {
  const TemporaryFolder folder;
  const mode_t before = umask(027);
  const auto file = folder.path() / "a";
  write_file_atomically(file, "x");
  EXPECT_EQ(mode_of(file), 0640U);
  fs::permissions(file, fs::perms{0604});
  write_file_atomically(file, "y");
  EXPECT_EQ(mode_of(file), 0604U);
  umask(before);
}

TEST(WriteFile, GoesThroughALink) {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "old"), link = folder.path() / "link";
  fs::create_symlink("file", link);
  write_file_atomically(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_text(file), "new");
}

TEST(WriteFile, TellsOfAFullDisk) {
  const auto error = error_of([] {
    write_file_atomically("/dev/full", "x", {"picture", "check whether the disk is full"});
  });
  expect_one_line(error, "/dev/full", "cannot write the picture: No space left on device");
  EXPECT_EQ(error.code(), ErrorCode::failed);
  EXPECT_EQ(error.remedy(), "check whether the disk is full");
  EXPECT_TRUE(fs::exists("/dev/full"));
}

TEST(WriteFile, TellsOfAFolderInItsPlaceAndOfOneThatIsMissing) {
  const TemporaryFolder folder;
  expect_one_line(error_of([&] { write_file_atomically(folder.path(), "x"); }), folder.path(),
                  "is a folder, not a file");
  const auto file = folder.path() / "no" / "a";
  expect_one_line(error_of([&] { write_file_atomically(file, "x"); }), file, "No such file or directory");
  EXPECT_EQ(files_in(folder.path()), 0);
}

TEST(WriteFile, LeavesTheOldFileInAReadOnlyFolder) {
  const TemporaryFolder folder;
  const auto file = folder.write("a", "old");
  fs::permissions(folder.path(), fs::perms{0555});
  {
    const Unprivileged someone;
    expect_one_line(error_of([&] { write_file_atomically(file, "new"); }), file, "Permission denied");
  }
  EXPECT_EQ(read_text(file), "old");
  fs::permissions(folder.path(), fs::perms{0700});
}

TEST(WriteFile, LeavesNothingWhereItsPlaceIsTakenMeanwhile) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a";
  {
    AtomicFile out(file);
    out.write("x");
    fs::create_directory(file);
    expect_one_line(error_of([&] { out.finish(); }), file, "Is a directory");
  }
  EXPECT_TRUE(fs::is_directory(file));
  EXPECT_EQ(files_in(folder.path()), 1);
}

}  // namespace
}  // namespace sparsecast::base
