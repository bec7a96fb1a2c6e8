#include "answers/cluster_together.hpp"

#include <algorithm>
#include <sparsecast/error.hpp>

#include "answers/cluster_petsc_products.hpp"
#include "answers/machine.hpp"
#include "cluster/described/recipe.hpp"
#include "cluster/scheme/scheme.hpp"
#include "fields/answers/cluster.hpp"
#include "fields/precision.hpp"
#include "fields/wording.hpp"

namespace sparsecast::answers {
void check_together(const ClusterPredictRequest& request) {
  using wording::option, wording::placeholder;
  const auto profile_of = [](const char* name) { return option("cluster_predict.profile", placeholder(name)); };
  const auto node_of = [](const char* name) { return option("node", placeholder(name)); };
  const auto network_of = [](const char* name) { return option("network", placeholder(name)); };
  const wording::Text solver = option("cluster_predict.solver");
  const bool parts = !request.node.empty() || !request.network.empty(), whole = !request.machine.empty();
  const bool described = parts || whole;
  if (int{parts} + int{whole} + int{!request.profile.empty()} != 1 ||
      (parts && (request.node.empty() || request.network.empty())))
    throw Error(ErrorCode::usage,
                "exactly one of a cluster profile, a node with a network, and a machine must be given", {},
                wording::format("give {}, or {} {}, or {}", profile_of("FILE"), node_of("NAME|FILE.json"),
                                network_of("NAME|FILE.json"), option("machine", placeholder("NAME"))));
  if (!request.nodes.empty() && (!described || !request.processes.empty()))
    throw Error(ErrorCode::usage,
                described ? "numbers of nodes and of processes are given together"
                          : "numbers of nodes are for a node with a network, or a machine",
                {}, wording::format("give {} or {}", option("nodes"), option("processes")));
  if (!parts && !whole && (request.ranks_per_node > 0 || request.rank_threads > 1))
    throw Error(ErrorCode::usage, "a cluster profile has its own number of processes per node and threads", {},
                wording::format("omit {} and {}", option("ranks_per_node"), option("rank_threads")));
  if (request.size != 0 && (request.structure.empty() || cluster::is_recipe(request.structure)))
    throw Error(ErrorCode::usage, wording::format("{} is for a stencil", option("size")), {},
                wording::format("omit it, or give {}", option("structure", "poisson3d")));
  if (whole && (request.ranks_per_node > 0 || request.rank_threads > 1))
    throw Error(ErrorCode::usage, "a machine of the catalogue has its own number of ranks per node", {},
                wording::format("give {} {} for others", node_of("NAME"), network_of("NAME")));
  if (request.precision == Precision::single_ && !request.solver.empty())
    throw Error(ErrorCode::usage, "iterations of solvers are forecast in double precision", {},
                wording::format("give {} or {}, not both", solver, option("precision", Precision::single_)));
  if (!described && !request.structure.empty())
    throw Error(ErrorCode::usage, "a structure can be forecast on a described cluster only", {},
                wording::format("give {} {}", node_of("NAME"), network_of("NAME")));
  if (!request.caches.empty() && request.caches != "common" && request.caches != "apart")
    throw Error(ErrorCode::usage, "'" + request.caches + "' is not a state of two cores", {}, "use common or apart");
  if (described && !request.caches.empty())
    throw Error(ErrorCode::usage, wording::format("{} needs a cluster that was measured", option("caches")), {},
                wording::format("give {} of {}", profile_of("FILE"), wording::ask("cluster_calibrate")));
  if (described && request.model != ClusterPredictRequest().model && request.model != "sparsecast")
    throw Error(ErrorCode::usage,
                wording::format("{} needs a cluster that was measured", option("cluster_predict.model", request.model)),
                {}, wording::format("give {} of {}", profile_of("FILE"), wording::ask("cluster_calibrate")));
  if (!request.petsc_matrix.empty()) {
    (void)petsc_matrix(request.petsc_matrix);
    if (request.solver.empty() || !petsc_iteration(solving::parse_method(request.solver), PetscPreconditioner::none))
      throw Error(ErrorCode::usage, "a PETSc matrix type needs one of PETSc's solvers", {},
                  wording::format("give {} cg, bicgstab or gmres", solver));
  }
  if (!request.preconditioner.empty() && request.solver.empty())
    throw Error(ErrorCode::usage, "a preconditioner needs a solver", {}, wording::format("give {}", solver));
  if (described && !request.solver.empty())
    throw Error(ErrorCode::usage, wording::format("{} needs a cluster that was measured", solver), {},
                wording::format("give {} of {}", profile_of("FILE"), wording::ask("cluster_calibrate")));
}

void keep_rows(std::vector<ClusterScheme>& schemes) {
  for (const ClusterScheme rows : {ClusterScheme::local_rows, ClusterScheme::global_rows})
    if (std::ranges::find(schemes, rows) != schemes.end()) {
      schemes = {rows};
      return;
    }
  throw Error(ErrorCode::usage, "solvers on clusters are PETSc's, which deals out rows", {},
              wording::format("give {}, or none", wording::option("schemes", ClusterScheme::local_rows)));
}

namespace {
// Of what was named, not of all that is taken where nothing is.
template <class Case, class Member>
void remark_cases(const std::vector<Case>& named, std::size_t all, const char* option, Member member,
                  const ClusterPrediction& answer, const Listener& listener) {
  if (named.size() == all) return;
  for (const Case& one : named)
    if (std::ranges::find(answer.forecasts, one, member) == answer.forecasts.end())
      remark_without_effect(answer.cluster.name, wording::option(option, one), listener);
}
}  // namespace

void remark_unused(const ClusterPredictRequest& request, const ClusterPrediction& answer, bool cases) {
  using cluster::ClusterForecast;
  const Listener& listener = request.listener;
  const std::string& name = answer.cluster.name;
  if (cases) {
    remark_cases(request.schemes, cluster::all_schemes().size(), "schemes", &ClusterForecast::scheme, answer, listener);
    remark_cases(request.formats, cluster::all_formats().size(), "formats", &ClusterForecast::format, answer, listener);
  }
  const bool permuted = std::ranges::find(answer.forecasts, ClusterScheme::two_d_uniform, &ClusterForecast::scheme) !=
                        answer.forecasts.end();
  if (request.seed != ClusterPredictRequest().seed && !permuted)
    remark_without_effect(name, wording::option("seed"), listener);
  const bool regression =
      std::ranges::any_of(answer.forecasts, [](const ClusterForecast& f) { return f.model == "svr"; });
  if (request.full && !regression) remark_without_effect(name, wording::option("full", true), listener);
}
}  // namespace sparsecast::answers
