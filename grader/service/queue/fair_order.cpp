#include "grader/service/queue/fair_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace opgrade::service {

std::vector<std::size_t> fair_order(std::span<const Waiting> waiting,
                                    const std::map<std::string, int>& running) {
  std::vector<std::size_t> order(waiting.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return waiting[i].id; });
  auto in_work = running;
  std::vector<int> before(waiting.size());  // submissions of the same owner before it
  for (const std::size_t i : order) before[i] = in_work[waiting[i].owner]++;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::tuple(-waiting[i].priority, before[i], waiting[i].used, waiting[i].id);
  });
  return order;
}

std::vector<std::optional<std::chrono::seconds>> times_to_end(
    std::span<const Waiting> in_order, std::vector<std::chrono::seconds> busy, int workers) {
  std::vector<std::optional<std::chrono::seconds>> ends(in_order.size());
  if (workers < 1) return ends;
  // If staff reduced the number of workers, more may run than there are workers. Then the workers
  // that end first begin no submission.
  busy.resize(std::max(busy.size(), static_cast<std::size_t>(workers)));
  std::ranges::sort(busy);
  busy.erase(busy.begin(), busy.end() - workers);
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const auto free = std::ranges::min_element(busy);
    *free += in_order[i].estimate;
    ends[i] = *free;
  }
  return ends;
}

}  // namespace opgrade::service
