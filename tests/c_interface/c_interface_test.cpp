// Both sides of the C interface: that it answers as C++ does, and what callers may do wrong.

#include <gtest/gtest.h>
#include <sparsecast.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <regex>
#include <set>
#include <sparsecast/answers/plan_needs.hpp>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/plan.hpp>
#include <sparsecast/threads.hpp>
#include <sparsecast/write.hpp>
#include <sstream>
#include <thread>

#include "c_interface/members.hpp"
#include "interface/measured_host.hpp"
#include "solving/solve.hpp"
#include "solving/step.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::c_interface {
namespace {

// ---- the same answers as in C++

class CInterface : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    home = std::make_unique<test::TemporaryFolder>();
    setenv("SPARSECAST_HOME", home->path().c_str(), 1);
    test::store_measured_host(home->path(), default_threads());
  }
  static void TearDownTestSuite() {
    unsetenv("SPARSECAST_HOME");
    home.reset();
  }
  static std::unique_ptr<test::TemporaryFolder> home;
};
std::unique_ptr<test::TemporaryFolder> CInterface::home;

struct Handles {
  sparsecast_matrix* matrix = nullptr;
  sparsecast_plan* plan = nullptr;
  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    sparsecast_plan_free(plan);
    sparsecast_matrix_free(matrix);
  }
};

#define ASSERT_OK(call) ASSERT_EQ(call, SPARSECAST_OK) << sparsecast_error_text()

// A matrix whose plan is wanted in several blocks where that pays.
MatrixSpec long_rows() { return {.kind = "longrow", .row_length = 6, .rows = 3000, .seed = 3}; }

void lend(const Matrix& matrix, Handles& handles) {
  sparsecast_csr csr{};
  csr.struct_size = sizeof csr;
  csr.rows = matrix.rows(), csr.cols = matrix.cols(), csr.nonzeros = matrix.nonzeros();
  matrix.visit([&]<class Value, class Offset, class Index>(const CsrSpans<Value, Offset, Index>& spans) {
    csr.row_pointers = spans.row_pointers.data(), csr.column_indices = spans.column_indices.data();
    csr.values = spans.values.data();
    csr.row_pointer_type = sizeof(Offset) == 4 ? SPARSECAST_INT32 : SPARSECAST_INT64;
    csr.column_index_type = sizeof(Index) == 4 ? SPARSECAST_INT32 : SPARSECAST_INT64;
    csr.value_type = sizeof(Value) == 4 ? SPARSECAST_FLOAT : SPARSECAST_DOUBLE;
  });
  ASSERT_OK(sparsecast_matrix_borrow(&csr, &handles.matrix));
}

std::vector<double> some_vector(std::int64_t entries) {
  std::vector<double> x(static_cast<std::size_t>(entries));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
  return x;
}

TEST_F(CInterface, MultipliesAsCppDoesToTheLastBit) {
  const Matrix matrix = generate(long_rows());
  Handles c;
  lend(matrix, c);
  PlanRequest request;
  request.matrix = matrix;
  // How long several threads take to start decides on their number, and is looked at for each plan.
  request.threads = 1;
  const std::vector<double> x = some_vector(matrix.cols());
  for (const char* kernel : {"", "csr", "sell", "ell", "hyb"}) {
    sparsecast_plan_options options{};
    options.struct_size = sizeof options;
    options.threads = *kernel == 0 ? 1 : 0;
    options.kernel = *kernel == 0 ? nullptr : kernel;
    ASSERT_OK(sparsecast_plan_create(c.matrix, &options, &c.plan));
    const Plan plan = *kernel == 0 ? sparsecast::plan(request) : Plan(matrix, one_kernel(matrix, kernel));
    std::vector<double> mine(static_cast<std::size_t>(matrix.rows())), theirs(mine.size());
    plan.apply(x, mine);
    ASSERT_OK(sparsecast_apply(c.plan, SPARSECAST_NORMAL, 1, x.data(), matrix.cols(), 0, theirs.data(), matrix.rows()));
    EXPECT_EQ(mine, theirs) << kernel;
    std::vector<double> back(static_cast<std::size_t>(matrix.cols()), 1.0), other(back);
    plan.apply_transposed(mine, back, 0.5, 2);
    ASSERT_OK(sparsecast_apply(c.plan, SPARSECAST_TRANSPOSED, 0.5, mine.data(), matrix.rows(), 2, other.data(),
                               matrix.cols()));
    EXPECT_EQ(back, other) << kernel;
    ASSERT_OK(sparsecast_plan_free(c.plan));
    c.plan = nullptr;
  }
}

