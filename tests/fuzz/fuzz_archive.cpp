// Archives that submissions come in. Whatever the bytes, there is a refusal or files within the
// bounds, with paths that stay inside.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "grader/grading/intake/archive.hpp"

using namespace opgrade;

namespace {

constexpr std::int64_t kCap = 4096;
// Small, so that a mutation or two goes beyond.
constexpr ArchiveLimits kLimits{.archive_bytes = 1 << 16,
                                .unpacked_bytes = 1 << 18,
                                .ratio = 200,
                                .entries = 50,
                                .depth = 4,
                                .name = 40,
                                .path = 120};

bool wanted(const std::string& name) { return name.ends_with(".h") || name.ends_with(".cc"); }

bool stays_inside(const std::string& path) {
  if (path.starts_with('/') || path.size() > kLimits.path) return false;
  for (const auto& part : std::filesystem::path(path)) {
    if (part == ".." || part == "." || part.native().size() > kLimits.name) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  auto files = read_archive({reinterpret_cast<const char*>(bytes), size}, &wanted, kCap, kLimits);
  if (!files) {
    if (files.error().reason.empty() || files.error().hint.empty()) std::abort();
    return 0;
  }
  std::int64_t total = 0;
  for (const auto& file : *files) {
    if (!stays_inside(file.path)) std::abort();
    if (static_cast<std::int64_t>(file.bytes.size()) > kCap) std::abort();
    total += static_cast<std::int64_t>(file.bytes.size());
  }
  if (total > 50 * kCap) std::abort();
  const auto tree = archive_tree(std::move(*files));
  for (const char* place : {".", "src", "src/custom"}) {
    const auto folder = tree.open(place);
    if (folder == nullptr) continue;
    const auto folders = folder->folders();
    for (const auto& name : folder->names()) {
      if (std::ranges::find(folders, name) != folders.end()) continue;
      if (!folder->has(name)) std::abort();
      (void)folder->read(name, kCap);
    }
  }
  return 0;
}
