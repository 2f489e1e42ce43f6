#include "grader/emulation/runtime/count/request.hpp"

#include <algorithm>

namespace opgrade_emulation {
namespace {

constexpr std::uintptr_t kSector = 32, kBank = 4, kBanks = 32, kLine = 128;

std::uint64_t count_sectors(const Request& request) {
  std::uintptr_t next = 0, sectors = 0;
  for (unsigned i = 0; i < request.span_count; ++i) {
    const std::uintptr_t first = std::max(request.spans[i].begin / kSector, next);
    next = std::max((request.spans[i].end - 1) / kSector + 1, first);
    sectors += next - first;
  }
  return sectors;
}

/// Passes that the banks need for these words: different words of a bank take turns.
std::uint64_t passes(const Request& request) {
  std::array<unsigned char, kBanks> words{};
  std::uintptr_t next = 0;
  unsigned most = 0;
  for (unsigned i = 0; i < request.span_count; ++i) {
    const std::uintptr_t first = std::max(request.spans[i].begin / kBank, next);
    next = std::max((request.spans[i].end - 1) / kBank + 1, first);
    if (request.span_count == 1) return (next - first + kBanks - 1) / kBanks;
    for (std::uintptr_t word = first; word < next; ++word)
      most = std::max<unsigned>(most, ++words[word % kBanks]);
  }
  return most;
}

}  // namespace

AccessCounts count_request(Request& request) {
  const auto end = request.address.begin() + request.lanes;
  if (!std::is_sorted(request.address.begin(), end)) std::sort(request.address.begin(), end);
  AccessCounts counts;
  counts.requests = 1;
  counts.lanes = request.lanes;
  counts.bytes = std::uint64_t{request.lanes} * request.bytes;
  std::uint64_t run = 0, addresses = 0, bytes = 0;
  Request::Span span{request.address[0], request.address[0]};
  const auto close = [&] {
    bytes += span.end - span.begin;
    request.spans[request.span_count++] = span;
  };
  std::uintptr_t before = ~request.address[0];
  for (unsigned i = 0; i < request.lanes; ++i) {
    const std::uintptr_t address = request.address[i];
    run = address == before ? run + 1 : 1;
    addresses += address != before;
    counts.crowd = std::max(counts.crowd, run);
    if (address > span.end) {
      close();
      span.begin = address;
    }
    span.end = address + request.bytes;
    before = address;
  }
  close();
  if (request.site.space() == Space::global) {
    counts.sectors = count_sectors(request);
    counts.least_sectors = (bytes + kSector - 1) / kSector;
  } else if (request.site.space() == Space::shared) {
    counts.wavefronts = passes(request);
    counts.least_wavefronts = (bytes + kLine - 1) / kLine;
  } else {
    counts.wavefronts = addresses;
    counts.least_wavefronts = 1;
  }
  return counts;
}

}  // namespace opgrade_emulation
