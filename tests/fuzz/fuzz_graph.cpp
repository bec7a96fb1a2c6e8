// A kernel graph: read, written, and its times by every model of the paper.
#include "fuzz_input.hpp"
#include "gpu_code/graph/graph_json.hpp"
#include "gpu_code/graph/kernel_graph.hpp"
#include "gpu_code/kernel_analysis.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sparsecast::gpu_code;
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    auto graph = parse_graph(text, "input");
    (void)graph_to_json(graph);
    if (graph.nodes.size() < 200 && graph.arcs.size() < 400) (void)analyze_graph(std::move(graph), "input", {});
  });
}
