/// opgrade-bench-cpu: the CPU convolutions side by side, in one program and one run.
//
// Each convolution layer of the course's networks runs in the course's plain loops on one core, in
// FastConv (float and double) and in oneDNN. Its figure is the best of its algorithms and layouts,
// with reorders from and to NCHW and, for the ratio, without. Rounds go over all
// contenders in turn, so that a slow second of the machine falls on all of them. A run during which
// another process got a core is dropped, counted and repeated. The table gives medians. Prints
// Markdown on stdout.
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "grader/base/arguments/arguments.hpp"
#include "reference/conv_batch.hpp"
#include "reference/conv_fast.hpp"
#ifdef OPGRADE_HAVE_ONEDNN
#include "reference/onednn_conv.hpp"
#endif

namespace opgrade {
namespace {

struct Layer {
  const char* term;
  ConvShape shape;
};

// The networks' layers: M, C, H = W and K from the course's own model files, stride 1 throughout.
constexpr Layer kLayers[] = {
    {"2017fa 28x28, conv 1", {1, 50, 1, 28, 28, 5, 1}},
    {"2018sp 64x64, conv 1", {1, 6, 1, 64, 64, 5, 1}},
    {"2018sp 64x64, conv 2", {1, 16, 6, 30, 30, 5, 1}},
    {"2018fa 72x72, conv 1", {1, 12, 1, 72, 72, 7, 1}},
    {"2018fa 72x72, conv 2", {1, 24, 12, 33, 33, 7, 1}},
    {"2019sp 48x48, conv 1", {1, 6, 1, 48, 48, 5, 1}},
    {"2019sp 48x48, conv 2", {1, 16, 6, 22, 22, 5, 1}},
    {"2019fa 70x70, conv 1", {1, 12, 1, 70, 70, 5, 1}},
    {"2019fa 70x70, conv 2", {1, 24, 12, 33, 33, 5, 1}},
    {"2020fa on, 86x86, conv 1", {1, 4, 1, 86, 86, 7, 1}},
    {"2020fa on, 86x86, conv 2", {1, 16, 4, 40, 40, 7, 1}},
};

/// The ruler: seven plain float loops that add to y in memory, as the course's text has them.
void plain_loops(const ConvShape& s, const float* x, const float* k, float* y) {
  const int H_out = s.H_out(), W_out = s.W_out();
  for (int b = 0; b < s.B; b++)
    for (int m = 0; m < s.M; m++)
      for (int h = 0; h < H_out; h++)
        for (int w = 0; w < W_out; w++) {
          float& sum = y[((b * s.M + m) * H_out + h) * W_out + w];
          sum = 0;
          for (int c = 0; c < s.C; c++)
            for (int p = 0; p < s.K; p++)
              for (int q = 0; q < s.K; q++)
                sum += x[((b * s.C + c) * s.H + h + p) * s.W + w + q] *
                       k[((m * s.C + c) * s.K + p) * s.K + q];
        }
}

struct Options {
  int batch = 256;
  int rounds = 15;
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool all = false;
  std::string only;
};

/// The columns' numbers of threads.
std::vector<std::string> labels(const Options& options) {
  return options.threads == 1 ? std::vector<std::string>{"1"} : std::vector<std::string>{"1", "N"};
}

/// One way to compute the layer, with what it needs and its times.
struct Contender {
  std::string name;
  double images;  ///< that one run computes
  int threads;
  bool gives_y = false;  ///< whether a run leaves the result in the caller's y
  std::function<void()> run;
  std::vector<double> seconds_per_image{};
  double error = 0;  ///< worst, relative to the largest output

  double quantile(double q) const {
    auto sorted = seconds_per_image;
    std::sort(sorted.begin(), sorted.end());
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
  }
  double median() const { return quantile(0.5); }
  double spread() const { return (quantile(0.75) - quantile(0.25)) / median(); }
};

/// The times at which the kernel took a core from this process to give it to another one.
long interruptions() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// One layer's tensors and all its contenders.
class Field {
 public:
  Field(const ConvShape& one_image, const Options& options) : shape_(one_image) {
    shape_.B = options.batch;
    std::mt19937 random(408);
    x_.resize(static_cast<std::size_t>(shape_.x_size()));
    k_.resize(static_cast<std::size_t>(shape_.k_size()));
    y_.resize(static_cast<std::size_t>(shape_.y_size()));
    truth_.resize(y_.size());
    for (float& value : x_) value = static_cast<float>(random() % 256U);  // pixels
    std::uniform_real_distribution<float> weight(-0.5F, 0.5F);
    for (float& value : k_) value = weight(random);
    conv_fast(shape_, x_.data(), k_.data(), truth_.data());
    add_own(options.threads);
#ifdef OPGRADE_HAVE_ONEDNN
    for (const std::string& label : labels(options))
      for (const auto algorithm :
           {OnednnAlgorithm::direct, OnednnAlgorithm::winograd, OnednnAlgorithm::automatic})
        for (const auto layout : {OnednnLayout::nchw, OnednnLayout::nhwc, OnednnLayout::blocked})
          add_onednn(algorithm, layout, label == "1" ? 1 : options.threads, label);
#endif
  }

