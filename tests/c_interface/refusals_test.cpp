// What callers of the C interface may do wrong.

#include <gtest/gtest.h>
#include <sparsecast.h>

#include <atomic>
#include <chrono>
#include <set>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/generate.hpp>
#include <thread>

#include "c_interface/fixture.hpp"

namespace sparsecast::c_interface {
namespace {

TEST_F(CInterface, TellsInWordsOfCWhatToDo) {
  Handles c;
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 5}});
  lend(matrix, c);
  sparsecast_prediction* prediction = nullptr;
  sparsecast_predict_options options{};
  options.struct_size = sizeof options;
  options.model = "guo";
  options.precision = SPARSECAST_SINGLE;
  EXPECT_EQ(sparsecast_predict(c.matrix, &options, &prediction), SPARSECAST_FAILED);
  const std::string missing = text_of(sparsecast_error_text());
  EXPECT_NE(missing.find("sparsecast_calibrate() with device = \"host\", quick = 0, precision = SPARSECAST_SINGLE"),
            std::string::npos)
      << missing;
  options.device = "no-such-device";  // what C has no function for is a command
  EXPECT_EQ(sparsecast_predict(c.matrix, &options, &prediction), SPARSECAST_USAGE);
  const std::string unknown = text_of(sparsecast_error_text());
  EXPECT_NE(
      unknown.find(
          "`sparsecast devices --catalogue` lists all; for a description of your own give device = \"FILE.json\""),
      std::string::npos)
      << unknown;
}

TEST_F(CInterface, NeverGivesAMatrixWithNumbersOutOfRangeToAPlan) {
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 5}});
  Handles c;
  lend(matrix, c);
  sparsecast_plan_options options{};
  options.struct_size = sizeof options;
  const auto refused = [&](auto sparsecast_plan_options::*member, std::int64_t value) {
    sparsecast_plan_options wrong = options;
    wrong.*member = static_cast<std::decay_t<decltype(wrong.*member)>>(value);
    return sparsecast_plan_create(c.matrix, &wrong, &c.plan);
  };
  EXPECT_EQ(refused(&sparsecast_plan_options::iterations, -1), SPARSECAST_USAGE);
  EXPECT_NE(text_of(sparsecast_error_text()).find("iterations is -1"), std::string::npos) << sparsecast_error_text();
  EXPECT_EQ(refused(&sparsecast_plan_options::vectors, -3), SPARSECAST_USAGE);
  EXPECT_EQ(refused(&sparsecast_plan_options::threads, -1), SPARSECAST_USAGE);
  EXPECT_EQ(refused(&sparsecast_plan_options::precision, 3), SPARSECAST_USAGE);
  options.device = "no-such-device";
  EXPECT_EQ(sparsecast_plan_create(c.matrix, &options, &c.plan), SPARSECAST_UNAVAILABLE);
}

// A kernel that is named needs no search, but nothing that was asked for is dropped without a word.
TEST_F(CInterface, TellsWhatANamedKernelIsFor) {
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 5}});
  Handles c;
  lend(matrix, c);
  sparsecast_plan_options options{};
  options.struct_size = sizeof options;
  options.kernel = "sell", options.kernels = "csr,sell", options.model = "guo";
  options.iterations = 50, options.vectors = 3, options.transposed = 1;
  sparsecast_strategy info{};
  info.struct_size = sizeof info;
  ASSERT_OK(sparsecast_plan_create(c.matrix, &options, &c.plan));
  ASSERT_OK(sparsecast_plan_info(c.plan, &info));
  EXPECT_EQ(info.iterations, 50);
  EXPECT_EQ(info.vectors, 3);
  EXPECT_EQ(info.transposed, 1);
  sparsecast_plan* none = nullptr;
  options.model = "no-such";
  EXPECT_EQ(sparsecast_plan_create(c.matrix, &options, &none), SPARSECAST_USAGE);
  EXPECT_NE(text_of(sparsecast_error_text()).find("there is no model 'no-such'"), std::string::npos);
  options.model = nullptr, options.kernels = "csr";
  EXPECT_EQ(sparsecast_plan_create(c.matrix, &options, &none), SPARSECAST_USAGE);
  EXPECT_NE(text_of(sparsecast_error_text()).find("kernel is sell, which kernels leaves out"), std::string::npos)
      << sparsecast_error_text();
  options.kernel = nullptr, options.kernels = ",";
  EXPECT_EQ(sparsecast_plan_create(c.matrix, &options, &none), SPARSECAST_USAGE) << "no kernel is not all of them";
  EXPECT_NE(text_of(sparsecast_error_text()).find("kernels is \",\""), std::string::npos) << sparsecast_error_text();
}

