// The command and what does not mean well: special files, signals, numbers and letters that are none, outputs that
// cannot be written.

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

#include "support/command.hpp"
#include "support/parts.hpp"
#include "support/signals.hpp"

namespace sparsecast::test {
namespace {

namespace fs = std::filesystem;

class Trust : public ::testing::Test {
 protected:
  CommandResult run(const std::vector<std::string>& arguments) { return sparsecast(arguments, {home_}); }
  std::string path(const std::string& name) { return (folder_.path() / name).string(); }
  std::string write(const std::string& name, const std::string& text) { return folder_.write(name, text).string(); }

  // Refused with one line, that is bounded and has no control characters.
  void expect_refused(const std::vector<std::string>& arguments, int code = 3) {
    const CommandResult said = run(arguments);
    EXPECT_EQ(said.exit_code, code) << said.err << said.out;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    EXPECT_LE(said.err.size(), 420U) << said.err;
    EXPECT_TRUE(std::none_of(said.err.begin(), said.err.end() - 1, [](char c) { return c >= 0 && c < ' '; }))
        << said.err;
    EXPECT_EQ(said.err.find("json.exception"), std::string::npos) << said.err;
  }

  TemporaryFolder folder_;
  std::string home_ = "SPARSECAST_HOME=" + (folder_.path() / "home").string();
};

TEST_F(Trust, SpecialFilesAreRefusedAtEveryWayIn) {
  const std::string k = write("k.ptx", "");
  for (const std::string& special : {std::string("/dev/zero"), std::string("/dev/full"), folder_.path().string()}) {
    expect_refused({"info", special}, special.starts_with("/dev") ? 3 : 3);
    expect_refused({"predict", "--profile", special, "a.mtx"});
    expect_refused({"predict", "--records", special});
    expect_refused({"profiles", "import", special, "--name", "x", "-o", path("o")});
    expect_refused({"kernel", k, "--grid", "1", "--block", "32", "--buffer", "0=" + special});
    expect_refused({"traffic", "--translate-only", special});
    expect_refused({"cluster", "predict", "a.mtx", "--cluster", special, "-n", "4"});
    expect_refused({"report", "--compare", special, special, "-o", path("o")});
  }
  EXPECT_FALSE(fs::exists(path("o")));
}

TEST_F(Trust, NamesTooLongForAFileAndProfilesOfNoKindAreRefusedInTheProductsWords) {
  const std::string name(1000, 'x');
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"profiles", "show", name}, {"profiles", "export", name, "-o", path("o")}}) {
    expect_refused(words, 2);
    EXPECT_EQ(run(words).err.find("filesystem error"), std::string::npos) << run(words).err;
  }
  for (const std::string text : {"{}", R"({"schema": 3})", R"({"schema": "sparsecast/profile/1"})"})
    expect_refused({"predict", "--profile", write("p.json", text), "a.mtx"});
  EXPECT_FALSE(fs::exists(path("o")));
}

