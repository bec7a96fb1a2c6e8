// The paper's worked example (vector addition) and what holds for any kernel graph.
#include "gpu_code/graph/kernel_graph.hpp"

#include <gtest/gtest.h>

#include <random>
#include <sparsecast/error.hpp>

#include "gpu_code/graph/composite_graph.hpp"
#include "gpu_code/graph/graph_json.hpp"
#include "gpu_code/graph/longest_path.hpp"
#include "gpu_code/graph/paper_models.hpp"
#include "gpu_code/graph/picture.hpp"
#include "gpu_code/kernel_analysis.hpp"
#include "gpu_code/max_plus.hpp"
#include "support/parts.hpp"

namespace sparsecast::gpu_code {
namespace {

KernelGraph vector_addition() {
  return parse_graph(R"({"schema":"sparsecast/kernel-graph/1",
    "nodes":[{"id":"c","kind":"output"},{"id":"sum","time":"tau"},{"id":"a","kind":"input"},{"id":"b","kind":"input"}],
    "arcs":[{"from":"a","to":"sum","time":"t","access":"global-load"},{"from":"b","to":"sum","time":"t","access":"global-load"},{"from":"sum","to":"c","time":"T","access":"global-store"}],
    "times":{"t":4e-7,"T":3e-7,"tau":2e-8,"dt":1e-9,"dT":2e-9},"instances":1000,"executors":64})",
                     "vadd.json");
}

/// Layers of nodes with arcs to later layers; every node lies on some way from an input to an output or is harmless.
KernelGraph random_graph(unsigned seed) {
  std::mt19937 random(seed);
  KernelGraph g;
  const int layers = 3 + static_cast<int>(random() % 4), width = 1 + static_cast<int>(random() % 5);
  for (int l = 0; l < layers; ++l)
    for (int w = 0; w < width; ++w) {
      KernelGraph::Node n;
      n.id = std::to_string(l) + "." + std::to_string(w);
      n.kind = l == 0            ? KernelGraph::NodeKind::input
               : l == layers - 1 ? KernelGraph::NodeKind::output
                                 : KernelGraph::NodeKind::state;
      if (l > 0 && random() % 2) n.time.seconds = static_cast<double>(random() % 9);
      g.nodes.push_back(n);
    }
  const auto count = static_cast<std::int32_t>(g.nodes.size());
  for (std::int32_t v = width; v < count; ++v)
    for (int k = 0; k < 2; ++k) {
      const auto from = static_cast<std::int32_t>(random() % static_cast<unsigned>(v / width * width));
      g.arcs.push_back(
          {from, v, {-1, static_cast<double>(random() % 20)}, random() % 3 == 0 ? Access::global_load : Access::none});
    }
  return g;
}

/// Z of the paper: z_ij = time from node j to node i, with the loop z_ii = τ of computing nodes.
MaxPlusMatrix kernel_matrix(const KernelGraph& graph, const GraphTimes& times) {
  const auto n = static_cast<std::int64_t>(graph.nodes.size());
  std::vector<MaxPlusEntry> entries;
  for (std::size_t a = 0; a < graph.arcs.size(); ++a)
    entries.push_back({graph.arcs[a].to, graph.arcs[a].from, times.arc[a]});
  for (std::int64_t v = 0; v < n; ++v)
    if (!graph.nodes[static_cast<std::size_t>(v)].time.is_zero())
      entries.push_back({v, v, times.node[static_cast<std::size_t>(v)]});
  return {n, n, entries};
}

/// 1_i or 1_o: 0 at the nodes of that kind, ε elsewhere.
MaxPlusVector ends(const KernelGraph& graph, KernelGraph::NodeKind kind) {
  MaxPlusVector x;
  for (const auto& node : graph.nodes) x.push_back(node.kind == kind ? 0 : epsilon);
  return x;
}

/// ⟨1_o, Z^⊙h ⊙ 1_i⟩.
double time_by_matrix(const KernelGraph& graph, const GraphTimes& times, std::int64_t h) {
  return inner(ends(graph, KernelGraph::NodeKind::output),
               gpu_code::apply(power(kernel_matrix(graph, times), h), ends(graph, KernelGraph::NodeKind::input)));
}

double time_by_matrix(const ExtraArcForm& form, bool padded) {
  const auto n = static_cast<std::int64_t>(form.inputs.size());
  MaxPlusMatrix matrix(n, n, form.matrix);
  if (padded) matrix = sum(matrix, MaxPlusMatrix::identity(n));
  return inner(form.outputs, gpu_code::apply(power(matrix, form.height), form.inputs));
}

