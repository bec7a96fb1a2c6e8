#include "base/guard/open_input.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/command.hpp"
#include "support/refusal.hpp"

namespace sparsecast::base {
namespace {

namespace fs = std::filesystem;

TEST(OpenInput, TakesFilesAndPipesAndNothingElse) {
  const test::TemporaryFolder folder;
  const auto reason = [](const fs::path& file) {
    return test::refusal([&] { OpenInput(file, {.what = "table"}); }).reason();
  };
  for (const char* const device : {"/dev/zero", "/dev/full", "/dev/null", "/dev/random"})
    EXPECT_EQ(reason(device), "cannot read the table: it is a device") << device;
  EXPECT_EQ(reason(folder.path()), "is a folder, not a table");
  EXPECT_EQ(reason(folder.path() / "no"), "cannot read the table: No such file or directory");
  fs::create_symlink("b", folder.path() / "a");
  fs::create_symlink("a", folder.path() / "b");
  EXPECT_NE(reason(folder.path() / "a").find("symbolic links"), std::string::npos);
  const OpenInput file(folder.write("file", "four"), {});
  EXPECT_EQ(file.size(), 4);
  EXPECT_FALSE(file.is_pipe());
}

TEST(OpenInput, APipeWithoutAWriterIsNotWaitedForLong) {
  const test::TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(test::refusal([&] { OpenInput(pipe, {.wait_for_writer_s = 0.05}); }).reason().find("no process writes"),
            std::string::npos);
  // A writer that says nothing yet is one.
  const int writer = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  const OpenInput opened(pipe, {.wait_for_writer_s = 0.05});
  EXPECT_TRUE(opened.is_pipe());
  EXPECT_FALSE(can_read(opened.descriptor(), 0.01));
  ASSERT_EQ(::write(writer, "x", 1), 1);
  EXPECT_TRUE(can_read(opened.descriptor(), 1));
  ::close(writer);
}

}  // namespace
}  // namespace sparsecast::base