// What only a search or a forecast would use.
TEST_F(CInterface, RefusesWhatANamedKernelWouldDrop) {
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 5}});
  Handles c;
  lend(matrix, c);
  const auto refusal = [&](auto sparsecast_plan_options::*member, auto value) {
    sparsecast_plan_options options{};
    options.struct_size = sizeof options;
    options.kernel = "sell", options.*member = value;
    EXPECT_EQ(sparsecast_plan_create(c.matrix, &options, &c.plan), SPARSECAST_USAGE);
    return text_of(sparsecast_error_text());
  };
  EXPECT_EQ(refusal(&sparsecast_plan_options::trials, "auto"),
            "kernel is sell: nothing is forecast or tried, and trials would be ignored; omit kernel or trials");
  EXPECT_NE(refusal(&sparsecast_plan_options::strip_rows, 8).find("strip_rows"), std::string::npos);
  EXPECT_NE(refusal(&sparsecast_plan_options::max_blocks, 2).find("max_blocks"), std::string::npos);
  EXPECT_NE(refusal(&sparsecast_plan_options::always_cut, 1).find("always_cut"), std::string::npos);
  sparsecast_plan_options options{};
  options.struct_size = sizeof options;
  options.kernel = "sell", options.profile = "/no/such/file.json";
  ASSERT_OK(sparsecast_plan_create(c.matrix, &options, &c.plan));
  EXPECT_EQ(text_of(sparsecast_remarks()), "profile is without effect: kernel is sell, and nothing is forecast");
}

// Which product is to be fast is said in one way: "A=1" beside the transpose would be a plan for either.
TEST_F(CInterface, RefusesProductsBesideTheTranspose) {
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 5}});
  Handles c;
  lend(matrix, c);
  sparsecast_plan_options options{};
  options.struct_size = sizeof options;
  options.products = "A=1", options.transposed = 1;
  EXPECT_EQ(sparsecast_plan_create(c.matrix, &options, &c.plan), SPARSECAST_USAGE);
  EXPECT_EQ(text_of(sparsecast_error_text()),
            "products already says how often the transpose is applied; omit transposed = 1");
}

// What the command says on stderr beside an answer, and the answer alone does not tell.
TEST_F(CInterface, KeepsWhatAnAnswerSaysBesideItself) {
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 5}});
  Handles c;
  lend(matrix, c);
  sparsecast_predict_options options{};
  options.struct_size = sizeof options;
  options.device = "nvidia-h100", options.threads = 4;
  sparsecast_prediction* prediction = nullptr;
  ASSERT_OK(sparsecast_predict(c.matrix, &options, &prediction));
  sparsecast_prediction_free(prediction);
  EXPECT_EQ(text_of(sparsecast_remarks()), "threads is without effect on nvidia-h100");
  std::jthread([] { EXPECT_STREQ(sparsecast_remarks(), ""); }).join();  // each thread has its own

  // A product does not ask for them and does not forget them; the next answer has its own, also one that fails.
  options = {};
  options.struct_size = sizeof options, options.device = "no-such-device";
  EXPECT_NE(sparsecast_predict(c.matrix, &options, &prediction), SPARSECAST_OK);
  EXPECT_STREQ(sparsecast_remarks(), "");

  const test::TemporaryFolder folder;
  const std::string file =
      folder.write("large.mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 9007199254740993\n");
  sparsecast_matrix* read = nullptr;
  ASSERT_OK(sparsecast_matrix_read(file.c_str(), &read));
  sparsecast_matrix_free(read);
  EXPECT_NE(text_of(sparsecast_remarks()).find("round"), std::string::npos) << sparsecast_remarks();
}