// A' (A x) of a plan for both products, beside one product after the other.
TEST_F(CInterface, MultipliesByBothInTurns) {
  const Matrix matrix = generate(long_rows());
  Handles c;
  lend(matrix, c);
  sparsecast_plan_options options{};
  options.struct_size = sizeof options;
  options.products = "A=1,B=1";
  EXPECT_EQ(sparsecast_plan_create(c.matrix, &options, &c.plan), SPARSECAST_USAGE);
  options.products = "A=1,A.T=1";
  ASSERT_OK(sparsecast_plan_create(c.matrix, &options, &c.plan));
  const std::vector<double> x = some_vector(matrix.cols());
  std::vector<double> y(static_cast<std::size_t>(matrix.rows())), z(x.size()), gram(x.size());
  ASSERT_OK(sparsecast_apply(c.plan, SPARSECAST_NORMAL, 1, x.data(), matrix.cols(), 0, y.data(), matrix.rows()));
  ASSERT_OK(sparsecast_apply(c.plan, SPARSECAST_TRANSPOSED, 1, y.data(), matrix.rows(), 0, z.data(), matrix.cols()));
  ASSERT_OK(sparsecast_apply_gram(c.plan, x.data(), matrix.cols(), gram.data(), matrix.cols()));
  for (std::size_t i = 0; i < z.size(); ++i) ASSERT_NEAR(z[i], gram[i], 1e-9 * (1 + std::abs(z[i])));
  EXPECT_EQ(sparsecast_apply_gram(c.plan, x.data(), matrix.cols(), gram.data(), matrix.cols() - 1), SPARSECAST_USAGE);
  EXPECT_EQ(sparsecast_apply_gram(c.plan, nullptr, matrix.cols(), gram.data(), matrix.cols()), SPARSECAST_USAGE);
}

// Two plans time their powers each for itself, so that they may differ in what pays and with it in rounding.
void expect_agreement(std::span<const double> mine, std::span<const double> theirs) {
  ASSERT_EQ(mine.size(), theirs.size());
  for (std::size_t i = 0; i < mine.size(); ++i)
    EXPECT_NEAR(mine[i], theirs[i], 1e-12 * (1 + std::abs(mine[i]))) << "entry " << i;
}

TEST_F(CInterface, TakesPowersAsCppDoes) {
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 40}});
  Handles c;
  lend(matrix, c);
  sparsecast_plan_options options{};
  options.struct_size = sizeof options;
  options.powers = 3;
  ASSERT_OK(sparsecast_plan_create(c.matrix, &options, &c.plan));
  sparsecast_powers told{};
  told.struct_size = sizeof told;
  ASSERT_OK(sparsecast_plan_powers(c.plan, &told));
  EXPECT_EQ(told.k, 3);
  EXPECT_GT(std::strlen(told.reason), 0U);
  PlanRequest request;
  request.matrix = matrix;
  request.powers = 3;
  const Plan plan = sparsecast::plan(request);
  const std::int64_t n = matrix.rows();
  const std::vector<double> x = some_vector(n), coefficients{1, 0.5, -0.25};
  std::vector<double> mine(static_cast<std::size_t>(3 * n)), theirs(mine.size());
  plan.apply_powers(x, mine);
  ASSERT_OK(sparsecast_apply_powers(c.plan, x.data(), n, theirs.data(), 3 * n));
  expect_agreement(mine, theirs);
  std::vector<double> one(x.size()), other(x.size());
  plan.apply_power(x, one, 2);
  ASSERT_OK(sparsecast_apply_power(c.plan, 2, x.data(), n, other.data(), n));
  expect_agreement(one, other);
  plan.apply_polynomial(coefficients, x, one);
  ASSERT_OK(sparsecast_apply_polynomial(c.plan, coefficients.data(), 3, x.data(), n, other.data(), n));
  expect_agreement(one, other);
  plan.apply_chebyshev(coefficients, 0, 8, x, one);
  ASSERT_OK(sparsecast_apply_chebyshev(c.plan, coefficients.data(), 3, 0, 8, x.data(), n, other.data(), n));
  expect_agreement(one, other);
  EXPECT_EQ(sparsecast_apply_powers(c.plan, x.data(), n, theirs.data(), 4 * n), SPARSECAST_USAGE);
}

