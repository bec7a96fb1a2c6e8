// Answers as C++ asks for them: wherever the matrix is, from several threads at once, and stopped.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <sparsecast/answers.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/read.hpp>
#include <thread>

#include "answers/inputs.hpp"
#include "answers/solver_choice.hpp"
#include "fields/answers/info.hpp"
#include "fields/json.hpp"
#include "support/command.hpp"

namespace sparsecast::asked {
namespace {

MatrixSpec grid(int size) { return {.kind = "poisson2d", .parameters = {.size = size}}; }

std::string document(const MatrixInfo& info) { return fields::written(info).dump(); }

TEST(Answers, InfoIsTheSameOfAMatrixItsFileAndItsStructure) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "poisson2d-30.mtx";
  const GeneratedFile made = generate_file({.spec = grid(30), .file = file});
  EXPECT_EQ(made.matrix.rows, 900);
  EXPECT_TRUE(made.symmetric);
  const Matrix matrix = read_matrix(file);
  const MatrixInfo of_matrix = info({.matrix = matrix});
  EXPECT_EQ(of_matrix.matrix.nonzeros, made.matrix.nonzeros);
  EXPECT_EQ(document(info({.matrix = file})), document(of_matrix));
  EXPECT_EQ(document(info({.matrix = of_matrix.structure})), document(of_matrix));
  const auto again = fields::read_struct<MatrixInfo>(fields::written(of_matrix));
  EXPECT_EQ(document(again), document(of_matrix));
}

TEST(Answers, OfAFolderEveryFormatIsRead) {
  const test::TemporaryFolder folder;
  for (const char* const name :
       {"a.mtx", "b.MTX.gz", "c.hb", "d.rra", "e.mm", "._a.mtx", "notes.md", "f.tar.gz", "g.txt"})
    folder.write(name, "any text");
  std::string told;
  Listener listener;
  listener.remark = [&](std::string_view line) { told += line; };
  std::vector<std::string> names;
  for (const auto& file : answers::matrix_files({folder.path().string()}, listener))
    names.push_back(file.filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"a.mtx", "b.MTX.gz", "c.hb", "d.rra", "e.mm"}));
  EXPECT_NE(told.find("left out: 2 (f.tar.gz, g.txt)"), std::string::npos) << told;
}

TEST(Answers, AreGivenToSeveralThreadsAtOnce) {
  constexpr int askers = 4;
  std::vector<std::string> alone, together(askers);
  for (int i = 0; i < askers; ++i) alone.push_back(document(info({.matrix = generate(grid(20 + i)), .threads = 1})));
  std::atomic<std::size_t> described = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < askers; ++i)
      threads.emplace_back([&, i] {
        together[static_cast<std::size_t>(i)] = document(info({.matrix = generate(grid(20 + i)), .threads = 1}));
        described += catalogue().devices.size() + describe({.device = "nvidia-a100"}).strips.size();
      });
  }
  EXPECT_EQ(together, alone);
  EXPECT_EQ(described, askers * (catalogue().devices.size() + describe({.device = "nvidia-a100"}).strips.size()));
}

TEST(Answers, EndWhereAStopIsRequested) {
  const test::TemporaryFolder home;
  setenv("SPARSECAST_HOME", home.path().c_str(), 1);
  std::stop_source stop;
  stop.request_stop();
  const auto code_of = [&](const auto& ask) {
    try {
      ask();
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::failed;
  };
  EXPECT_EQ(code_of([&] { (void)calibrate({.quick = true, .listener = {.stop = stop.get_token()}}); }),
            ErrorCode::interrupted);
  EXPECT_EQ(code_of([&] { (void)check_device({.kernels = {"ell"}, .listener = {.stop = stop.get_token()}}); }),
            ErrorCode::interrupted);
  unsetenv("SPARSECAST_HOME");
}

TEST(LoadMatrix, SharesWhatIsInMemoryReadsFilesAndRefusesStructures) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file =
      folder.write("two.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n");
  const Matrix read = load_matrix(file);
  EXPECT_EQ(read.name(), "two");
  EXPECT_EQ(read.nonzeros(), 1);
  const auto values_of = [](const Matrix& matrix) {
    return matrix.visit([](const auto& csr) { return static_cast<const void*>(csr.values.data()); });
  };
  EXPECT_EQ(values_of(load_matrix(read)), values_of(read));
  EXPECT_THROW((void)load_matrix(analyze(read)), Error);
  EXPECT_THROW((void)load_matrix(folder.path() / "missing.mtx"), Error);
}

TEST(Answers, TellTheirListenerAlone) {
  const test::TemporaryFolder folder;
  const std::filesystem::path no_banner =
      folder.write("plain.mtx", "%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n");
  std::vector<std::string> remarks;
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  const MatrixInfo read =
      info({.matrix = no_banner, .listener = {.remark = [&](std::string_view line) { remarks.emplace_back(line); }}});
  EXPECT_EQ(::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(read.matrix.nonzeros, 1);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_NE(remarks.front().find("plain.mtx"), std::string::npos);
}

// What a device refuses when it is to run is not what finishes first there.
TEST(Answers, AGpuOfThisMachineIsAdvisedTheSolversThatItRuns) {
  std::string told;
  Listener listener;
  listener.remark = [&](std::string_view line) { told += line; };
  const auto chosen = [&](const char* device, const char* file, const char* method) {
    told.clear();
    return answers::runs_there(device, file, solving::parse_method(method), false, listener);
  };
  using enum solving::PreconditionerKind;
  const auto of_cg = chosen("opencl:0", "", "cg");
  ASSERT_TRUE(of_cg);
  EXPECT_TRUE(of_cg(none));
  for (const auto kind : {jacobi, block_jacobi, ilu0, ic0}) EXPECT_FALSE(of_cg(kind));
  EXPECT_EQ(told, "");
  EXPECT_FALSE(chosen("cuda:1", "", "gmres")) << "all are forecast";
  EXPECT_EQ(told, "a forecast alone: cuda:1 runs no gmres:30");
  for (const auto& [device, file] : {std::pair("host", ""), {"nvidia-h100", ""}, {"opencl:0", "profile.json"}}) {
    EXPECT_FALSE(chosen(device, file, "gmres"));
    EXPECT_EQ(told, "");
  }
}

}  // namespace
}  // namespace sparsecast::asked