TEST(PaperModels, HeightsOfTheVectorAddition) {
  EXPECT_EQ(height(vector_addition(), false), 2);
  EXPECT_EQ(height(vector_addition(), true), 3);
}

TEST(PaperModels, TimesOfTheVectorAddition) {
  const auto g = vector_addition();
  EXPECT_NEAR(estimate(g, PaperModel::naive).seconds, 16 * (3e-7 + 4e-7), 1e-15);
  EXPECT_NEAR(estimate(g, PaperModel::operations).seconds, 16 * (3e-7 + 2e-8 + 4e-7), 1e-15);
  EXPECT_NEAR(estimate(g, PaperModel::serialized).seconds, 16 * (3e-7 + 63 * 2e-9 + 2e-8 + 4e-7 + 127 * 1e-9), 1e-15);
}

TEST(PaperModels, ExpressionsOfTheVectorAddition) {
  const auto g = vector_addition();
  EXPECT_EQ(expression(g, PaperModel::naive), "ceil(N/n)*(T+t)");
  EXPECT_EQ(expression(g, PaperModel::operations), "ceil(N/n)*(T+tau+t)");
  EXPECT_EQ(expression(g, PaperModel::serialized), "ceil(N/n)*(T+(n-1)*dT+tau+t+(2*n-1)*dt)");
}

TEST(PaperModels, MatrixWithQueuesAsPrinted) {  // Z₃ of section 9
  const auto g = vector_addition();
  const auto z = kernel_matrix(g, model_times(g, PaperModel::serialized));
  EXPECT_NEAR(z.at(0, 1), 3e-7 + 63 * 2e-9, 1e-18);
  EXPECT_NEAR(z.at(1, 2), 4e-7 + 126 * 1e-9, 1e-18);
  EXPECT_NEAR(z.at(1, 3), 4e-7 + 127 * 1e-9, 1e-18);
  EXPECT_NEAR(time_by_matrix(g, model_times(g, PaperModel::serialized), 3), 3e-7 + 63 * 2e-9 + 2e-8 + 4e-7 + 127 * 1e-9,
              1e-18);
}

TEST(PaperModels, LoopFormAndExtraArcFormAgreeOnThePaperGraph) {
  const auto g = vector_addition();
  const auto times = model_times(g, PaperModel::operations);
  const auto extra = extra_arc_form(g, times);
  EXPECT_EQ(extra.height, 3);
  EXPECT_DOUBLE_EQ(time_by_matrix(extra, false), time_by_matrix(g, times, 3));
}

TEST(PaperModels, MatrixPowerEqualsLongestPath) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto g = random_graph(seed);
    for (const auto model : {PaperModel::naive, PaperModel::operations, PaperModel::serialized}) {
      const auto times = model_times(g, model);
      EXPECT_DOUBLE_EQ(time_by_matrix(extra_arc_form(g, times), true), longest_path(g, times).seconds) << seed;
    }
  }
}

TEST(PaperModels, GraphBlasGivesTheLongestPath) {
  if (!graphblas::available()) SKIP_OR_FAIL(test::parts::graphblas);
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto g = random_graph(seed);
    for (const auto model : {PaperModel::naive, PaperModel::operations, PaperModel::serialized}) {
      const auto times = model_times(g, model);
      EXPECT_DOUBLE_EQ(matrix_time(g, times), longest_path(g, times).seconds) << seed;
    }
  }
}

TEST(PaperModels, OverlapIsBoundByTheSlowerOfChainAndPort) {
  auto g = vector_addition();  // a chain of 720 ns shared by 64, a port of 2 · 1 + 2 ns
  const auto overlapped = [](const KernelGraph& graph) {
    return analyze_graph(graph, "g.json", {.models = {"overlapped"}}).estimates.at(0);
  };
  EXPECT_NEAR(overlapped(g).seconds.value(), 7.2e-7 + 999 * 7.2e-7 / 64, 1e-15);
  EXPECT_EQ(overlapped(g).bound_by, "latency chain");
  g.executors = 360;
  EXPECT_NEAR(overlapped(g).seconds.value(), 7.2e-7 + 999 * 4e-9, 1e-15);
  EXPECT_EQ(overlapped(g).bound_by, "memory port");
}

