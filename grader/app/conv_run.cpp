#include "grader/app/conv_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "grader/check/conv_check.hpp"
#include "grader/check/mistake.hpp"
#include "grader/core/sign_flips.hpp"
#include "grader/core/system_random.hpp"
#include "grader/measure/times.hpp"
#include "grader/run/output_witness.hpp"

namespace opgrade {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSampledImages = 32;

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

/// Calls in the submission's process, with inputs and outputs in memory that the grader shares.
class HostTarget final : public Target {
 public:
  HostTarget(Session& session, ConvTensors& tensors, const FastConv<double>& reference,
             const ConvRunOptions& options, const std::function<void()>& use_output,
             CheckReport& report)
      : session_(session),
        tensors_(tensors),
        reference_(reference),
        options_(options),
        use_output_(use_output),
        report_(report) {}

  std::chrono::nanoseconds now() override { return Clock::now().time_since_epoch(); }

  bool prepare(Input input) override {
    fresh_ = input == Input::fresh;
    if (!fresh_) return session_.arm_call();
    // The process runs while it maps: what it sees there is the input of the call before.
    if (options_.map_every_call && !session_.map(tensors_)) return false;
    witness_.emplace(tensors_.y.values(), random_());
    if (!session_.arm_call()) return false;
    refresh(tensors_, random_, options_);
    return true;
  }

  std::optional<CallSample> run() override {
    const auto times = session_.run_call(fresh_ ? &*witness_ : nullptr);
    if (!times) return std::nullopt;
    stayed_ = !fresh_ || !witness_->changed();
    call_ = times->op.done;
    return CallSample{.done = times->op.done,
                      .layer = times->layer.done,
                      .steps = times->steps,
                      .until_stopped = times->last.stopped - times->last.done,
                      .harness = times->op.harness,
                      .device = times->op.device};
  }

  Proof check() override {
    if (!fresh_) {
      check_known();
    } else {
      // A single call is checked whole.
      const int images = images_to_check(tensors_.shape.B, call_, whole_check_);
      report_ = check_images(sample(tensors_.shape.B, images));
      if (!report_.passed()) {
        report_ = check_images({});
      } else if (whole_.checked > 0) {
        report_ = whole_;  // of all elements, not of the few of a later call
      }
    }
    if (report_.passed() && options_.memory != nullptr) options_.memory->call_done(session_);
    return {report_.passed(), stayed_};
  }

  /// True if the output with the known input was finite.
  bool was_finite() const { return finite_; }

 private:
  CheckReport check_images(const std::vector<int>& images) const {
    const ConvOutput output{tensors_.shape, tensors_.x.values(), tensors_.y.values(),
                            tensors_.k.values()};
    return check_conv(reference_, output, options_.tolerance, images, options_.threads);
  }

  void check_known() {
    const auto begin = Clock::now();
    report_ = whole_ = check_images({});
    whole_check_ = Clock::now() - begin;
    finite_ = finite(tensors_.y.values());
    if (report_.passed() || finite_) use_output_();
  }

  Session& session_;
  ConvTensors& tensors_;
  const FastConv<double>& reference_;
  const ConvRunOptions& options_;
  const std::function<void()>& use_output_;
  CheckReport& report_;
  CheckReport whole_;
  SystemRandom random_;
  std::optional<OutputWitness> witness_;
  std::chrono::nanoseconds call_{}, whole_check_{};
  bool fresh_ = false;
  bool stayed_ = true;
  bool finite_ = true;
};

}  // namespace

Plan plan_of(const ConvRunOptions& options, Plan::Place place) {
  const TimingConfig& timing = options.timing;
  return {.place = place,
          .timed = options.timed,
          .single = options.single,
          .warm_ups = timing.warm_ups,
          .repetitions = timing.repetitions,
          .settle = timing.settle,
          .budget = timing.budget,
          .abort_above = timing.abort_above,
          .empty_call = options.call_cost};
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
  if (options.timed && options.timing.warm_up && !warm_up(session, tensors, options.warm_up_images))
    return report;
  tensors.y.poison(options.threads);
  if (!session.map(tensors)) return report;
  if (options.memory != nullptr) options.memory->begin_layer(session);

  HostTarget target(session, tensors, reference, options, use_output, report.check);
  Measured measured = measure_calls(target, plan_of(options, Plan::Place::host));
  report.measurement = std::move(measured.measurement);
  report.too_slow = measured.too_slow;
  if (measured.end != Measured::End::over) {
    const ConvOutput output{tensors.shape, tensors.x.values(), tensors.y.values(),
                            tensors.k.values()};
    if (report.check.passed() && !tensors.y.red_zone_intact()) {
      report.check.mismatches = 1;
      report.check.hint = "memory right outside y was overwritten";
    } else if (!report.check.passed() && report.check.hint.empty()) {
      report.check.hint = explain_mistake(output, tensors.k.values(), report.check);
    }
    const bool first = report.measurement.calls.size() == 1;
    if (first && !target.was_finite() && !report.check.passed() && options.host_output &&
        needs_zeros(session, tensors, reference, options, output))
      report.check.hint = kNeedsZeros;
    report.timed = measured.credible && report.check.passed();
  }
  set_times(report);
  return report;
}

}  // namespace opgrade
