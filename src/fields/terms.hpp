#pragma once
// The words of <sparsecast/terms.hpp>'s enumeration.

#include <sparsecast/terms.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Words<Term> {
  static constexpr auto table = [] {
    std::array<std::pair<Term, std::string_view>, term_table.size()> words{};
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = {term_table[i].term, term_table[i].name};
    return words;
  }();
};

}  // namespace sparsecast