TEST(PaperModels, ExecutorsWithoutAnInstanceAreTold) {
  auto g = vector_addition();  // 1000 instances
  const auto serialized = [](const KernelGraph& graph) {
    return analyze_graph(graph, "g.json", {.models = {"serialized"}});
  };
  g.executors = 1000;
  EXPECT_TRUE(serialized(g).notes.empty());
  g.executors = 100'000;
  const auto report = serialized(g);
  // The formula of section 9 has n, whatever N is.
  EXPECT_NEAR(report.estimates.at(0).seconds.value(), 3e-7 + 99'999 * 2e-9 + 2e-8 + 4e-7 + 199'999 * 1e-9, 1e-12);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_NE(report.notes[0].find("all 100000 executors queue for memory, though 1000 have"), std::string::npos);
  EXPECT_TRUE(analyze_graph(g, "g.json", {.models = {"operations"}}).notes.empty());
}

TEST(PaperModels, CompositeNodesKeepTheTime) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto g = random_graph(seed);
    const auto small = reduce(g, {}, 1).graph;
    EXPECT_LE(small.nodes.size(), g.nodes.size());
    EXPECT_NEAR(estimate(small, PaperModel::operations).seconds, estimate(g, PaperModel::operations).seconds, 1e-9)
        << seed;
  }
}

TEST(PaperModels, AlternativesStayWhereTimesDecide) {
  auto g = vector_addition();
  g.arcs[1].time.name = g.name_index("u");
  EXPECT_EQ(expression(g, PaperModel::naive), "ceil(N/n)*max(T+t, T+u)");
  EXPECT_EQ(undefined_times(g, PaperModel::naive), std::vector<std::string>{"u"});
}

TEST(KernelGraphFile, RefusesWhatIsNotAGraph) {
  const auto refused = [](const std::string& text) {
    try {
      (void)parse_graph(text, "bad.json");
    } catch (const Error& error) {
      return error.code() == ErrorCode::bad_input && error.place().file == "bad.json";
    }
    return false;
  };
  EXPECT_TRUE(refused("{"));
  EXPECT_TRUE(refused("[]"));
  EXPECT_TRUE(refused(R"({"nodes":[],"arcs":[]})"));
  EXPECT_TRUE(refused(R"({"nodes":[{"id":"a"},{"id":"a"}],"arcs":[]})"));
  EXPECT_TRUE(refused(R"({"nodes":[{"id":"a"}],"arcs":[{"from":"a","to":"b","time":1}]})"));
  EXPECT_TRUE(refused(
      R"({"nodes":[{"id":"a"},{"id":"b"}],"arcs":[{"from":"a","to":"b","time":1},{"from":"b","to":"a","time":1}]})"));
  EXPECT_TRUE(refused(R"({"nodes":[{"id":"a","time":-1}],"arcs":[]})"));
}

TEST(KernelGraphFile, RefusesKeysThatItDoesNotKnow) {
  const std::string graph = R"({"nodes":[{"id":"a","kind":"input"},{"id":"b","kind":"output"}],)"
                            R"("arcs":[{"from":"a","to":"b","time":1,"access":"none"}],"instances":2})";
  const auto changed = [&](const std::string& from, const std::string& to) {
    auto text = graph;
    text.replace(text.find(from), from.size(), to);
    try {
      (void)parse_graph(text, "g.json");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_NE(error.remedy().find("known are "), std::string::npos);
      return error.reason();
    }
    return std::string();
  };
  EXPECT_EQ(changed("instances", "instance"), "\"instance\" is not known");
  EXPECT_EQ(changed("access", "acces"), "arcs[0].\"acces\" is not known");
  EXPECT_EQ(changed("time", "tiem"), "arcs[0].\"tiem\" is not known");
  EXPECT_EQ(changed(R"("kind":"output")", R"("kind":"output","cost":1)"), "nodes[1].\"cost\" is not known");
  // What is there for readers alone stays.
  EXPECT_EQ(changed(R"("instances")", R"("name":"sum","comment":"section 9","$schema":"x","instances")"), "");
  EXPECT_EQ(changed(R"("id":"a")", R"("label":"first","_x":3,"id":"a")"), "");
}

TEST(KernelGraphFile, ComesBackAsItWasWritten) {
  const auto g = vector_addition();
  const auto again = parse_graph(graph_to_json(g), "again.json");
  EXPECT_EQ(graph_to_json(again), graph_to_json(g));
}

TEST(Picture, MarksTheCriticalPath) {
  const auto g = vector_addition();
  const auto path = estimate(g, PaperModel::operations).path;
  EXPECT_EQ(path.size(), 3u);
  EXPECT_NE(graph_to_dot(reduce(g, path, 100)).find("color=red"), std::string::npos);
  EXPECT_NE(graph_to_svg(reduce(g, path, 100)).find("#c00"), std::string::npos);
}

}  // namespace
}  // namespace sparsecast::gpu_code
