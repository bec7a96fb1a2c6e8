// Drives a fuzz target without libFuzzer: every file of the corpus as it is, then so many mutations of them (bytes
// changed, cut out, repeated, numbers made large), the same ones on every run.
//   fuzz-<name> CORPUS MUTATIONS

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz_input.hpp"

namespace {

void run(const std::string& text) {
  // On the heap and of the exact size, so that a sanitizer sees every read beyond the end.
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

std::string mutated(std::string text, std::mt19937& random) {
  static const std::vector<std::string> words{
      "-1", "0", "4294967296", "99999999999999999999", "nan", "1e999", "\n", " ", "%", "(", "\r"};
  for (std::size_t change = 0, changes = 1 + random() % 4; change < changes; ++change) {
    const std::size_t at = text.empty() ? 0 : random() % text.size();
    const std::size_t length = std::min<std::size_t>(1 + random() % 16, text.size() - at);
    switch (random() % 5) {
      case 0:
        if (!text.empty()) text[at] = static_cast<char>(random());
        break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, text.substr(at, length)); break;
      case 3: text.insert(at, words[random() % words.size()]); break;
      default: text.resize(at); break;
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "%s CORPUS MUTATIONS\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<std::string> seeds;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    run(seeds.back());
  }
  if (seeds.empty()) {
    std::fprintf(stderr, "%s: no seeds\n", argv[1]);
    return 1;
  }
  std::mt19937 random(1);
  const long mutations = std::atol(argv[2]);
  for (long k = 0; k < mutations; ++k) run(mutated(seeds[random() % seeds.size()], random));
  std::printf("%zu seeds and %ld mutations\n", seeds.size(), mutations);
  return 0;
}
