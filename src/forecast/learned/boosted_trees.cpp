#include "forecast/learned/boosted_trees.hpp"

#include <mutex>
#include <sparsecast/error.hpp>

#ifdef SPARSECAST_HAS_XGBOOST
#include <xgboost/c_api.h>
#endif

namespace sparsecast::forecast {

#ifdef SPARSECAST_HAS_XGBOOST
namespace {

void check(int result) {
  if (result != 0) throw Error(ErrorCode::failed, std::string("XGBoost: ") + XGBGetLastError());
}

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct FreeMatrix {
  void operator()(void* matrix) const noexcept { XGDMatrixFree(matrix); }
};
struct FreeBooster {
  void operator()(void* booster) const noexcept { XGBoosterFree(booster); }
};
using Data = std::unique_ptr<void, FreeMatrix>;
using Booster = std::unique_ptr<void, FreeBooster>;

Data data_of(const RowMajor& features) {
  DMatrixHandle made = nullptr;
  check(XGDMatrixCreateFromMat(features.data(), static_cast<bst_ulong>(features.rows()),
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

bool BoostedTrees::available() { return true; }

BoostedTrees::BoostedTrees(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets) {
  const Data data = data_of(features.cast<float>());
  const Eigen::VectorXf labels = targets.cast<float>();
  check(XGDMatrixSetFloatInfo(data.get(), "label", labels.data(), static_cast<bst_ulong>(labels.size())));
  const DMatrixHandle training[] = {data.get()};
  BoosterHandle made = nullptr;
  check(XGBoosterCreate(training, 1, &made));
  auto model = std::make_shared<Model>();
  model->booster.reset(made);
  for (const auto& [name, value] : settings) check(XGBoosterSetParam(made, name, value));
  for (int round = 0; round < rounds; ++round) check(XGBoosterUpdateOneIter(made, round, data.get()));
  model_ = std::move(model);
}

BoostedTrees::BoostedTrees(const std::vector<std::uint8_t>& bytes) {
  BoosterHandle made = nullptr;
  check(XGBoosterCreate(nullptr, 0, &made));
  auto model = std::make_shared<Model>();
  model->booster.reset(made);
  check(XGBoosterLoadModelFromBuffer(made, bytes.data(), bytes.size()));
  check(XGBoosterSetParam(made, "nthread", "1"));
  model_ = std::move(model);
}

double BoostedTrees::predict(const Eigen::RowVectorXd& features) const {
  if (!model_) return 0;
  const Data row = data_of(features.cast<float>());
  const std::lock_guard lock(model_->one_at_a_time);
  bst_ulong count = 0;
  const float* values = nullptr;
  check(XGBoosterPredict(model_->booster.get(), row.get(), 0, 0, 0, &count, &values));
  if (count != 1) throw Error(ErrorCode::failed, "XGBoost predicted another number of values than rows");
  return static_cast<double>(values[0]);
}

std::vector<std::uint8_t> BoostedTrees::bytes() const {
  if (!model_) return {};
  const std::lock_guard lock(model_->one_at_a_time);
  bst_ulong size = 0;
  const char* text = nullptr;
  check(XGBoosterSaveModelToBuffer(model_->booster.get(), R"({"format":"ubj"})", &size, &text));
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