  void measure(int rounds) {
    for (int round = 0; round < rounds; ++round)
      for (Contender& contender : contenders_) {
        sample(contender);
        if (round == 0 && contender.gives_y) contender.error = worst_error();
      }
  }

  /// The fastest whose name starts so; null when there is none.
  const Contender* best(const std::string& prefix) const {
    const Contender* found = nullptr;
    for (const Contender& c : contenders_)
      if (c.name.rfind(prefix, 0) == 0 && (!found || c.median() < found->median())) found = &c;
    return found;
  }

  /// The fastest of oneDNN's that starts and ends with the caller's tensors.
  const Contender* best_same_tensors(const std::string& prefix) const {
    const Contender* found = nullptr;
    for (const Contender& c : contenders_)
      if (c.gives_y && c.name.rfind(prefix, 0) == 0 && (!found || c.median() < found->median()))
        found = &c;
    return found;
  }

  double gflops(const Contender& c) const { return shape_.flops() / shape_.B / c.median() * 1e-9; }
  const std::vector<Contender>& contenders() const { return contenders_; }
  int dropped() const { return dropped_; }

 private:
  void add_own(int threads) {
    // The plain loops take seconds: fewer images, with the same work on each.
    ConvShape few = shape_;
    few.B = std::max(1, shape_.B / 32);
    const double B = shape_.B;
    contenders_.push_back({"plain loops", static_cast<double>(few.B), 1, false,
                           [this, few] { plain_loops(few, x_.data(), k_.data(), y_.data()); }});
    // These pack the weights each time; oneDNN's are packed before the clock starts.
    const auto in_double = [this](int n) { check_like(n); };
    const auto in_float = [this](int n) { conv_fast(shape_, x_.data(), k_.data(), y_.data(), n); };
    contenders_.push_back({"double 1", B, 1, false, [=] { in_double(1); }});
    contenders_.push_back({"float 1", B, 1, true, [=] { in_float(1); }});
    if (threads == 1) return;
    contenders_.push_back({"double N", B, threads, false, [=] { in_double(threads); }});
    contenders_.push_back({"float N", B, threads, true, [=] { in_float(threads); }});
  }

  /// The time of checking a batch: every image in double, into memory that is used again.
  void check_like(int threads) {
    const FastConv<double> conv(shape_, k_.data());
    const auto work = [&](int first) {
      std::vector<double> y(static_cast<std::size_t>(shape_.y_image()));
      for (int b = first; b < shape_.B; b += threads)
        conv.image(x_.data() + b * shape_.x_image(), y.data());
    };
    std::vector<std::jthread> helpers;
    for (int i = 1; i < threads; ++i) helpers.emplace_back(work, i);
    work(0);
  }

#ifdef OPGRADE_HAVE_ONEDNN
  void add_onednn(OnednnAlgorithm algorithm, OnednnLayout layout, int threads,
                  const std::string& label) {
    auto made =
        OnednnConv::create(shape_, x_.data(), k_.data(), y_.data(), algorithm, layout, threads);
    if (!made) return;
    const auto conv = std::make_shared<OnednnConv>(std::move(*made));
    const auto name = fmt::format("oneDNN {} {} {} ({})", label, onednn_name(algorithm),
                                  onednn_name(layout), conv->implementation());
    conv->load();
    contenders_.push_back({name, static_cast<double>(shape_.B), threads, !conv->reorders(),
                           [conv] { conv->compute(); }});
    if (!conv->reorders()) return;
    contenders_.push_back(
        {name + " + reorders", static_cast<double>(shape_.B), threads, true, [conv] {
           conv->load();
           conv->compute();
           conv->store();
         }});
  }
#endif

