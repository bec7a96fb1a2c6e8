// What stands between the outside and the rest: opening, JSON, ranges, messages, the end of children.

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "base/child_process.hpp"
#include "base/files.hpp"
#include "base/guard/cleanup.hpp"
#include "base/guard/open_input.hpp"
#include "base/guard/parse_json.hpp"
#include "base/guard/printable.hpp"
#include "base/guard/sandbox.hpp"
#include "base/threads.hpp"
#include "support/command.hpp"

namespace sparsecast::base {
namespace {

namespace fs = std::filesystem;

template <class Act>
Error refusal(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorCode::failed, ""};
}

TEST(OpenInput, TakesFilesAndPipesAndNothingElse) {
  const test::TemporaryFolder folder;
  const auto reason = [](const fs::path& file) {
    return refusal([&] { OpenInput(file, {.what = "table"}); }).reason();
  };
  for (const char* const device : {"/dev/zero", "/dev/full", "/dev/null", "/dev/random"})
    EXPECT_EQ(reason(device), "cannot read the table: it is a device") << device;
  EXPECT_EQ(reason(folder.path()), "is a folder, no table");
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
  EXPECT_NE(refusal([&] { OpenInput(pipe, {.wait_for_writer_s = 0.05}); }).reason().find("nobody writes"),
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

TEST(ParseJson, RefusesWithFileLineAndColumn) {
  const auto refused = [](const std::string& text) {
    return refusal([&] { (void)parse_json(text, {"a.json", "mend it"}); });
  };
  struct Case {
    std::string text, reason;
    std::int64_t line, column;
  };
  for (const Case& c :
       {Case{"{\"a\":\n  1e999}", "1e999 is too large a number", 2, 3},
        Case{"[" + std::string(400, '9') + "]", std::string(20, '9') + "… is too large a number", 1, 2},
        Case{"[1,\n\n-1e400]", "-1e400 is too large a number", 3, 1}, Case{"{\n\"a\" 1}", "not JSON at byte 7", 2, 5},
        Case{"[\"\xff\"]", "not JSON at byte 3: no UTF-8", 1, 3}, Case{"", "not JSON at byte 1", 1, 1},
        Case{std::string(100'000, '['), "nested deeper than 200 levels", 1, 201}}) {
    const Error error = refused(c.text);
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_EQ(error.reason(), c.reason);
    EXPECT_EQ(error.place().file, "a.json");
    EXPECT_EQ(error.place().line, c.line) << c.reason;
    EXPECT_EQ(error.place().column, c.column) << c.reason;
    EXPECT_EQ(error.remedy(), "mend it");
  }
  EXPECT_EQ(parse_json(R"({"b": ["[[[", {"a": 1.5}]})", {})["b"][1]["a"], 1.5);
  EXPECT_EQ(parse_json(std::string(200, '[') + std::string(200, ']'), {}).size(), 1U);
  EXPECT_EQ(json_text({{"name", "\xff"}}), "{\"name\":\"\xEF\xBF\xBD\"}") << "a file may be called so";
}

TEST(Ranges, AreCheckedWhereverTheTableSays) {
  static constexpr NumberRange table[] = {{"rows", 0, 10, Numbers::whole},
                                          {"share", 0, 1},
                                          {"a.list[].x", 0, 5, Numbers::above},
                                          {"a.grid[][]", 1, 2},
                                          {"named{}", 0, 1, Numbers::or_text}};
  const auto said = [](const char* text) -> std::string {
    try {
      check_ranges(nlohmann::ordered_json::parse(text), table);
    } catch (const Error& error) {
      return error.reason();
    }
    return {};
  };
  EXPECT_EQ(said(R"({"rows": 10, "share": 1.0000001, "a": {"list": [{"x": 5}], "grid": [[1, 2]]}})"), "");
  EXPECT_EQ(said(R"({"rows": null, "named": {"k": "text", "l": 1}, "others": -5})"), "");
  EXPECT_EQ(said(R"({"rows": 11})"), "rows is 11, not between 0 and 10");
  EXPECT_EQ(said(R"({"rows": -1})"), "rows is -1, not between 0 and 10");
  EXPECT_EQ(said(R"({"rows": 1.5})"), "rows is no whole number");
  EXPECT_EQ(said(R"({"rows": "3"})"), "rows is not a number");
  EXPECT_EQ(said(R"({"rows": 18446744073709551615})"), "rows is 18446744073709551615, not between 0 and 10");
  EXPECT_EQ(said(R"({"share": 1.1})"), "share is 1.1, not between 0 and 1");
  EXPECT_EQ(said(R"({"a": {"list": [{"x": 1}, {"x": 0}]}})"), "a.list[1].x is 0, not above 0 and at most 5");
  EXPECT_EQ(said(R"({"a": {"grid": [[1], [2, 3]]}})"), "a.grid[1][1] is 3, not between 1 and 2");
  EXPECT_EQ(said(R"({"named": {"k": 2}})"), "named.k is 2, not between 0 and 1");
}

TEST(Messages, AreOneBoundedLineThatNoTerminalObeys) {
  EXPECT_EQ(printable("a\nb\t\x1b[31m\x7f\r"), "a\\nb\\t\\x1b[31m\\x7f\\r");
  EXPECT_EQ(printable("µ € 𝄞 \xff \xc3 \xed\xa0\x80"), "µ € 𝄞 \\xff \\xc3 \\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "a control character of its own";
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "turns the direction of writing";
  EXPECT_EQ(printable("0123456789", 9), "0123 … 89");
  EXPECT_EQ(printable("ééééééééééé", 9), "éééé … éé");
  EXPECT_EQ(printable_lines("a\n\x1b[1;31mred\x1b[0m\x1b]0;title\x07"), "a\n\x1b[1;31mred\x1b[0m\\x1b]0;title\\x07");
  const Error long_one(ErrorCode::bad_input, std::string(5000, 'r'), {std::string(5000, 'f'), 7, 8}, "do this");
  const std::string line = long_one.what();
  EXPECT_LE(line.size(), 390U);
  EXPECT_NE(line.find(":7:8: rrr"), std::string::npos);
  EXPECT_TRUE(line.ends_with("; do this"));
  EXPECT_EQ(long_one.reason().size(), 5000U) << "for programs it is whole";
}

TEST(Children, AreEndedWithAllThatTheyStarted) {
  const test::TemporaryFolder folder;
  // A child whose own child has a session of its own, as a launcher's ranks have.
  ChildJob job{.program = "sh", .arguments = {"-c", "setsid sh -c 'echo $$ > id; exec sleep 60' & wait"}};
  job.folder = folder.path();
  job.grace_s = 0.1;
  pid_t grandchild = 0;
  {
    ChildProcess child(job);
    while (test::read_text(folder.path() / "id").find('\n') == std::string::npos)
      ASSERT_FALSE(child.ended_within(0.01));
    grandchild = std::stoi(test::read_text(folder.path() / "id"));
    EXPECT_EQ(::kill(grandchild, 0), 0);
    const auto below = descendants_of(::getpid());
    EXPECT_TRUE(std::ranges::any_of(below, [&](const Descendant& d) { return d.id == grandchild; }));
  }
  // Ended, whether or not somebody has taken its end in yet.
  const auto runs = [&] {
    std::ifstream state(fmt::format("/proc/{}/stat", grandchild));
    std::string number, name, letter;
    return (state >> number >> name >> letter) && letter != "Z" && letter != "X";
  };
  for (int k = 0; k < 500 && runs(); ++k) ::usleep(10'000);
  EXPECT_FALSE(runs());
}

TEST(Children, AreNotStartedWhereProgramsAreForbidden) {
  const Error error = refusal([] {
    const ProgramScope guard({.forbidden = true});
    parallel_for(4, {.threads = 2}, [](std::int64_t) { (void)run_child({.program = "true"}); });
  });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_NE(error.message(Voice::command_line).find("--no-run"), std::string::npos);
  EXPECT_EQ(run_child({.program = "true"}).exit_status, 0);
}

TEST(Children, OfOthersWriteToTheirFoldersAloneAndHaveNoNetwork) {
  const test::TemporaryFolder own, other;
  ChildJob job{
      .program = "sh",
      .arguments = {"-c", fmt::format("echo x > {0}/y && mv {0}/y {0}/z && cat /etc/passwd > /dev/null; echo $? "
                                      "> {0}/own; echo x > {1}/y; echo $? > {0}/other; "
                                      "perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0) or exit 7'; echo "
                                      "$? > {0}/network",
                                      own.path().string(), other.path().string())}};
  job.errors = {ChildOutput::To::caught};
  job.writes_beneath = {own.path()};
  const auto said = [&](const char* file) { return test::read_text(own.path() / file); };
  {
    const ProgramScope guard({.confined = true});
    EXPECT_EQ(run_child(job).exit_status, 0);
  }
  EXPECT_EQ(said("own"), "0\n");
  EXPECT_EQ(said("network"), "7\n");
  EXPECT_EQ(fs::exists(other.path() / "y"), !Sandbox::holds_files());
  EXPECT_EQ(run_child(job).exit_status, 0);  // and by itself it may
  EXPECT_EQ(said("other"), "0\n");
  EXPECT_EQ(said("network"), "0\n");
}

TEST(Children, HaveNoMoreMemoryAndFilesThanTheyAreGiven) {
  const test::TemporaryFolder folder;
  ChildJob job{.program = "sh", .arguments = {"-c", "head -c 100000 /dev/zero > big; test $? -ne 0"}};
  job.folder = folder.path();
  job.errors = {ChildOutput::To::caught};
  job.most_file_bytes = 10000;
  EXPECT_EQ(run_child(job).exit_status, 0);
  EXPECT_LE(fs::file_size(folder.path() / "big"), 10000U);
}

TEST(Files, OfOurOwnHaveNamesThatNobodyCanGuessAndOneReader) {
  EXPECT_EQ(unguessable_name().size(), 16U);
  EXPECT_NE(unguessable_name(), unguessable_name());
  const test::TemporaryFolder folder;
  const fs::path file = folder.write("private", "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  AtomicFile out(file);
  out.write("new");
  for (const auto& entry : fs::directory_iterator(folder.path()))
    EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write) << entry.path();
}

}  // namespace
}  // namespace sparsecast::base
