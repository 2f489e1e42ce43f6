#include "grader/app/conv_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "grader/check/conv_check.hpp"
#include "grader/check/mistake.hpp"
#include "grader/core/sign_flips.hpp"
#include "grader/core/system_random.hpp"

namespace opgrade {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSampledImages = 32;
constexpr int kCallsPerSample = 4;
/// Outputs up to this size are poisoned before every call; larger ones before the first only, where
/// the new signs already make an old output a wrong one.
constexpr std::int64_t kAlwaysPoisoned = 16 << 20;

double ms(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

std::vector<int> sample(int batch) {
  std::vector<int> all(static_cast<std::size_t>(batch));
  std::iota(all.begin(), all.end(), 0);
  std::vector<int> chosen;
  std::sample(all.begin(), all.end(), std::back_inserter(chosen), kSampledImages,
              std::mt19937_64(SystemRandom()()));
  return chosen;
}

bool finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

/// Hands over tensors whose x comes when they are mapped: the process runs until then, in nobody's
/// time. Signs alone would not hide it, because the sizes of images give them away.
bool map_unseen(Session& session, ConvTensors& tensors) {
  const auto x = tensors.x.values();
  const std::vector<float> input(x.begin(), x.end());
  std::ranges::fill(x, 0.0F);
  const bool mapped = session.map(tensors);
  std::ranges::copy(input, x.begin());
  return mapped;
}

}  // namespace

bool is_too_slow(std::chrono::nanoseconds first_warm_up, const TimingConfig& timing) {
  return timing.abort_above.count() > 0 && first_warm_up > timing.abort_above;
}

bool is_spent(std::chrono::nanoseconds elapsed, const TimingConfig& timing, bool any_accepted) {
  constexpr int kOverdraft = 3;
  return elapsed > timing.budget * (any_accepted ? 1 : kOverdraft);
}

bool warm_up(Session& session, const ConvTensors& tensors, int images,
             const std::function<void()>& meanwhile) {
  ConvShape small = tensors.shape;
  small.B = std::min(small.B, images);
  ConvTensors few(small);
  std::ranges::copy(tensors.x.values().first(static_cast<std::size_t>(small.x_size())),
                    few.x.values().begin());
  flip_signs(few.x.values(), SystemRandom()(), 1);
  std::ranges::copy(tensors.k.values(), few.k.values().begin());
  return session.map(few, meanwhile) && session.call();
}

ConvReport run_conv(Session& session, ConvTensors& tensors, const FastConv<double>& reference,
                    const ConvRunOptions& options, const std::function<void()>& use_output) {
  ConvReport report;
  report.shape = tensors.shape;
  const ConvOutput output{tensors.shape, tensors.x.values(), tensors.y.values(),
                          tensors.k.values()};
  std::vector<double> op, layer, grader;
  CheckReport whole;
  SystemRandom random;

  if (options.timed && options.timing.warm_up && !warm_up(session, tensors, options.warm_up_images))
    return report;
  tensors.y.poison(options.threads);
  const int warm_ups = options.timed ? options.timing.warm_ups : 0;
  const bool first_is_timed = options.timed && warm_ups == 0;
  if (!(first_is_timed ? map_unseen(session, tensors) : session.map(tensors))) return report;
  const auto begin = Clock::now();
  // A call whose two clocks disagree is repeated: a busy machine delays the grader now and then, a
  // submission that tampers with its clock does it every time.
  const int most_calls = warm_ups + options.timing.repetitions * kCallsPerSample;
  for (int calls = 1;; ++calls) {
    if (calls > 1) {
      // The process runs while it maps, and nobody takes the time: it sees the old input there.
      if (options.map_every_call && !session.map(tensors)) return report;
      flip_signs(tensors.x.values(), random(), options.threads);
      if (tensors.shape.y_size() * 4 <= kAlwaysPoisoned) tensors.y.poison(options.threads);
    }
    const auto times = session.call();
    if (!times) return report;
    grader.push_back(ms(times->op.grader));
    if (calls == 1 && warm_ups > 0) report.too_slow = is_too_slow(times->op.grader, options.timing);
    if (calls > warm_ups && times->op.agree()) {
      op.push_back(ms(times->op.harness));
      layer.push_back(ms(times->believed_layer));
    }
    const bool enough =
        static_cast<int>(op.size()) >= options.timing.repetitions || calls >= most_calls;
    const bool spent =
        is_spent(Clock::now() - begin + times->layer.grader, options.timing, !op.empty());
    // One timed call in any case: without it nothing could be said of the clocks.
    const bool last = !options.timed || enough || report.too_slow || (spent && calls > warm_ups);
    const auto images = calls == 1 ? std::vector<int>{} : sample(tensors.shape.B);
    report.check = check_conv(reference, output, options.tolerance, images, options.threads);
    if (calls > 1 && !report.check.passed()) {
      report.check = check_conv(reference, output, options.tolerance, {}, options.threads);
    }
    if (calls == 1) {
      whole = report.check;
      if (whole.passed() || finite(tensors.y.values())) use_output();
    }
    if (last || !report.check.passed()) break;
  }
  // The report is of all elements, not of the few of a later call.
  if (report.check.passed()) report.check = whole;
  if (report.check.passed() && !tensors.y.red_zone_intact()) {
    report.check.mismatches = 1;
    report.check.hint = "memory right outside y was overwritten";
  } else if (!report.check.passed()) {
    report.check.hint = explain_mistake(output, tensors.k.values(), report.check);
  }
  if (options.timed && report.check.passed() && !op.empty() && !report.too_slow) {
    report.timed = true;
    report.op_time = summarize(std::move(op));
    report.layer_time = summarize(std::move(layer));
  }
  report.grader_time = summarize(std::move(grader));
  return report;
}

}  // namespace opgrade
