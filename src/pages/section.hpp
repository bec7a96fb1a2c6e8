#pragma once
// What sections are made from, and the table that says which sections a document of which schema gets.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pages/element.hpp"
#include "pages/json_field.hpp"

namespace sparsecast::pages {

/// The documents about one matrix, each null where the page has none.
struct MatrixDocuments {
  std::string name;
  const Json* matrix = nullptr;  ///< {name, rows, cols, nonzeros}
  const Json* info = nullptr;
  const Json* predict = nullptr;
  const Json* measure = nullptr;
  const Json* optimize = nullptr;
  const Json* machine = nullptr;     ///< of the page: what the device reads from each level
  const std::string* spy = nullptr;  ///< a PNG
  std::string prefix;                ///< of ids in the page
};

using MaybeElement = std::optional<Element>;

/// A part of what is said about a matrix; nothing where its documents do not tell.
struct MatrixSection {
  const char* title;  ///< empty: without a heading
  MaybeElement (*make)(const MatrixDocuments& documents);
  bool wide;  ///< takes the whole width of the page
};
std::vector<MatrixSection> matrix_sections();

/// A part of what a document says that is not about one matrix.
struct DocumentSection {
  const char* schema;  ///< its name
  const char* title;
  MaybeElement (*make)(const Json& document, const std::string& prefix, const Json& page);
};
std::vector<DocumentSection> document_sections();

/// Document by document and matrix by matrix, in the order of the page.
std::vector<MatrixDocuments> by_matrix(const Json& page, const std::map<std::string, std::string>& spies);

// src/pages/sections/, a file each.
MaybeElement answer_section(const MatrixDocuments& documents);
MaybeElement kernels_section(const MatrixDocuments& documents);
MaybeElement plan_section(const MatrixDocuments& documents);
MaybeElement structure_section(const MatrixDocuments& documents);
MaybeElement break_even_section(const MatrixDocuments& documents);
MaybeElement time_section(const MatrixDocuments& documents);
MaybeElement roofline_section(const MatrixDocuments& documents);

MaybeElement errors_section(const Json& document, const std::string& prefix, const Json& page);
MaybeElement choices_section(const Json& document, const std::string& prefix, const Json& page);
MaybeElement cases_section(const Json& document, const std::string& prefix, const Json& page);
MaybeElement ranking_section(const Json& document, const std::string& prefix, const Json& page);
MaybeElement machines_section(const Json& document, const std::string& prefix, const Json& page);
MaybeElement cluster_forecast_section(const Json& document, const std::string& prefix, const Json& page);
MaybeElement cluster_measure_section(const Json& document, const std::string& prefix, const Json& page);
MaybeElement traffic_section(const Json& document, const std::string& prefix, const Json& page);
MaybeElement traffic_pair_section(const Json& document, const std::string& prefix, const Json& page);
MaybeElement gpu_code_section(const Json& document, const std::string& prefix, const Json& page);
MaybeElement tuning_section(const Json& document, const std::string& prefix, const Json& page);
MaybeElement space_section(const Json& document, const std::string& prefix, const Json& page);

}  // namespace sparsecast::pages
