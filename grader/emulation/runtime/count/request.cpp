#include "grader/emulation/runtime/count/request.hpp"

#include <algorithm>
#include <span>

namespace opgrade_emulation {
namespace {

constexpr std::uintptr_t kSector = 32, kBank = 4, kBanks = 32, kLine = 128;

/// Sectors of the sorted addresses, and the fewest that could hold their different bytes.
void count_sectors(const Request& request, AccessCounts& counts) {
  std::uintptr_t next_sector = 0, end = 0, different = 0;
  for (unsigned i = 0; i < request.lanes; ++i) {
    const std::uintptr_t first = request.address[i], last = first + request.bytes - 1;
    const std::uintptr_t from = std::max(first / kSector, next_sector);
    if (last / kSector + 1 > from) {
      counts.sectors += last / kSector + 1 - from;
      next_sector = last / kSector + 1;
    }
    const std::uintptr_t fresh = std::max(first, end);
    if (last + 1 > fresh) different += last + 1 - fresh;
    end = std::max(end, last + 1);
  }
  counts.least_sectors = (different + kSector - 1) / kSector;
}

/// Passes that the banks need for these words: different words of a bank take turns.
std::uint64_t passes(std::span<const std::uintptr_t> sorted, unsigned bytes) {
  std::array<unsigned char, kBanks> words{};
  std::uintptr_t next = 0;
  unsigned most = 0;
  for (const std::uintptr_t address : sorted) {
    const std::uintptr_t last = (address + bytes - 1) / kBank;
    for (std::uintptr_t word = std::max(address / kBank, next); word <= last; ++word) {
      most = std::max<unsigned>(most, ++words[word % kBanks]);
      next = word + 1;
    }
  }
  return most;
}

void count_banks(const Request& request, AccessCounts& counts) {
  counts.wavefronts = passes({request.address.data(), request.lanes}, request.bytes);
  std::uintptr_t end = 0, different = 0;
  for (unsigned i = 0; i < request.lanes; ++i) {
    const std::uintptr_t fresh = std::max(request.address[i], end);
    end = std::max(end, request.address[i] + request.bytes);
    different += end - fresh;
  }
  counts.least_wavefronts = std::max<std::uintptr_t>((different + kLine - 1) / kLine, 1);
}

}  // namespace

AccessCounts count_request(Request& request) {
  const auto end = request.address.begin() + request.lanes;
  if (!std::is_sorted(request.address.begin(), end)) std::sort(request.address.begin(), end);
  AccessCounts counts;
  counts.requests = 1;
  counts.lanes = request.lanes;
  counts.bytes = std::uint64_t{request.lanes} * request.bytes;
  unsigned run = 0;
  for (unsigned i = 0; i < request.lanes; ++i) {
    run = i > 0 && request.address[i] == request.address[i - 1] ? run + 1 : 1;
    counts.crowd = std::max<std::uint64_t>(counts.crowd, run);
    if (run == 1) ++counts.least_wavefronts;  // so far: different addresses
  }
  if (request.site.space == Space::global) {
    counts.least_wavefronts = 0;
    count_sectors(request, counts);
  } else if (request.site.space == Space::shared) {
    count_banks(request, counts);
  } else {
    counts.wavefronts = counts.least_wavefronts;
    counts.least_wavefronts = 1;
  }
  return counts;
}

}  // namespace opgrade_emulation
