// A recorded class, graded again in virtual time: the order is the one of the service's queue, or
// of `opgrade grade`, and no process runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "grader/course/results/class_order.hpp"
#include "grader/service/queue/dispatcher.hpp"

namespace opgrade::service {
namespace {

/// Seconds of a submission: its build, and the time that it had the device, as OPGRADE_PHASES tells
/// both. Right and slow ones mixed with those that do not compile or crash early, as a class is.
constexpr const char* kRecorded = R"(
1.1 1.9  1.2 2.6  1.0 0    1.3 3.1  1.1 2.2  1.2 11.8 1.1 2.0  1.4 2.4  1.1 0.6  1.2 2.9
1.1 2.1  1.0 0    1.2 2.7  1.1 1.8  1.3 6.4  1.1 2.3  1.2 2.5  1.1 3.3  1.0 0    1.1 2.2
1.5 2.0  1.1 1.7  1.2 4.2  1.1 2.6  1.1 0.4  1.2 2.3  1.1 2.9  1.3 8.7  1.1 2.1  1.0 0
1.1 1.9  1.2 2.4  1.1 2.8  1.1 2.0  1.2 0.7  1.1 3.0  1.4 2.2  1.1 5.1  1.2 2.5  1.1 1.8
1.0 0    1.1 2.1  1.2 2.7  1.1 2.3  1.1 1.9  1.3 3.6  1.1 2.4  1.2 2.0  1.1 2.6  1.1 2.2
)";

struct Job {
  double build = 0, device = 0;
  double alone() const { return build + device; }
};

std::vector<Job> recorded_class() {
  std::istringstream text(kRecorded);
  std::vector<Job> jobs;
  for (Job job; text >> job.build >> job.device;) jobs.push_back(job);
  return jobs;
}

double device_work(const std::vector<Job>& jobs) {
  double sum = 0;
  for (const Job& job : jobs) sum += job.device;
  return sum;
}

double longest(const std::vector<Job>& jobs) {
  double most = 0;
  for (const Job& job : jobs) most = std::max(most, job.alone());
  return most;
}

/// As many as `opgrade grade` has for a device.
constexpr int kLanes = 4;

/// Which job an idle worker begins at a time; nothing if none is left.
using Choose = std::function<std::optional<std::size_t>(double at)>;
using Ended = std::function<void(std::size_t job)>;

/// The time at which all have ended. Each worker builds its job, then waits for the device that is
/// free first; devices go to whom waited longest, as GpuPool gives them.
double replay(
    const std::vector<Job>& jobs, int devices, const Choose& choose,
    const Ended& ended = [](std::size_t) {}) {
  struct Step {
    double at = 0;
    int worker = 0;
    std::optional<std::size_t> job{};  ///< built, or over
    bool over = false;
  };
  const auto later = [](const Step& a, const Step& b) {
    return std::pair(a.at, a.worker) > std::pair(b.at, b.worker);
  };
  std::vector<Step> steps;  // a heap: the first one at its front
  const auto add = [&](const Step& step) {
    steps.push_back(step);
    std::ranges::push_heap(steps, later);
  };
  std::vector<double> free(static_cast<std::size_t>(devices), 0);
  for (int worker = 0; worker < kLanes * devices; ++worker) add({.worker = worker});
  double end = 0;
  while (!steps.empty()) {
    std::ranges::pop_heap(steps, later);
    const Step now = steps.back();
    steps.pop_back();
    if (now.job && !now.over) {
      const double needs = jobs[*now.job].device;
      const auto device = std::ranges::min_element(free);
      const double over = needs > 0 ? std::max(*device, now.at) + needs : now.at;
      if (needs > 0) *device = over;
      add({over, now.worker, now.job, true});
      continue;
    }
    if (now.job) {
      end = now.at;
      ended(*now.job);
    }
    if (const auto next = choose(now.at))
      add({now.at + jobs[*next].build, now.worker, next, false});
  }
  return end;
}

/// The service's queue: each job is a student's, who all handed in before the first one begins.
class ServedClass {
 public:
  explicit ServedClass(std::size_t students) {
    for (std::size_t i = 0; i < students; ++i) {
      HandIn h;
      h.submission.id = static_cast<std::int64_t>(i);
      h.submission.assignment = "m3";
      h.submission.owner = "s" + std::to_string(i);
      h.submission.sha256 = h.submission.owner;
      in_work_.push_back(h);
    }
  }

