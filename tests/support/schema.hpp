#pragma once
// Holds a JSON document against its schema under docs/schemas/ (by Python's jsonschema in .venv, see
// scripts/make-venv).

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sparsecast::test {

/// Whether .venv is there and has jsonschema.
bool can_validate();
/// Success, or what in the document does not fit its schema. Where that cannot be checked: a failure with the remedy if
/// parts are required (parts.hpp), else the document is not looked at; Pipeline.SchemasCanBeChecked is skipped there.
::testing::AssertionResult fits_its_schema(const std::string& document);
/// What the command prints when called so: expects success and a document that fits its schema.
nlohmann::json document_of(const std::vector<std::string>& arguments);

}  // namespace sparsecast::test
