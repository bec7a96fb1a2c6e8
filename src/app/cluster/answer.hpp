#pragma once
// What `sparsecast cluster predict` and `script` answer: from the options to forecasts and a choice, as text and JSON.

#include <nlohmann/json_fwd.hpp>
#include <sparsecast/matrix.hpp>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "cluster/models/choice.hpp"
#include "cluster/models/forecast.hpp"
#include "solve/forecast/on_cluster.hpp"

namespace sparsecast::app {

struct ClusterQuestion {
  std::string matrix;
  std::string profile;        ///< cluster profile; empty: node and network
  std::string node, network;  ///< names or files
  std::vector<int> nodes;     ///< counts, with node and network
  int ranks_per_node = 0;     ///< 0: one on every core
  int rank_threads = 1;       ///< with node and network: of each process
  std::vector<std::string> schemes{"2du", "g1dr", "l1dr"}, formats{"csr", "coo"};
  cluster::PredictOptions predict;
  double iterations = 1000;  ///< that a job does: for its cost
  double within_s = 0;       ///< 0: not asked
  bool all = false;          ///< every forecast in the table
  std::string solver;        ///< whose iterations are forecast; empty: products
};

struct ClusterAnswer {
  Matrix matrix;                    ///< made square where the user's is not
  std::int64_t rows = 0, cols = 0;  ///< of the user's
  std::string cluster, source;      ///< name, and where the times come from
  int cores_per_node = 1;
  int rank_threads = 1;
  bool complete = true;  ///< of the profile
  cluster::Prediction prediction;
  cluster::ClusterChoice choice;
  std::string solver;                    ///< the method's whole name; empty: products
  std::vector<solve::ClusterWork> work;  ///< of each forecast, beside its products
};

ClusterAnswer answer(ClusterQuestion& question, const Globals& globals);

nlohmann::ordered_json short_json(const cluster::ClusterForecast& forecast);
/// docs/schemas/cluster-predict.schema.json, without its "schema".
nlohmann::ordered_json answer_json(const ClusterAnswer& answer, const ClusterQuestion& question);
/// A screen of it; every forecast where question.all.
std::string answer_text(const ClusterAnswer& answer, const ClusterQuestion& question);

}  // namespace sparsecast::app