// Arrays are read where they are lent, unless the plan tells of copies.
TEST_F(CInterface, TellsWhatItCopied) {
  const Matrix matrix = generate(long_rows());
  Handles c;
  lend(matrix, c);
  const auto copied = [&](const char* kernel, std::int32_t precision) -> std::int64_t {
    sparsecast_plan_options options{};
    options.struct_size = sizeof options;
    options.kernel = kernel, options.precision = precision;
    sparsecast_strategy info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(sparsecast_plan_create(c.matrix, &options, &c.plan), SPARSECAST_OK) << sparsecast_error_text();
    EXPECT_EQ(sparsecast_plan_info(c.plan, &info), SPARSECAST_OK);
    EXPECT_EQ(sparsecast_plan_free(c.plan), SPARSECAST_OK);
    c.plan = nullptr;
    EXPECT_LE(info.copied_bytes, info.bytes);
    return info.copied_bytes;
  };
  for (const char* kernel : {"csr", "csr-scalar", "csr-merge"}) EXPECT_EQ(copied(kernel, 0), 0) << kernel;
  EXPECT_EQ(copied("csr", SPARSECAST_SINGLE), matrix.nonzeros() * 4);  // values in the other precision
  EXPECT_GE(copied("coo", 0), matrix.nonzeros() * 16);
}

std::string text_of(const char* text) { return text == nullptr ? "nothing" : text; }

TEST_F(CInterface, ForecastsWhatCppForecasts) {
  const Matrix matrix = generate(long_rows());
  Handles c;
  lend(matrix, c);
  // Of a described processor: the two libraries of this program would each probe an unknown host for themselves.
  const Prediction mine = predict({.matrix = matrix, .device = "intel-xeon-8480", .iterations = 50});
  sparsecast_predict_options options{};
  options.struct_size = sizeof options;
  options.device = "intel-xeon-8480";
  options.iterations = 50;
  sparsecast_prediction* theirs = nullptr;
  ASSERT_OK(sparsecast_predict(c.matrix, &options, &theirs));
  sparsecast_prediction_summary all{};
  all.struct_size = sizeof all;
  ASSERT_OK(sparsecast_prediction_info(theirs, &all));
  ASSERT_GE(mine.forecasts.size(), 3U);
  ASSERT_EQ(all.forecasts, static_cast<std::int64_t>(mine.forecasts.size()));
  EXPECT_EQ(all.recommended, mine.recommended.kernel);
  EXPECT_EQ(all.threads, -1);  // none was chosen
  for (std::size_t i = 0; i < mine.forecasts.size(); ++i) {
    const Forecast& wanted = mine.forecasts[i];
    sparsecast_forecast one{};
    one.struct_size = sizeof one;
    ASSERT_OK(sparsecast_prediction_forecast(theirs, static_cast<std::int64_t>(i), &one));
    EXPECT_EQ(one.kernel, wanted.kernel);
    EXPECT_EQ(one.model, wanted.model);
    EXPECT_DOUBLE_EQ(one.seconds, wanted.seconds);
    EXPECT_DOUBLE_EQ(one.high_s, wanted.high_s);
    EXPECT_EQ(one.bytes, wanted.bytes.value_or(-1));
    EXPECT_EQ(std::isnan(one.preprocess_s), !wanted.preprocess_s.has_value());
    EXPECT_EQ(one.parts, static_cast<std::int64_t>(wanted.parts.size()));
    EXPECT_EQ(text_of(one.bound_by), wanted.bound_by ? std::string(to_string(*wanted.bound_by)) : "nothing");
    EXPECT_STREQ(one.records_precision, "double");
  }
  EXPECT_EQ(sparsecast_prediction_free(theirs), SPARSECAST_OK);
}

TEST_F(CInterface, AnswersWhereNothingWasMeasured) {
  const test::TemporaryFolder empty;
  setenv("SPARSECAST_HOME", empty.path().c_str(), 1);
  Handles c;
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 80}});
  lend(matrix, c);
  EXPECT_EQ(sparsecast_plan_create(c.matrix, nullptr, &c.plan), SPARSECAST_OK) << sparsecast_error_text();
  sparsecast_prediction* prediction = nullptr;
  EXPECT_EQ(sparsecast_predict(c.matrix, nullptr, &prediction), SPARSECAST_OK) << sparsecast_error_text();
  sparsecast_forecast one{};
  one.struct_size = sizeof one;
  EXPECT_EQ(sparsecast_prediction_forecast(prediction, 0, &one), SPARSECAST_OK);
  EXPECT_STREQ(one.tier, "shipped");
  EXPECT_EQ(sparsecast_prediction_free(prediction), SPARSECAST_OK);
  setenv("SPARSECAST_HOME", home->path().c_str(), 1);
}

// ---- what callers may do wrong

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

// ---- programs

struct Solved {
  int iterations = 0;
  double norm = 0;
};

Solved run_of(const std::string& out) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(out, found, std::regex(R"((\d+) iterations.*\|x\| = ([0-9.e+-]+))"))) << out;
  return found.empty() ? Solved{} : Solved{std::stoi(found[1]), std::stod(found[2])};
}

