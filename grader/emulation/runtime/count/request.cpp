#include "grader/emulation/runtime/count/request.hpp"

#include <algorithm>

namespace opgrade_emulation {
namespace {

constexpr std::uintptr_t kSector = 32, kBank = 4, kBanks = 32, kLine = 128;

std::uint64_t count_sectors(const Pattern& pattern) {
  std::uintptr_t next = 0, sectors = 0;
  for (unsigned i = 0; i < pattern.span_count; ++i) {
    const std::uintptr_t first = std::max(pattern.spans[i].begin / kSector, next);
    next = std::max((pattern.spans[i].end - 1) / kSector + 1, first);
    sectors += next - first;
  }
  return sectors;
}

/// The passes that the banks need for these words: different words of one bank take turns.
std::uint64_t passes(const Pattern& pattern) {
  std::array<unsigned char, kBanks> words{};
  std::uintptr_t next = 0;
  unsigned most = 0;
  for (unsigned i = 0; i < pattern.span_count; ++i) {
    const std::uintptr_t first = std::max(pattern.spans[i].begin / kBank, next);
    next = std::max((pattern.spans[i].end - 1) / kBank + 1, first);
    if (pattern.span_count == 1) return (next - first + kBanks - 1) / kBanks;
    for (std::uintptr_t word = first; word < next; ++word)
      most = std::max<unsigned>(most, ++words[word % kBanks]);
  }
  return most;
}

void count(Pattern& pattern) {
  std::array<std::uintptr_t, 32> address{};
  unsigned lanes = 0;
  for (std::uint32_t rest = pattern.mask; rest != 0; rest &= rest - 1)
    address[lanes++] = pattern.address[static_cast<unsigned>(__builtin_ctz(rest))];
  std::sort(address.begin(), address.begin() + lanes);
  AccessCounts& counts = pattern.counts;
  counts.requests = 1;
  counts.lanes = lanes;
  counts.bytes = std::uint64_t{lanes} * pattern.bytes;
  std::uint64_t run = 0, addresses = 0, bytes = 0;
  Pattern::Span span{address[0], address[0]};
  const auto close = [&] {
    bytes += span.end - span.begin;
    pattern.spans[pattern.span_count++] = span;
  };
  std::uintptr_t before = ~address[0];
  for (unsigned i = 0; i < lanes; ++i) {
    run = address[i] == before ? run + 1 : 1;
    addresses += address[i] != before;
    counts.crowd = std::max(counts.crowd, run);
    if (address[i] > span.end) {
      close();
      span.begin = address[i];
    }
    before = address[i];
    span.end = before + pattern.bytes;
    pattern.words += (span.end - 1) / 4 - before / 4 + 1;
  }
  close();
  if (pattern.site.space() == Space::global) {
    counts.sectors = count_sectors(pattern);
    counts.least_sectors = (bytes + kSector - 1) / kSector;
  } else if (pattern.site.space() == Space::shared) {
    counts.wavefronts = passes(pattern);
    counts.least_wavefronts = (bytes + kLine - 1) / kLine;
  } else {
    counts.wavefronts = addresses;
    counts.least_wavefronts = 1;
  }
}

}  // namespace

Pattern& find_pattern(Patterns& recent, const Request& request, std::uintptr_t& shift) {
  const auto& address = request.address;
  const std::uintptr_t first = address[static_cast<unsigned>(__builtin_ctz(request.mask))];
  const std::uintptr_t last = address[31 - static_cast<unsigned>(__builtin_clz(request.mask))];
  const std::uintptr_t base = first / kSector * kSector;
  const std::uint64_t key = (request.site.word() ^ std::uint64_t{request.mask} << 24) +
                            (first - base) + (last - first) * 64;
  Pattern& pattern = recent[(key * 0x9e3779b97f4a7c15u) >> 56];
  shift = base - pattern.base;
  std::uintptr_t other = (pattern.site.word() ^ request.site.word()) |
                         (pattern.mask ^ request.mask) | (pattern.bytes ^ request.bytes);
  const auto compare = [&](unsigned lane) {
    other |= (address[lane] - shift) ^ pattern.address[lane];
  };
  if (request.mask == ~0u)  // the common case, which runs on whole vectors
    for (unsigned lane = 0; lane < 32; ++lane) compare(lane);
  else
    for (std::uint32_t rest = request.mask; rest != 0; rest &= rest - 1)
      compare(static_cast<unsigned>(__builtin_ctz(rest)));
  if (other == 0) return pattern;
  shift = 0;
  pattern = {request.site, request.bytes, request.mask, address, base};
  count(pattern);
  return pattern;
}

}  // namespace opgrade_emulation