  std::optional<std::size_t> begin(double at) {
    const auto rank = [](const HandIn& h) {
      return Waiting{.id = h.submission.id, .owner = h.submission.owner};
    };
    const course::Moment moment(std::chrono::seconds(static_cast<std::int64_t>(at)));
    const auto chosen = choose_next(in_work_, rank, moment);
    if (!chosen) return std::nullopt;
    of(*chosen).state = State::running;
    ++begun_[*chosen];
    return static_cast<std::size_t>(*chosen);
  }
  void end(std::size_t job) {
    std::erase_if(in_work_, [&](const HandIn& h) {
      return h.submission.id == static_cast<std::int64_t>(job);
    });
    ++ended_[static_cast<std::int64_t>(job)];
  }
  /// Its worker was killed.
  void give_back(std::size_t job) { of(static_cast<std::int64_t>(job)).state = State::queued; }

  const std::map<std::int64_t, int>& begun() const { return begun_; }
  const std::map<std::int64_t, int>& ended() const { return ended_; }

 private:
  HandIn& of(std::int64_t id) {
    return *std::ranges::find(in_work_, id, [](const HandIn& h) { return h.submission.id; });
  }
  std::vector<HandIn> in_work_;
  std::map<std::int64_t, int> begun_, ended_;
};

double served(const std::vector<Job>& jobs, int devices) {
  ServedClass all(jobs.size());
  const double end = replay(
      jobs, devices, [&](double at) { return all.begin(at); },
      [&](std::size_t job) { all.end(job); });
  EXPECT_EQ(all.ended().size(), jobs.size());
  return end;
}

/// `opgrade grade class/*`, which takes one after the other from a list.
double graded(const std::vector<Job>& jobs, const std::vector<std::size_t>& order, int devices) {
  std::size_t next = 0;
  return replay(jobs, devices, [&](double) {
    return next < order.size() ? std::optional(order[next++]) : std::nullopt;
  });
}

std::vector<std::size_t> order_of(const std::vector<Job>& jobs, bool known) {
  std::vector<std::size_t> open(jobs.size());
  std::iota(open.begin(), open.end(), 0);
  std::vector<std::optional<double>> seconds(jobs.size());
  for (std::size_t i = 0; known && i < jobs.size(); ++i) seconds[i] = jobs[i].alone();
  return longest_first(open, seconds);
}

TEST(Replay, SeveralDevicesShareAClass) {
  const std::vector<Job> jobs = recorded_class();
  ASSERT_EQ(jobs.size(), 50U);
  const std::map<std::string, std::function<double(int)>> ways{
      {"serve", [&](int devices) { return served(jobs, devices); }},
      {"grade, a new class",
       [&](int devices) { return graded(jobs, order_of(jobs, false), devices); }},
      {"grade, a known class",
       [&](int devices) { return graded(jobs, order_of(jobs, true), devices); }}};
  for (const auto& [name, way] : ways) {
    const double one = way(1);
    EXPECT_GE(one / way(2), 1.9) << name;
    EXPECT_GE(one / way(4), 3.6) << name;
    EXPECT_GE(one / way(8), 6) << name;
  }
}

/// No device is idle while work is left, but for the last submission.
TEST(Replay, TheTailOfAClassIsTheTimeOfOneSubmission) {
  const std::vector<Job> jobs = recorded_class();
  for (const int devices : {1, 2, 4, 8}) {
    const double bound = device_work(jobs) / devices + longest(jobs);
    EXPECT_LE(served(jobs, devices), bound) << devices;
    EXPECT_LE(graded(jobs, order_of(jobs, false), devices), bound) << devices;
  }
}

/// Slow ones at the end of the alphabet would otherwise run alone there.
TEST(Replay, OfAKnownClassTheSlowOnesAreNotLast) {
  std::vector<Job> jobs = recorded_class();
  std::ranges::sort(jobs, {}, &Job::alone);
  for (const int devices : {2, 4, 8}) {
    const double known = graded(jobs, order_of(jobs, true), devices);
    EXPECT_LT(known, graded(jobs, order_of(jobs, false), devices)) << devices;
    EXPECT_LE(known, 1.1 * std::max(device_work(jobs) / devices, longest(jobs)) + 1.5) << devices;
  }
}

/// The service gives its submission back, and another worker begins it.
TEST(Replay, AKilledWorkerLosesNothing) {
  const std::vector<Job> jobs = recorded_class();
  for (const int devices : {1, 8}) {
    ServedClass all(jobs.size());
    int killed = 0;
    replay(
        jobs, devices, [&](double at) { return all.begin(at); },
        [&](std::size_t job) {
          if (job % 10 == 5 && all.begun().at(static_cast<std::int64_t>(job)) == 1) {
            ++killed;
            all.give_back(job);
          } else {
            all.end(job);
          }
        });
    EXPECT_EQ(killed, 5);
    ASSERT_EQ(all.ended().size(), jobs.size());
    for (const auto& [job, ends] : all.ended()) {
      EXPECT_EQ(ends, 1) << job;
      EXPECT_EQ(all.begun().at(job), job % 10 == 5 ? 2 : 1) << job;
    }
  }
}

}  // namespace
}  // namespace opgrade::service
