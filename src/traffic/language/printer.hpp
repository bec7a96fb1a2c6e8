#pragma once
// A tree back into a program, one statement per line in one layout: what the parser has understood, and nothing else.
// Not for translations: those keep the user's own layout (translate.hpp).

#include <string>

#include "traffic/language/syntax.hpp"

namespace sparsecast::traffic {

std::string print(const Program& program);
std::string print(const Node& expression);

}  // namespace sparsecast::traffic
