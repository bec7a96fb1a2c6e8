#pragma once
// Walks over a program's tree: statements with all that is nested in them, functions, expressions.

#include <functional>

#include "traffic/language/syntax.hpp"

namespace sparsecast::traffic {

/// Every function of a block, outer ones first.
void each_function(const Block& block, const std::function<void(const Statement&)>& f);
/// Every statement, nested ones and those of functions included, outer ones first.
void each_statement(const Block& block, const std::function<void(const Statement&)>& f);
/// Every expression of the block's own code: none of its functions', no directives.
void each_node(const Block& block, const std::function<void(const Node&)>& f);

}  // namespace sparsecast::traffic
