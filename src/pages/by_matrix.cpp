// Which documents of a page speak of one matrix on one device.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "pages/section.hpp"

namespace sparsecast::pages {
namespace {

using Part = const Json* MatrixDocuments::*;

Part part_of(std::string_view schema) {
  if (schema == "info") return &MatrixDocuments::info;
  if (schema == "predict") return &MatrixDocuments::predict;
  if (schema == "measure") return &MatrixDocuments::measure;
  if (schema == "optimize") return &MatrixDocuments::optimize;
  return nullptr;
}

std::string device_of(const MatrixDocuments& documents) {
  for (const Json* document : {documents.predict, documents.measure, documents.optimize})
    if (document != nullptr) return text(member(*document, "device"), "name");
  return {};
}

// The first that lacks this kind of document of this matrix and speaks of the same device.
MatrixDocuments& place_for(std::vector<MatrixDocuments>& all, const Json& matrix, Part part,
                           const std::string& device) {
  for (MatrixDocuments& documents : all) {
    const std::string known = device_of(documents);
    if (*documents.matrix == matrix && documents.*part == nullptr &&
        (device.empty() || known.empty() || known == device))
      return documents;
  }
  MatrixDocuments& documents = all.emplace_back();
  documents.name = text(matrix, "name");
  documents.matrix = &matrix;
  documents.prefix = fmt::format("m{}-", all.size());
  return documents;
}

void place(std::vector<MatrixDocuments>& all, const Json& document, std::string_view schema) {
  const Part part = part_of(schema);
  const Json& matrix = member(document, "matrix");
  if (part == nullptr || !matrix.is_object()) return;
  place_for(all, matrix, part, text(member(document, "device"), "name")).*part = &document;
}

}  // namespace

std::vector<MatrixDocuments> by_matrix(const Json& page, const std::map<std::string, std::string>& spies) {
  std::vector<MatrixDocuments> all;
  for (const Json& document : list(page, "documents")) {
    const std::string schema = schema_name(document);
    for (const Json& one : list(document, "predictions")) place(all, one, "predict");
    for (const Json& one : list(document, "measures")) place(all, one, "measure");
    place(all, document, schema);
  }
  for (MatrixDocuments& documents : all) {
    const auto spy = spies.find(documents.name);
    if (spy != spies.end()) documents.spy = &spy->second;
    const std::string device = device_of(documents);
    for (const Json& machine : list(page, "machines"))
      if (text(machine, "name") == device) documents.machine = &machine;
  }
  return all;
}

}  // namespace sparsecast::pages
