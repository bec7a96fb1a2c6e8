#pragma once
// Terms: what the seconds of a forecast are spent on. One table says of each its name, unit, meaning, where its cost
// comes from before anything was measured, and the source. Nobody compares names.
//
// Thread safety: everything here is constant.

#include <array>
#include <cstddef>
#include <string_view>

#pragma GCC visibility push(default)
namespace sparsecast {

enum class Term {
  // of a product
  launch,
  stream,
  compute,
  rows,
  vectors,
  x_gather,
  y_scatter,
  row_ends,
  shared_lines,
  longest_row,
  cache,
  x_from_memory,
  instructions,
  regular_part,
  overflow_part,
  learned,
  // of an iteration of a solver
  products,
  transposed_products,
  preconditioner,
  vector_updates,
  reductions,
  orthogonalisation,
  handover
};

/// What a term is.
struct TermInfo {
  Term term;
  std::string_view name;     ///< in documents and tables
  std::string_view unit;     ///< what its seconds are paid for
  std::string_view meaning;  ///< in one line
  std::string_view prior;    ///< its cost before anything was measured
  std::string_view source;   ///< the publication, or the file of src/ that has it
};

/// All of them, in the order of the enumeration.
inline constexpr std::array<TermInfo, 23> term_table{{
    {Term::launch, "launch", "a product", "threads, or a GPU kernel, started and waited for",
     "the profile's launch curve, else the description", "forecast/physical"},
    {Term::stream, "stream", "a byte", "values and indices read in order, which no kernel can avoid",
     "the bandwidth measured for that footprint", "forecast/physical; Guo et al. 2014"},
    {Term::compute, "compute", "a slot", "multiplications, padding and loops begun", "cycles of a core or lane",
     "forecast/physical"},
    {Term::rows, "rows", "a row", "rows begun and written", "cycles of a core or lane", "forecast/physical"},
    {Term::vectors, "x and y", "an entry of x and y", "the vectors read and written", "the stream's bandwidth",
     "forecast/physical"},
    {Term::x_gather, "x gather", "a line of x", "reads of x that miss a cache", "the measured curve of gathers",
     "forecast/physical; Mattson et al. 1970"},
    {Term::y_scatter, "y scatter", "a line of y", "entries added to their place in y: a transposed product",
     "twice a gather", "forecast/task_forecast"},
    {Term::row_ends, "row ends", "a misprediction", "ends of rows that no branch predictor foresees",
     "cycles of a core", "forecast/physical; Seznec & Michaud 2006"},
    {Term::shared_lines, "shared lines", "a line", "lines that two threads write or read in turn", "cycles of a core",
     "forecast/physical"},
    {Term::longest_row, "longest row", "an entry of it", "what one unit does alone while the others have ended",
     "latency of a load", "forecast/physical"},
    {Term::cache, "cache", "a byte", "what is read from caches and not from memory", "fitted over machines",
     "forecast/machines"},
    {Term::x_from_memory, "x from memory", "a line of x", "reads of x beyond the last cache", "fitted over machines",
     "forecast/machines"},
    {Term::instructions, "instructions", "a non-zero", "instructions begun", "fitted over machines",
     "forecast/machines"},
    {Term::regular_part, "ell", "a strip", "HYB: the first entries of every row", "regression",
     "forecast/papers; Guo et al. 2014, 3.5.4"},
    {Term::overflow_part, "coo", "a strip", "HYB: the entries beyond them", "regression",
     "forecast/papers; Guo et al. 2014, 3.5.4"},
    {Term::learned, "learned correction", "a product", "what the physical terms miss, from the device's own records",
     "none", "forecast/learned"},
    {Term::products, "products", "a product", "of a solve: A times a vector", "the product's forecast", "solve"},
    {Term::transposed_products, "transposed products", "a product", "of a solve: Aᵀ times a vector",
     "the product's forecast", "solve"},
    {Term::preconditioner, "preconditioner", "a step", "of a solve: the preconditioner applied", "bytes it moves",
     "solving/preconditioners"},
    {Term::vector_updates, "vector updates", "a pass", "of a solve: passes that write vectors", "bytes they move",
     "solving/forecast"},
    {Term::reductions, "reductions", "a pass", "of a solve: passes that end in a sum", "bytes they move",
     "solving/forecast"},
    {Term::orthogonalisation, "orthogonalisation", "a pass", "of a solve: a basis made orthogonal", "bytes it moves",
     "solving/forecast"},
    {Term::handover, "hand-over between threads", "a line", "lines of x that another core has written",
     "a line there and back, measured", "solving/forecast"},
}};

[[nodiscard]] constexpr std::string_view to_string(Term term) {
  return term_table[static_cast<std::size_t>(term)].name;
}

}  // namespace sparsecast
#pragma GCC visibility pop
