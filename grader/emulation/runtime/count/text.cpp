#include "grader/emulation/runtime/count/text.hpp"

#include <algorithm>
#include <initializer_list>
#include <tuple>
#include <vector>

#include "grader/emulation/runtime/source_lines.hpp"
#include "opgrade_emulation/counting.hpp"

namespace opgrade_emulation {
namespace {

std::string numbers(std::initializer_list<std::uint64_t> all) {
  std::string text;
  for (const std::uint64_t n : all) text += ' ' + std::to_string(n);
  return text;
}

std::string text_of(const AccessSite& site) {
  constexpr const char* kSpaces[] = {" global", " shared", " constant"};
  constexpr const char* kUses[] = {" load", " store", " atomic"};
  return std::string(kSpaces[static_cast<int>(site.space())]) + kUses[static_cast<int>(site.use())];
}

/// Arrays in the order of their sizes: addresses say nothing to a reader.
std::vector<std::pair<std::uintptr_t, ArrayCounts>> sorted(const LaunchCounts& counts) {
  std::vector<std::pair<std::uintptr_t, ArrayCounts>> arrays(counts.arrays.begin(),
                                                             counts.arrays.end());
  std::ranges::stable_sort(arrays, [](const auto& a, const auto& b) {
    return std::tie(a.second.bytes, a.second.loads) < std::tie(b.second.bytes, b.second.loads);
  });
  return arrays;
}

bool only_copies(const LaunchCounts& counts) {
  std::uint64_t operations = 0;
  for (const auto& type : counts.arithmetic)
    for (const std::uint64_t n : type) operations += n;
  return operations == 0 && counts.moved == 0 && counts.moved_words > 0;
}

std::vector<std::pair<std::string, int>>& uncounted() {
  static auto* const lines = new std::vector<std::pair<std::string, int>>;
  return *lines;
}

}  // namespace

Uncounted::Uncounted(const char* file, int line) { uncounted().emplace_back(file, line); }

std::string uncounted_lines() {
  std::string text;
  for (const auto& [file, line] : uncounted())
    text += "uncounted " + std::to_string(line) + ' ' + file + '\n';
  return text;
}

std::string text_of(const LaunchCounts& counts) {
  std::string text = "did";
  for (const auto& type : counts.arithmetic) text += numbers({type[0], type[1], type[2], type[3]});
  text += numbers({counts.barriers, counts.shuffles, counts.votes, counts.fragments, counts.threads,
                   counts.idle, counts.same_address, counts.exchanged, only_copies(counts)});
  text += '\n';
  const auto arrays = sorted(counts);
  for (const auto& [begin, array] : arrays)
    text += "array" + numbers({array.bytes, array.loads, array.of_blocks, array.of_grids}) + '\n';
  std::vector<std::string> lines;
  for (const auto& [site, access] : counts.sites) {
    const SourceLine at = source_line(site.site());
    const auto array =
        std::ranges::find(arrays, access.array, [](const auto& a) { return a.first; });
    const auto index = static_cast<std::uint64_t>(
        access.array == 0 || array == arrays.end() ? 0 : array - arrays.begin() + 1);
    lines.push_back(
        "access" + text_of(site) + ' ' + std::to_string(at.line) +
        numbers({index, access.requests, access.lanes, access.bytes, access.sectors,
                 access.least_sectors, access.wavefronts, access.least_wavefronts, access.crowd}) +
        ' ' + (at.file.empty() ? "?" : at.file) + '\n');
  }
  std::ranges::sort(lines);
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace opgrade_emulation
