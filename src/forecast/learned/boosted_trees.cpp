#include "forecast/learned/boosted_trees.hpp"

#include <dlfcn.h>
#include <mutex>
#include <sparsecast/error.hpp>
#include <type_traits>

#ifdef SPARSECAST_HAS_XGBOOST
#include <xgboost/c_api.h>
#endif

namespace sparsecast::forecast {
#ifdef SPARSECAST_HAS_XGBOOST
namespace {
// clang-format off
#define SPARSECAST_XGBOOST(F) \
  F(XGBGetLastError) \
  F(XGDMatrixCreateFromMat) \
  F(XGDMatrixSetFloatInfo) \
  F(XGDMatrixFree) \
  F(XGBoosterCreate) \
  F(XGBoosterSetParam) \
  F(XGBoosterUpdateOneIter) \
  F(XGBoosterLoadModelFromBuffer) \
  F(XGBoosterSaveModelToBuffer) \
  F(XGBoosterPredict) \
  F(XGBoosterFree)
// clang-format on

// Its functions, from the library that is opened when trees are asked for.
struct XgBoost {
// NOLINTNEXTLINE(bugprone-macro-parentheses): it names a member
#define SPARSECAST_FUNCTION(name) decltype(&::name) name = nullptr;
  SPARSECAST_XGBOOST(SPARSECAST_FUNCTION)
#undef SPARSECAST_FUNCTION
  bool complete = false;

  XgBoost() {
    void* library = nullptr;
    for (const char* name : {"libxgboost.so.0", "libxgboost.so"})
      if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    complete = library != nullptr;
    const auto find = [&](auto& function, const char* name) {
      if (complete) function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
      complete = complete && function != nullptr;
    };
#define SPARSECAST_FIND(name) find(name, #name);
    SPARSECAST_XGBOOST(SPARSECAST_FIND)
#undef SPARSECAST_FIND
  }
};
const XgBoost& xgboost() {
  static const XgBoost functions;
  return functions;
}
void require_xgboost() {
  if (!xgboost().complete) throw Error(ErrorCode::unavailable, "XGBoost is not here", {}, "install libxgboost0");
}

void check(int result) {
  if (result != 0) throw Error(ErrorCode::failed, std::string("XGBoost: ") + xgboost().XGBGetLastError());
}

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct FreeMatrix {
  void operator()(void* matrix) const noexcept { xgboost().XGDMatrixFree(matrix); }
};
struct FreeBooster {
  void operator()(void* booster) const noexcept { xgboost().XGBoosterFree(booster); }
};
using Data = std::unique_ptr<void, FreeMatrix>;
using Booster = std::unique_ptr<void, FreeBooster>;

Data data_of(const RowMajor& features) {
  DMatrixHandle made = nullptr;
  check(xgboost().XGDMatrixCreateFromMat(features.data(), static_cast<bst_ulong>(features.rows()),
                                         static_cast<bst_ulong>(features.cols()), -1e30F, &made));
  return Data(made);
}

// Chosen before any table was judged: shallow trees, many of them, each on a part of the rows and columns.
constexpr int rounds = 400;
constexpr std::pair<const char*, const char*> settings[] = {{"objective", "reg:squarederror"},
                                                            {"max_depth", "5"},
                                                            {"eta", "0.05"},
                                                            {"subsample", "0.7"},
                                                            {"colsample_bytree", "0.7"},
                                                            {"min_child_weight", "5"},
                                                            {"nthread", "1"},
                                                            {"seed", "1"},
                                                            {"verbosity", "0"}};
}  // namespace

struct BoostedTrees::Model {
  Booster booster;
  mutable std::mutex one_at_a_time;  // XGBoost's boosters must not predict from several threads at once
};

bool BoostedTrees::available() { return xgboost().complete; }

BoostedTrees::BoostedTrees(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets) {
  require_xgboost();
  const Data data = data_of(features.cast<float>());
  const Eigen::VectorXf labels = targets.cast<float>();
  check(xgboost().XGDMatrixSetFloatInfo(data.get(), "label", labels.data(), static_cast<bst_ulong>(labels.size())));
  const DMatrixHandle training[] = {data.get()};
  BoosterHandle made = nullptr;
  check(xgboost().XGBoosterCreate(training, 1, &made));
  auto model = std::make_shared<Model>();
  model->booster.reset(made);
  for (const auto& [name, value] : settings) check(xgboost().XGBoosterSetParam(made, name, value));
  for (int round = 0; round < rounds; ++round) check(xgboost().XGBoosterUpdateOneIter(made, round, data.get()));
  model_ = std::move(model);
}

BoostedTrees::BoostedTrees(const std::vector<std::uint8_t>& bytes) {
  require_xgboost();
  BoosterHandle made = nullptr;
  check(xgboost().XGBoosterCreate(nullptr, 0, &made));
  auto model = std::make_shared<Model>();
  model->booster.reset(made);
  check(xgboost().XGBoosterLoadModelFromBuffer(made, bytes.data(), bytes.size()));
  check(xgboost().XGBoosterSetParam(made, "nthread", "1"));
  model_ = std::move(model);
}

double BoostedTrees::predict(const Eigen::RowVectorXd& features) const {
  if (!model_) return 0;
  const Data row = data_of(features.cast<float>());
  const std::lock_guard lock(model_->one_at_a_time);
  bst_ulong count = 0;
  const float* values = nullptr;
  check(xgboost().XGBoosterPredict(model_->booster.get(), row.get(), 0, 0, 0, &count, &values));
  if (count != 1) throw Error(ErrorCode::failed, "XGBoost predicted another number of values than rows");
  return static_cast<double>(values[0]);
}

std::vector<std::uint8_t> BoostedTrees::bytes() const {
  if (!model_) return {};
  const std::lock_guard lock(model_->one_at_a_time);
  bst_ulong size = 0;
  const char* text = nullptr;
  check(xgboost().XGBoosterSaveModelToBuffer(model_->booster.get(), R"({"format":"ubj"})", &size, &text));
  return {text, text + size};
}

#else

struct BoostedTrees::Model {};

bool BoostedTrees::available() { return false; }
BoostedTrees::BoostedTrees(const Eigen::MatrixXd&, const Eigen::VectorXd&) {
  throw Error(ErrorCode::unavailable, "this build has no XGBoost", {}, "install libxgboost-dev and build again");
}
BoostedTrees::BoostedTrees(const std::vector<std::uint8_t>&) {
  throw Error(ErrorCode::unavailable, "this build has no XGBoost", {}, "install libxgboost-dev and build again");
}
double BoostedTrees::predict(const Eigen::RowVectorXd&) const { return 0; }
std::vector<std::uint8_t> BoostedTrees::bytes() const { return {}; }

#endif
}  // namespace sparsecast::forecast
