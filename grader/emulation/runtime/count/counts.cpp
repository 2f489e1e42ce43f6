#include "grader/emulation/runtime/count/counts.hpp"

#include <algorithm>

namespace opgrade_emulation {

void AccessCounts::add(const AccessCounts& more) {
  requests += more.requests;
  lanes += more.lanes;
  bytes += more.bytes;
  sectors += more.sectors;
  least_sectors += more.least_sectors;
  wavefronts += more.wavefronts;
  least_wavefronts += more.least_wavefronts;
  crowd += more.crowd;
  array = more.array;
}

void ArrayCounts::add(const ArrayCounts& more) {
  bytes = more.bytes;
  loads += more.loads;
  of_blocks += more.of_blocks;
  of_grids += more.of_grids;
}

void LaunchCounts::add(const LaunchCounts& more) {
  for (const auto& [site, counts] : more.sites) sites[site].add(counts);
  for (const auto& [begin, counts] : more.arrays) arrays[begin].add(counts);
  for (int type = 0; type < 2; ++type)
    for (int i = 0; i < kArithmetic; ++i) arithmetic[type][i] += more.arithmetic[type][i];
  barriers += more.barriers;
  shuffles += more.shuffles;
  votes += more.votes;
  fragments += more.fragments;
  threads += more.threads;
  idle += more.idle;
  exchanged += more.exchanged;
  moved += more.moved;
  moved_words += more.moved_words;
  same_address = std::max(same_address, more.same_address);
}

}  // namespace opgrade_emulation
