#include "grader/app/conv_run.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

#include "grader/check/conv_check.hpp"
#include "grader/check/mistake.hpp"

namespace opgrade {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWarmUpImages = 8;
constexpr int kSampledImages = 32;
constexpr int kCallsPerSample = 4;
/// Outputs up to this size are poisoned before every call; larger ones before the first only, where
/// the rotated input already makes an old output a wrong one.
constexpr std::int64_t kAlwaysPoisoned = 16 << 20;

double ms(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

std::vector<int> sample(int batch, std::mt19937_64& random) {
  std::vector<int> all(static_cast<std::size_t>(batch));
  std::iota(all.begin(), all.end(), 0);
  std::vector<int> chosen;
  std::sample(all.begin(), all.end(), std::back_inserter(chosen), kSampledImages, random);
  return chosen;
}

void rotate(ConvTensors& tensors, BatchOrder& order, std::mt19937_64& random) {
  const int B = tensors.shape.B;
  if (B < 2) return;
  const int step = std::uniform_int_distribution<int>(1, B - 1)(random);
  const auto x = tensors.x.values();
  std::rotate(x.begin(), x.begin() + step * tensors.shape.x_image(), x.end());
  order.shift = (order.shift + step) % B;
}

}  // namespace

bool is_too_slow(std::chrono::nanoseconds first_warm_up, const TimingConfig& timing) {
  return timing.abort_above.count() > 0 && first_warm_up > timing.abort_above;
}

bool warm_up(Session& session, const ConvTensors& tensors) {
  ConvShape small = tensors.shape;
  small.B = std::min(small.B, kWarmUpImages);
  ConvTensors few(small);
  std::ranges::copy(tensors.x.values().first(static_cast<std::size_t>(small.x_size())),
                    few.x.values().begin());
  std::ranges::copy(tensors.k.values(), few.k.values().begin());
  return session.map(few) && session.call() && session.unmap();
}

ConvReport run_conv(Session& session, ConvTensors& tensors, const FastConv<double>& reference,
                    const ConvRunOptions& options, BatchOrder& order, std::mt19937_64& random) {
  ConvReport report;
  report.shape = tensors.shape;
  const ConvOutput output{tensors.shape, tensors.x.values(), tensors.y.values(),
                          tensors.k.values()};
  std::vector<double> op, layer, grader;

  if (options.timed && options.timing.warm_up && !warm_up(session, tensors)) return report;
  tensors.y.poison(options.threads);
  if (!session.map(tensors)) return report;
  const auto begin = Clock::now();
  // A call whose two clocks disagree is repeated: a busy machine delays the grader now and then, a
  // submission that tampers with its clock does it every time. For a first accepted call the budget
  // may be overdrawn.
  const int warm_ups = options.timed ? options.timing.warm_ups : 0;
  const int most_calls = warm_ups + options.timing.repetitions * kCallsPerSample;
  constexpr int kOverdraft = 3;
  for (int calls = 1;; ++calls) {
    if (calls > 1) {
      rotate(tensors, order, random);
      if (tensors.shape.y_size() * 4 <= kAlwaysPoisoned) tensors.y.poison(options.threads);
    }
    const auto times = session.call();
    if (!times) return report;
    grader.push_back(ms(times->op.grader));
    if (calls == 1 && warm_ups > 0) report.too_slow = is_too_slow(times->op.grader, options.timing);
    if (calls > warm_ups && times->op.agree()) {
      op.push_back(ms(times->op.harness));
      layer.push_back(ms(times->layer.harness));
    }
    const bool enough =
        static_cast<int>(op.size()) >= options.timing.repetitions || calls >= most_calls;
    const bool last = !options.timed || enough || report.too_slow ||
                      Clock::now() - begin + times->layer.grader >
                          options.timing.budget * (op.empty() ? kOverdraft : 1);
    const auto images = last ? std::vector<int>{} : sample(tensors.shape.B, random);
    report.check = check_conv(reference, output, options.tolerance, images, options.threads);
    if (!last && !report.check.passed()) {
      report.check = check_conv(reference, output, options.tolerance, {}, options.threads);
    }
    if (last || !report.check.passed()) break;
  }
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
  session.unmap();
  return report;
}

}  // namespace opgrade