// The library's own solver on the same system.
Solved library_run(const Matrix& matrix, const char* method) {
  solving::SolveTask task{.method = solving::parse_method(method), .kernel = "csr", .threads = 1};
  task.run.tolerance = 1e-10;
  const solving::SolveResult result =
      solving::run_solve(matrix, task, solving::Vector(static_cast<std::size_t>(matrix.rows()), 1.0));
  double square = 0;
  for (const double x : result.x) square += x * x;
  return {static_cast<int>(result.iterations), std::sqrt(square)};
}

// What stands before the promises, indented by three blanks.
TEST(CInterfaceHeader, OpensWithAProgramThatRuns) {
  std::istringstream lines(test::read_text(SPARSECAST_SOURCE_DIR "/include/sparsecast.h"));
  std::string program;
  for (std::string line; std::getline(lines, line) && line != " * What this header guarantees";)
    if (line.starts_with(" *   ")) program += line.substr(5) + "\n";
  const test::TemporaryFolder folder;
  const std::string source = folder.write("example.c", program), built = folder.path() / "example";
  const std::string library = std::filesystem::path(C_LIBRARY).parent_path();
  const test::CommandResult compiled = test::run_program(
      C_COMPILER, {"-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I" SPARSECAST_SOURCE_DIR "/include",
                   source, "-o", built, "-L" + library, "-lsparsecast_c", "-Wl,-rpath," + library});
  ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
  const test::CommandResult ran = test::run_program(built, {});
  EXPECT_EQ(ran.out, "5 5\n") << ran.err;
}

class CInterfaceProgram : public CInterface {
 protected:
  static std::string file_of(const Matrix& matrix) {
    const auto file = home->path() / "system.mtx";
    write_matrix_market(matrix, file);
    return file.string();
  }
  static void solves_as_the_library(const std::string& program, const Matrix& matrix, const char* method) {
    const test::CommandResult ran = test::run_program(program, {file_of(matrix)});
    ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    const Solved theirs = run_of(ran.out), ours = library_run(matrix, method);
    EXPECT_GT(ours.iterations, 10);
    EXPECT_NEAR(theirs.iterations, ours.iterations, 2);
    EXPECT_NEAR(theirs.norm, ours.norm, 1e-7 * ours.norm);
    const test::CommandResult none = test::run_program(program, {"/no/such/file"});
    EXPECT_EQ(none.exit_code, 1);
    EXPECT_NE((none.out + none.err).find("/no/such/file: cannot read"), std::string::npos) << none.out << none.err;
  }
};

TEST_F(CInterfaceProgram, CgInC) {
  solves_as_the_library(EXAMPLE_CG, generate({.kind = "poisson2d", .parameters = {.size = 50}}), "cg");
}

// A stream through a square of so many points on a side: not symmetric.
Matrix stream(int side) {
  Csr<std::int32_t, std::int32_t> csr{side * side, side * side, {0}, {}, {}};
  for (int row = 0; row < side * side; ++row) {
    const int across = row % side, down = row / side;
    const auto put = [&](bool there, int column, double value) {
      if (there) csr.column_indices.push_back(column), csr.values.push_back(value);
    };
    put(down > 0, row - side, -1.4);
    put(across > 0, row - 1, -1.2);
    put(true, row, 4);
    put(across + 1 < side, row + 1, -0.8);
    put(down + 1 < side, row + side, -0.6);
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.values.size()));
  }
  return {Matrix::Storage(std::move(csr)), "stream"};
}

TEST_F(CInterfaceProgram, GmresInFortran) {
#ifdef EXAMPLE_GMRES
  solves_as_the_library(EXAMPLE_GMRES, stream(30), "gmres:30");
#else
  SKIP_OR_FAIL(test::parts::gfortran);
#endif
}

TEST_F(CInterfaceProgram, PowerIterationInOctave) {
#ifdef OCTAVE_PLAN
  const Matrix graph = generate({.kind = "rmat", .seed = 1, .parameters = {.scale = 10, .edges = 8000}});
  const test::CommandResult ran =
      test::run_program(OCTAVE_CLI, {"--no-gui", "--norc", "--quiet", "--path", OCTAVE_PLAN, "--path",
                                     SPARSECAST_SOURCE_DIR "/examples/c_interface", "--eval",
                                     "printf ('%.15g\\n', power_iteration ('" + file_of(graph) + "'))"});
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  solving::SolveTask task{.method = solving::parse_method("power"), .kernel = "csr", .threads = 1};
  const std::vector<double> ours = solving::run_solve(graph, task).eigenvalues;
  ASSERT_EQ(ours.size(), 1U);
  EXPECT_GT(ours[0], 10);
  EXPECT_NEAR(std::stod(ran.out), ours[0], 1e-6 * ours[0]);
#else
  SKIP_OR_FAIL(test::parts::octave_dev);
#endif
}

}  // namespace
}  // namespace sparsecast::c_interface