// One thread multiplies, another changes and frees: each call is done or refused, and every product is one of the two.
TEST_F(CInterface, TellsWhoMeetsAnotherThreadThatItIsBusy) {
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 60}});
  Handles c;
  lend(matrix, c);
  sparsecast_plan_options options{};
  options.struct_size = sizeof options;
  options.kernel = "csr", options.threads = 1;
  ASSERT_OK(sparsecast_plan_create(c.matrix, &options, &c.plan));
  const std::vector<double> ones(static_cast<std::size_t>(matrix.nonzeros()), 1.0);
  const std::vector<double> x(static_cast<std::size_t>(matrix.cols()), 1.0);
  std::atomic<int> products = 0, refused = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        std::vector<double> y(x.size());
        for (int status = SPARSECAST_OK; status != SPARSECAST_BAD_HANDLE;) {
          status = sparsecast_apply(c.plan, SPARSECAST_NORMAL, 1, x.data(), matrix.cols(), 0, y.data(), matrix.rows());
          std::this_thread::sleep_for(std::chrono::microseconds(50));  // nobody waits: who changes needs a gap
          if (status == SPARSECAST_OK) {
            ++products;
            // An inner row: 4 - 1 - 1 - 1 - 1 before, five ones afterwards.
            EXPECT_TRUE(y[61 + 60] == 0 || y[61 + 60] == 5) << y[61 + 60];
          } else if (status == SPARSECAST_BUSY) {
            ++refused;
          }
        }
      });
    while (products < 200) std::this_thread::yield();
    int updates = 0;
    while (updates < 20) {
      const int status = sparsecast_plan_update_values(c.plan, ones.data(), matrix.nonzeros());
      ASSERT_TRUE(status == SPARSECAST_OK || status == SPARSECAST_BUSY) << sparsecast_error_text();
      status == SPARSECAST_OK ? ++updates : ++refused;
    }
    int freed = 0;
    while ((freed = sparsecast_plan_free(c.plan)) == SPARSECAST_BUSY) ++refused;
    EXPECT_EQ(freed, SPARSECAST_OK);
  }
  EXPECT_GE(products, 200);
}

TEST_F(CInterface, KnowsEveryBitPatternThatIsNoHandle) {
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 3}});
  Handles c;
  lend(matrix, c);
  sparsecast_matrix_size size{};
  size.struct_size = sizeof size;
  ASSERT_OK(sparsecast_matrix_info(c.matrix, &size));
  const auto good = reinterpret_cast<std::uintptr_t>(c.matrix);
  for (int bit = 0; bit < 64; ++bit) {
    const std::uintptr_t bad = good ^ (std::uintptr_t{1} << bit);
    EXPECT_EQ(sparsecast_matrix_info(reinterpret_cast<sparsecast_matrix*>(bad), &size), SPARSECAST_BAD_HANDLE) << bit;
  }
}

TEST_F(CInterface, UsesThePlacesOfFreedHandlesAgain) {
  std::set<std::uintptr_t> handles, places;
  for (int i = 0; i < 5000; ++i) {
    Handles c;
    ASSERT_OK(sparsecast_matrix_generate("poisson2d", R"({"size": 2})", 0, &c.matrix));
    handles.insert(reinterpret_cast<std::uintptr_t>(c.matrix));
    places.insert(reinterpret_cast<std::uintptr_t>(c.matrix) & 0xfffffff);
  }
  EXPECT_EQ(handles.size(), 5000U);
  EXPECT_LT(places.size(), 100U);
}

}  // namespace
}  // namespace sparsecast::c_interface
