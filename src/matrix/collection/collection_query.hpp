#pragma once
// What `get --search` looks for: conditions on a line of the index, all of which must hold.
//   rows>1e5  cols<=4000  nonzeros=1e6  id<100  pattern-symmetry>0.9  value-symmetry=1
//   kind~structural  name~bus  group=HB      ~ : contains, = : is, capital letters or not
//   spd  real  complex  binary  mesh  symmetric  square, and each with ! before it for the contrary

#include "matrix/collection/collection_index.hpp"

namespace sparsecast::matrix {
/// The entries for which all conditions of the query hold, in the order of the index. Error usage with what was meant
/// for a word that is no condition; a query without conditions finds everything.
std::vector<CollectionEntry> search(const CollectionIndex& index, std::string_view query);
}  // namespace sparsecast::matrix
