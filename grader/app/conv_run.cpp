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
#include "grader/run/output_witness.hpp"

namespace opgrade {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSampledImages = 32;

double ms(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

/// Empty, which stands for all, when that many are.
std::vector<int> sample(int batch, int images) {
  if (images >= batch) return {};
  std::vector<int> all(static_cast<std::size_t>(batch));
  std::iota(all.begin(), all.end(), 0);
  std::vector<int> chosen;
  std::sample(all.begin(), all.end(), std::back_inserter(chosen), images,
              std::mt19937_64(SystemRandom()()));
  return chosen;
}

bool finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

/// Images in another order, each element with a new sign. A submission may know an image's zeros,
/// and so which parts to skip.
void refresh(ConvTensors& tensors, SystemRandom& random, const ConvRunOptions& options) {
  const auto x = tensors.x.values();
  const auto image = static_cast<std::ptrdiff_t>(tensors.shape.x_image());
  for (int b = tensors.shape.B - 1; b > 0; --b) {
    const auto other = std::uniform_int_distribution<int>(0, b)(random);
    if (other != b)
      std::swap_ranges(x.begin() + b * image, x.begin() + (b + 1) * image,
                       x.begin() + other * image);
  }
  flip_signs(x, random(), options.threads);
  tensors.y.poison(options.threads);
  if (options.start == Referee::Start::zeros) std::ranges::fill(tensors.y.values(), 0.0F);
}

/// A wrong output with NaN in it: whether it is right when y holds zeros before the call.
bool needs_zeros(Session& session, ConvTensors& tensors, const FastConv<double>& reference,
                 const ConvRunOptions& options, const ConvOutput& output) {
  std::ranges::fill(tensors.y.values(), 0.0F);
  return session.call() &&
         check_conv(reference, output, options.tolerance, {}, options.threads).passed();
}

}  // namespace

bool is_too_slow(std::chrono::nanoseconds first_warm_up, const TimingConfig& timing) {
  return timing.abort_above.count() > 0 && first_warm_up > timing.abort_above;
}

int images_to_check(int batch, std::chrono::nanoseconds call,
                    std::chrono::nanoseconds whole_check) {
  constexpr std::chrono::nanoseconds kLeast = std::chrono::milliseconds(250);
  const auto time = std::max(call, kLeast);
  if (time >= whole_check) return batch;
  const auto share = static_cast<double>(time.count()) / static_cast<double>(whole_check.count());
  return std::min(batch, std::max(kSampledImages, static_cast<int>(share * batch)));
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
  SystemRandom random;
  const auto finish = [&]() -> ConvReport& {
    if (report.check.passed() && !tensors.y.red_zone_intact()) {
      report.check.mismatches = 1;
      report.check.hint = "memory right outside y was overwritten";
    } else if (!report.check.passed() && report.check.hint.empty()) {
      report.check.hint = explain_mistake(output, tensors.k.values(), report.check);
    }
    return report;
  };

  if (options.timed && options.timing.warm_up && !warm_up(session, tensors, options.warm_up_images))
    return report;
  tensors.y.poison(options.threads);
  if (!session.map(tensors)) return report;
  if (options.memory != nullptr) options.memory->begin_layer(session);
  CheckReport whole;
  Clock::duration whole_check{};  // a single call is checked whole
  if (!options.single) {
    const auto first = session.call();
    if (!first) return report;
    const auto check_begin = Clock::now();
    report.check = check_conv(reference, output, options.tolerance, {}, options.threads);
    whole_check = Clock::now() - check_begin;
    const bool is_finite = finite(tensors.y.values());
    if (report.check.passed() || is_finite) use_output();
    if (!report.check.passed() && !is_finite && options.host_output) {
      CheckReport before = finish().check;
      if (needs_zeros(session, tensors, reference, options, output)) before.hint = kNeedsZeros;
      report.check = before;
      return report;
    }
    if (options.timing.warm_ups > 0) report.too_slow = is_too_slow(first->op.done, options.timing);
    if (report.check.passed() && options.memory != nullptr) options.memory->call_done(session);
    if (!options.timed || !report.check.passed() || report.too_slow) return finish();
    whole = report.check;
  }

  std::vector<double> op, layer, process;
  const auto begin = Clock::now();
  const int untimed = std::max(options.timing.warm_ups - 1, 0);  // the first call was one
  for (int calls = 1;; ++calls) {
    // The process runs while it maps: what it sees there is the input of the call before.
    if (options.map_every_call && !session.map(tensors)) return report;
    OutputWitness witness(tensors.y.values(), random());
    const auto times = session.call([&] { refresh(tensors, random, options); }, &witness);
    if (!times) return report;
    if (calls > untimed) {
      const bool late = witness.changed();
      const auto ran_on = late ? times->last.stopped - times->last.done : times->last.done * 0;
      const auto net = [&](std::chrono::nanoseconds time, int steps) {
        return ms(std::max<std::chrono::nanoseconds>(time - steps * options.call_cost, {}) +
                  ran_on);
      };
      op.push_back(net(times->op.done, 1));
      layer.push_back(net(times->layer.done, times->steps));
      process.push_back(ms(times->op.claimed()));
      if (late) ++report.late_calls;
      if (!agrees(times->op.harness, times->op.done)) ++report.disagreeing_calls;
    }
    const int images = images_to_check(tensors.shape.B, times->op.done, whole_check);
    report.check = check_conv(reference, output, options.tolerance, sample(tensors.shape.B, images),
                              options.threads);
    if (!report.check.passed()) {
      report.check = check_conv(reference, output, options.tolerance, {}, options.threads);
      break;
    }
    if (options.memory != nullptr) options.memory->call_done(session);
    if (static_cast<int>(op.size()) >= options.timing.repetitions) break;
    // One timed call in any case.
    if (!op.empty() && Clock::now() - begin + times->layer.done > options.timing.budget) break;
  }
  // The report is of all elements, not of the few of a later call.
  if (report.check.passed() && !options.single) report.check = whole;
  if (finish().check.passed()) {
    report.timed = true;
    report.op_time = summarize(std::move(op));
    report.layer_time = summarize(std::move(layer));
  }
  report.process_time = summarize(std::move(process));
  return report;
}

}  // namespace opgrade