  /// One timed run. On one thread that thread's processor time counts, which leaves other processes
  /// out. On several the wall clock counts. A run is repeated, up to kAttempts times, when
  /// another process got a core, or when the cores worked less than nine tenths of it.
  void sample(Contender& contender) {
    constexpr int kAttempts = 5;
    const bool alone = contender.threads == 1;
    contender.run();  // caches, page tables
    for (int attempt = 1;; ++attempt) {
      // OpenMP's threads go on spinning for a while after their work; let them fall asleep.
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const long interrupted = interruptions();
      const double worked_before = seconds(CLOCK_PROCESS_CPUTIME_ID);
      const double start = seconds(alone ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
      contender.run();
      const double elapsed = seconds(alone ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC) - start;
      const double worked = seconds(CLOCK_PROCESS_CPUTIME_ID) - worked_before;
      const bool quiet =
          interruptions() == interrupted && worked >= 0.9 * contender.threads * elapsed;
      if (!alone && !quiet && attempt < kAttempts) {
        ++dropped_;
        continue;
      }
      contender.seconds_per_image.push_back(elapsed / contender.images);
      return;
    }
  }

  double worst_error() const {
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const double error = std::abs(y_[i] - truth_[i]);
      worst = error <= worst ? worst : error;  // NaN stays
      largest = std::max(largest, std::abs(truth_[i]));
    }
    return worst / largest;
  }

  ConvShape shape_;
  std::vector<float> x_, k_, y_;
  std::vector<double> truth_;
  std::vector<Contender> contenders_;
  int dropped_ = 0;
};

void bench_layer(const Layer& layer, const Options& options) {
  Field field(layer.shape, options);
  field.measure(options.rounds);
  const Contender& plain = *field.best("plain loops");
  std::string row = fmt::format("| {} | {:.2f}", layer.term, field.gflops(plain));
  double spread = 0;
  for (const std::string& label : labels(options)) {
    const Contender& ours = *field.best("float " + label);
    const Contender* same = field.best_same_tensors("oneDNN " + label);
    const Contender* theirs = field.best("oneDNN " + label);
    row += fmt::format(" | **{:.0f}**", field.gflops(ours));
    if (label == "1") row += fmt::format(" | {:.0f}", plain.median() / ours.median());
    row += theirs ? fmt::format(" | {:.0f} | {:.0f} | **{:.2f}**", field.gflops(*same),
                                field.gflops(*theirs), theirs->median() / ours.median())
                  : " | - | - | -";
    row += fmt::format(" | {:.0f}", field.gflops(*field.best("double " + label)));
    for (const Contender* c : {&ours, theirs})
      if (c) spread = std::max(spread, c->spread());
  }
  fmt::print("{} | {:.0f}% | {} | {:.1e} |\n", row, spread * 100, field.dropped(),
             field.best("float")->error);
  std::fflush(stdout);
  if (options.all)
    for (const Contender& c : field.contenders())
      fmt::print(stderr, "    {:60} {:9.3f} us/image {:7.1f} GFLOP/s, quartiles {:.1f}% apart{}\n",
                 c.name, c.median() * 1e6, field.gflops(c), c.spread() * 100,
                 c.gives_y ? fmt::format(", worst error {:.1e}", c.error) : "");
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

void run(const Options& options) {
  fmt::print("{}, {}, {:%Y-%m-%d}; B = {}, N = {}, medians of {} runs, GFLOP/s.\n\n", processor(),
             isa_name(best_isa()), fmt::gmtime(std::time(nullptr)), options.batch, options.threads,
             options.rounds);
  std::string heads = "| layer | plain loops, 1", rule = "|---|---";
  for (const std::string& label : labels(options)) {
    heads += fmt::format(" | FastConv, {}", label);
    if (label == "1") heads += " | times plain";
    heads += fmt::format(
        " | oneDNN, {0}, NCHW in and out | oneDNN, {0}, own layout | times oneDNN | checking, {0}",
        label);
    rule += label == "1" ? "|---|---|---|---|---|---" : "|---|---|---|---|---";
  }
  fmt::print("{} | spread | dropped | worst error |\n{}|---|---|---|\n", heads, rule);
  for (const Layer& layer : kLayers)
    if (std::string(layer.term).find(options.only) != std::string::npos)
      bench_layer(layer, options);
}

}  // namespace
}  // namespace opgrade

int main(int argc, char** argv) {
  using namespace opgrade;
  Options options;
  arguments::Parser app("The CPU convolutions side by side: plain loops, FastConv, oneDNN",
                        "opgrade-bench-cpu");
  app.add_option("--batch", options.batch, "images in a run")->check(arguments::positive());
  app.add_option("--rounds", options.rounds, "runs of every contender")
      ->check(arguments::positive());
  app.add_option("--threads", options.threads, "N, the larger number of threads")
      ->check(arguments::positive());
  app.add_option("--only", options.only, "only layers whose name holds this text");
  app.add_flag("--all", options.all, "every contender's figures on stderr");
  return arguments::run_program(app, argc, argv, [&] {
    run(options);
    return 0;
  });
}
