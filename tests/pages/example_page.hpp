#pragma once
// A page's data as the commands make it, small enough to know every number of it: one matrix with a name that wants to
// be markup, two kernels forecast and measured, a plan of two blocks.

#include <nlohmann/json.hpp>
#include <string>

namespace sparsecast::test {

inline const std::string hostile = "</script><script>document.title='taken'</script>\"'&<b>";

inline nlohmann::ordered_json example_page() {
  auto page = nlohmann::ordered_json::parse(R"({
    "schema": "sparsecast/page/1", "title": "Example", "asked": "sparsecast report a.mtx", "made": "2026-01-31T12:00:00Z",
    "version": "0.1.0", "host": "here", "sources": [],
    "machines": [{"name": "host", "model": "a processor", "kind": "host", "tier": "measured", "threads": 2,
                  "levels": [{"name": "L2", "bytes": 1e6, "bytes_per_s": 1e11},
                             {"name": "memory", "bytes": 1e10, "bytes_per_s": 2e10}]}],
    "documents": [
      {"schema": "sparsecast/info/1", "matrix": {"name": "N", "rows": 1000, "cols": 1000, "nonzeros": 5000},
       "structure": {"rows": 1000, "cols": 1000, "nonzeros": 5000, "row_min": 3, "row_max": 7, "row_mean": 5.0,
                     "empty_rows": 0, "diagonal_bandwidth": 12, "row_histogram": [[3, 250], [5, 500], [7, 250]],
                     "block_nonzeros": [1250, 1250, 1500, 1000]}},
      {"schema": "sparsecast/predict/1", "matrix": {"name": "N", "rows": 1000, "cols": 1000, "nonzeros": 5000},
       "device": {"name": "host", "kind": "host"}, "precision": "double", "vectors": 1, "transposed": false,
       "forecasts": [
         {"kernel": "swift", "model": "sparsecast", "seconds": 0.001, "low_s": 0.0008, "high_s": 0.00125, "gflops": 0.01,
          "bytes": 64000, "preprocess_s": 0.01, "extrapolated": false,
          "parts": [{"name": "stream", "seconds": 0.0007, "bytes": 80000}, {"name": "launch", "seconds": 0.0003,
                     "bytes": 0}]},
         {"kernel": "plain", "model": "sparsecast", "seconds": 0.002, "low_s": 0.0016, "high_s": 0.0025, "gflops": 0.005,
          "bytes": 64000, "preprocess_s": 0, "extrapolated": true,
          "parts": [{"name": "stream", "seconds": 0.002, "bytes": 80000}]}],
       "recommended": {"kernel": "swift", "seconds": 0.001, "reason": "it is the fastest"}, "drift": null},
      {"schema": "sparsecast/measure/1", "matrix": {"name": "N", "rows": 1000, "cols": 1000, "nonzeros": 5000},
       "device": {"name": "host", "kind": "host"}, "precision": "double", "vectors": 1, "transposed": false,
       "measurements": [
         {"kernel": "swift", "seconds": 0.0011, "low_s": 0.00105, "high_s": 0.00115, "gflops": 0.009,
          "preprocess_s": 0.012, "repeats": 100, "spread": 0.01, "status": "ok"},
         {"kernel": "plain", "seconds": 0.003, "low_s": 0.0029, "high_s": 0.0031, "gflops": 0.0033, "preprocess_s": 0,
          "repeats": 100, "spread": 0.01, "status": "ok"}]},
      {"schema": "sparsecast/optimize/1", "matrix": {"name": "N", "rows": 1000, "cols": 1000, "nonzeros": 5000},
       "device": {"name": "host", "kind": "host"}, "precision": "double",
       "strategy": [
         {"first_strip": 1, "last_strip": 6, "first_row": 0, "last_row": 599, "kernel": "swift", "reordered": false,
          "seconds": 0.0005, "conversion_s": 0.005},
         {"first_strip": 7, "last_strip": 10, "first_row": 600, "last_row": 999, "kernel": "plain", "reordered": true,
          "seconds": 0.0003, "conversion_s": 0.001}],
       "predicted_s": 0.0008, "conversion_s": 0.006,
       "best_single": {"kernel": "swift", "seconds": 0.001, "conversion_s": 0.01},
       "singles": [{"kernel": "swift", "seconds": 0.001, "conversion_s": 0.01},
                   {"kernel": "plain", "seconds": 0.002, "conversion_s": 0}],
       "best_cut": [], "gain": 0.2, "gain_low": 0.1, "gain_high": 0.3, "cut": true, "reason": "it gains",
       "strips": 10, "strip_rows": 100, "iterations": 0, "break_even": 7, "planning_s": 0.001, "threads": 2},
      {"schema": "sparsecast/evaluate/1", "vectors": 1, "transposed": false,
       "cases": [
         {"matrix": "N", "device": "host", "kernel": "swift", "model": "sparsecast", "predicted_s": 0.001,
          "low_s": 0.0008, "high_s": 0.00125, "measured_s": 0.0011, "error": 0.0909, "spread": 0.01,
          "preprocess_predicted_s": 0.01, "preprocess_measured_s": 0.012},
         {"matrix": "N", "device": "host", "kernel": "plain", "model": "sparsecast", "predicted_s": 0.002,
          "low_s": 0.0016, "high_s": 0.0025, "measured_s": 0.003, "error": 0.3333, "spread": 0.01}],
       "summary": [{"device": "host", "kernel": "swift", "model": "sparsecast", "cases": 1, "mean_error": 0.0909,
                    "median_error": 0.0909, "p90_error": 0.0909, "max_error": 0.0909, "coverage": 1,
                    "mean_spread": 0.01, "preprocess_mean_error": 0.16}],
       "selection": [{"device": "host", "model": "sparsecast", "cases": 1, "hits": 1, "mean_regret": 0,
                      "max_regret": 0}],
       "skipped": [{"matrix": "other", "kernel": "dense", "reason": "no memory"}]},
      {"schema": "sparsecast/compare/1", "iterations": 10, "precision": "double",
       "matrices": [{"name": "N", "rows": 1000, "cols": 1000, "nonzeros": 5000, "ranking": [
         {"device": "big", "tier": "data sheet", "kernel": "swift", "seconds": 0.0001, "low_s": 0.00005,
          "high_s": 0.0002, "total_s": 0.002, "preprocess_s": 0.001, "upload_s": 0, "gflops": 0.1, "bytes": 64000,
          "fits": true, "bound_by": "stream", "roof_share": 0.5, "tie": false},
         {"device": "small", "tier": "measured", "kernel": "plain", "seconds": 0.002, "low_s": 0.0016,
          "high_s": 0.0025, "total_s": 0.02, "preprocess_s": 0, "upload_s": 0, "gflops": 0.005, "bytes": 64000,
          "fits": true, "bound_by": "stream", "roof_share": 0.7, "tie": true}]}],
       "summary": []},
      {"schema": "sparsecast/cluster-predict/1", "matrix": {"name": "N", "rows": 1000, "cols": 1000, "nonzeros": 5000},
       "cluster": {"name": "cluster", "source": "measured", "cores_per_node": 4},
       "forecasts": [
         {"way": "2du", "format": "csr", "model": "sparsecast", "processes": 1, "nodes": 1, "seconds": 0.01,
          "core_s": 0.009, "communication_s": 0.001, "extrapolated": false},
         {"way": "2du", "format": "csr", "model": "sparsecast", "processes": 4, "nodes": 1, "seconds": 0.004,
          "core_s": 0.002, "communication_s": 0.002, "extrapolated": false}],
       "recommended": {"way": "2du", "format": "csr", "processes": 4, "nodes": 1, "seconds": 0.004, "reason": "fast"},
       "fastest": {"way": "2du", "format": "csr", "processes": 4, "nodes": 1, "seconds": 0.004},
       "scaling": [{"way": "2du", "format": "csr", "processes": 1, "seconds": 0.01, "efficiency": 1},
                   {"way": "2du", "format": "csr", "processes": 4, "seconds": 0.004, "efficiency": 0.625}]},
      {"schema": "sparsecast/cluster-measure/1", "matrix": "N", "iterations": 10, "rank_memory": [],
       "measurements": [{"way": "2du", "format": "csr", "processes": 2, "nodes": 1, "seconds": 0.006, "low_s": 0.0059,
                         "high_s": 0.0062, "core_s": 0.004, "communication_s": 0.002, "batches": 20,
                         "checksum_error": 1e-15, "norm": 1.0, "norm_log2": 0, "source": "measured"}]},
      {"schema": "sparsecast/traffic/1", "program": "p.m",
       "regions": [{"name": "r", "file": "p.m", "first_line": 1, "last_line": 2, "depth": 0, "calls": 1,
                    "sr_bytes": 8000, "wsl_bytes": 16000, "wsl_uncertainty_bytes": 0, "wss_bytes": 8000,
                    "dgemm_bytes": 0, "sparse_bytes": 0, "sparse_uncertainty_bytes": 0}],
       "lines": [{"file": "p.m", "line": 2, "wsl_bytes": 16000, "wss_bytes": 8000}]},
      {"schema": "sparsecast/kernel/1", "kernel": "spmv", "device": "gpu", "nodes": 10, "arcs": 12, "height": 4,
       "instances": 256, "executors": 128,
       "estimates": [{"model": "naive", "seconds": 1e-5, "cycles": 17000, "bound_by": ""},
                     {"model": "overlapped", "seconds": 2e-5, "cycles": null, "bound_by": "memory"}],
       "occupancy": {"blocks": 8, "warps": 64, "limited_by": "registers", "registers": 32, "shared_bytes": 0,
                     "spill_bytes": 0},
       "overlap": {"launch_s": 2e-6, "transient_s": 1e-6, "wave_s": 1e-5, "waves": 2,
                   "cycles_per_block": {"memory": 900, "fp64": 300}, "resident_warps": 64, "warps_to_hide": 80,
                   "memory_bytes": 1e6, "l2_bytes": 2e6, "l1_hit_share": 0.25, "clock_hz": 1.7e9},
       "notes": ["assumed even rows"]},
      {"schema": "sparsecast/kernel/1", "kernel": "tuned", "device": "gpu",
       "configurations": [{"row": 1, "estimates": [{"model": "overlapped", "seconds": 2e-5}], "measured_s": 3e-5},
                          {"row": 2, "estimates": [{"model": "overlapped", "seconds": 1e-5}], "measured_s": 1.1e-5}],
       "summary": [{"model": "overlapped", "cases": 2, "mean_error": 0.2, "median_error": 0.2, "p90_error": 0.33,
                    "max_error": 0.33, "rank_correlation": 1, "top1_regret": 0, "top5_regret": 0}]}]})");
  for (auto& document : page["documents"]) {
    if (!document.contains("matrix")) continue;
    (document["matrix"].is_object() ? document["matrix"]["name"] : document["matrix"]) = hostile;
  }
  page["sources"].push_back({{"file", "p.m"}, {"text", "% " + hostile + "\ny = x + 1;\n"}});
  return page;
}

}  // namespace sparsecast::test
