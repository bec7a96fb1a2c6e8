#include "app/page/kept_documents.hpp"

#include <sparsecast/error.hpp>
#include <utility>

namespace sparsecast::app {
namespace {

thread_local KeptDocuments* keeper = nullptr;

}  // namespace

KeptDocuments::KeptDocuments() : before_(std::exchange(keeper, this)) {}
KeptDocuments::~KeptDocuments() { keeper = before_; }

const nlohmann::ordered_json& KeptDocuments::last() const {
  if (last_.is_null()) throw Error(ErrorCode::failed, "a command made no document");
  return last_;
}

bool KeptDocuments::take(nlohmann::ordered_json document) {
  if (keeper == nullptr) return false;
  keeper->last_ = std::move(document);
  return true;
}

}  // namespace sparsecast::app