TEST_F(Trust, NumbersAndLettersThatAreNoneAreBadInput) {
  const std::string good = R"({"rows": 4, "cols": 4, "nonzeros": 4, "row_min": 1, "row_max": 1)";
  int number = 0;
  for (const std::string& ending :
       {std::string(R"(, "row_mean": 1e999})"), R"(, "row_mean": )" + std::string(400, '9') + "}",
        std::string(R"(, "row_mean": -1})"), std::string(R"(, "row_min": 3})"), std::string(R"(, "row_mean": 1e308})"),
        std::string(", \"name\": \"\xff\"}"), std::string(R"(, "schema": "sparsecast/other/9"})"),
        std::string(100'000, '[')})
    expect_refused({"predict", write("s" + std::to_string(number++) + ".json", good + ending)});
  expect_refused({"info", path("no\x1b[31m\n\xff.mtx")});
  EXPECT_EQ(run({"info", path("no\x1b]0;x\x07.mtx")}).err.find('\x1b'), std::string::npos);
}

TEST_F(Trust, AFileCalledWithNoLettersStillMakesADocument) {
  const std::string file = write("a\xff.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
  const CommandResult said = run({"info", file, "--json"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_FALSE(nlohmann::json::parse(said.out, nullptr, false).is_discarded());
}

TEST_F(Trust, AFailedImportLeavesTheOldFile) {
  const std::string old = write("old.json", "precious");
  expect_refused(
      {"profiles", "import", write("bad.tsv", "matrix\ttwin_of\trows\n\xff\xfe\t\xff\t1\n"), "--name", "x", "-o", old});
  EXPECT_EQ(read_text(old), "precious");
}

TEST_F(Trust, NoCommandWritesOverWhatItReads) {
  const std::string program = write("own.m", "%SLM start a;\nx = 1;\n%SLM end a;\n");
  const std::string matrix = write("own.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
  const std::string folder = std::filesystem::path(matrix).parent_path();
  const std::string around = std::filesystem::path(folder) / "." / "own.mtx";
  for (const std::vector<std::string>& words : {std::vector<std::string>{"traffic", program, "--no-run", "-o", program},
                                                {"predict", matrix, "--html", matrix},
                                                {"predict", matrix, "--html", around},
                                                {"measure", "--html", matrix, matrix},
                                                {"plan", matrix, "--save", matrix},
                                                {"plan", "--save", around, matrix},
                                                {"report", folder, "--no-measure", "-o", matrix}}) {
    const std::string before = read_text(program) + read_text(matrix);
    const CommandResult done = run(words);
    EXPECT_EQ(done.exit_code, 2) << words[0] << done.err;
    EXPECT_NE(done.err.find("written over what is read"), std::string::npos) << done.err;
    EXPECT_EQ(read_text(program) + read_text(matrix), before);
  }
  const CommandResult unused = run({"traffic", program, "-o", program + ".new"});
  EXPECT_EQ(unused.exit_code, 2) << unused.err;
}

// Found before the work: `cluster calibrate` measures for minutes, `report` for seconds.
TEST_F(Trust, WhatCannotBeWrittenIsSaidFirst) {
  const std::string matrix = write("m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
  const std::string nowhere = path("nowhere/out");
  for (const auto& [words, status] : std::vector<std::pair<std::vector<std::string>, int>>{
           {{"report", "/no/such.mtx", "-o", nowhere}, 1},  // its matrix is not looked for
           {{"cluster", "calibrate", "--processes", "1", "-o", nowhere}, 1},
           {{"plan", "/no/such.mtx", "--save", nowhere}, 1},
           {{"compare", "/no/such.mtx", "--html", nowhere}, 1},
           {{"compare", matrix, "--html", "-"}, 2},
           {{"profiles", "export", "host", "-o", path("")}, 1}}) {
    const CommandResult done = run(words);
    EXPECT_EQ(done.exit_code, status) << words[0] << done.err;
    const bool said = done.err.find("cannot write the ") != std::string::npos ||
                      done.err.find("/dev/stdout") != std::string::npos ||
                      done.err.find("is a folder") != std::string::npos;
    EXPECT_TRUE(said) << words[0] << done.err;
  }
  EXPECT_FALSE(std::filesystem::exists("-"));
  const std::string page = path("page.html");
  EXPECT_EQ(run({"report", "/no/such.mtx", "--no-measure", "-o", page}).exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(page)) << "trying leaves nothing";
}

TEST_F(Trust, NoRunRunsNothing) {
  const std::string program = write("p.m", "%SLM start a;\nx = 1;\n%SLM end a;\n");
  const std::string source = write("k.cl", "__kernel void k(__global float* a) { a[get_global_id(0)] = 1; }\n");
  const CommandResult said = run({"kernel", source, "--no-run", "--grid", "1", "--block", "32"});
  EXPECT_EQ(said.exit_code, 2) << said.err;
  EXPECT_NE(said.err.find("--no-run forbids"), std::string::npos) << said.err;
  const CommandResult compared = run({"traffic", "--no-run", "--compare", program, program});
  EXPECT_NE(compared.exit_code, 0);
  EXPECT_NE(compared.err.find("--no-run forbids"), std::string::npos) << compared.err;
}

[[noreturn]] void execute(const std::vector<std::string>& arguments, const std::string& home) {
  std::vector<std::string> words{SPARSECAST_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::putenv(const_cast<char*>(home.c_str()));
  with_signals_of_a_terminal();
  for (std::FILE* const file : {stdout, stderr}) static_cast<void>(!::freopen("/dev/null", "w", file));
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

// How the command ends by a signal that comes so long after it began to listen.
int status_after(const std::vector<std::string>& arguments, int signal, const std::string& home, useconds_t pause_us) {
  const pid_t id = ::fork();
  if (id == 0) execute(arguments, home);
  EXPECT_TRUE(listens_in_time(id, signal));
  ::usleep(pause_us);
  ::kill(id, signal);
  int status = 0;
  ::waitpid(id, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// How the command ends where a socket of the Internet's ends it, and all that it starts.
int status_without_network(const std::vector<std::string>& arguments, const std::string& home) {
  const pid_t id = ::fork();
  if (id == 0) {
    const std::uint32_t family = offsetof(seccomp_data, args);
    std::array<sock_filter, 7> filter{{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, family),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    }};
    const sock_fprog program{filter.size(), filter.data()};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) ::_exit(126);
    execute(arguments, home);
  }
  int status = 0;
  ::waitpid(id, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(Trust, NothingButGetOpensTheNetwork) {
  const std::string m = path("m.mtx"), structure = path("s.json");
  const std::string k = write("k.cl", "__kernel void k(__global float* a) { a[get_global_id(0)] = 1; }\n");
  const std::string program = write("p.m", "%SLM start a;\nx = 1;\n%SLM end a;\n");
  const std::vector<std::vector<std::string>> all = {
      {"generate", "poisson2d", "--size", "20", "-o", m},
      {"calibrate", "--quick", "--minutes", "0.001", "--threads", "1"},
      {"info", m},
      {"predict", m, "--threads", "1"},
      {"optimize", m, "--threads", "1", "--no-probe"},
      {"measure", m, "--threads", "1"},
      {"report", m, "--threads", "1", "--no-measure", "-o", path("r.html")},
      {"profiles", "list"},
      {"devices"},
      {"doctor"},
      {"kernel", k, "--grid", "1", "--block", "32"},
      {"traffic", program},
      {"--version"}};
  for (const std::vector<std::string>& words : all)
    EXPECT_LE(status_without_network(words, home_), 4) << words.front();  // 4: a part is not here
  const int got = status_without_network({"get", "HB/bcsstk01"}, home_);
  EXPECT_TRUE(got == 128 + SIGSYS || got == 4) << got;  // which shows that the others were watched
}

TEST_F(Trust, SignalsEndWhateverItDoes) {
  const std::string pipe = path("pipe.json");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    EXPECT_EQ(status_after({"kernel", pipe}, signal, home_, 100'000), 130) << signal;
  // Deep in work that does not ask.
  EXPECT_EQ(status_after({"calibrate"}, SIGTERM, home_, 300'000), 130);
}

}  // namespace
}  // namespace sparsecast::test
