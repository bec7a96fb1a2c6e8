#include "memory_traffic/language/source_text.hpp"

#include <algorithm>

namespace sparsecast::memory_traffic {
SourceText::SourceText(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {
  // A carriage return alone ends a line for Octave, too: a comment there ends, and code begins.
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n')) text_[i] = '\n';
  starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') starts_.push_back(i + 1);
}

std::size_t SourceText::line(std::size_t offset) const {
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin());
}

std::size_t SourceText::column(std::size_t offset) const { return offset - starts_[line(offset) - 1] + 1; }

std::string_view SourceText::line_text(std::size_t line) const {
  const std::size_t begin = starts_[line - 1];
  std::string_view found = slice(begin, line_end(begin));
  if (found.ends_with('\r')) found.remove_suffix(1);
  return found;
}

std::size_t SourceText::line_end(std::size_t offset) const { return std::min(text_.find('\n', offset), text_.size()); }

std::string SourceText::indentation(std::size_t offset) const {
  const std::size_t begin = starts_[line(offset) - 1];
  std::size_t end = begin;
  while (end < text_.size() && (text_[end] == ' ' || text_[end] == '\t')) ++end;
  return text_.substr(begin, std::min(end, offset) - begin);
}

bool SourceText::starts_line(std::size_t offset) const {
  return starts_[line(offset) - 1] + indentation(offset).size() == offset;
}

Place SourceText::place(std::size_t offset) const {
  return {file_, static_cast<std::int64_t>(line(offset)), static_cast<std::int64_t>(column(offset))};
}

void SourceText::refuse(std::size_t offset, const std::string& reason, const std::string& remedy) const {
  throw Error(ErrorCode::bad_input, reason, place(std::min(offset, text_.size())), remedy);
}
}  // namespace sparsecast::memory_traffic
