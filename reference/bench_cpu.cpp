/// opgrade-bench-cpu: the CPU convolutions side by side, in one program and one run.
//
// For every convolution layer of the course's networks: the course's plain loops on one core,
// FastConv in float and double, and the best of oneDNN's algorithms and layouts. Rounds go over all
// contenders in turn, so that a slow second of the machine falls on all of them; the table gives
// medians. Prints Markdown on stdout, one line per layer.
#include <fmt/chrono.h>
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

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

struct Contender {
  std::string name;
  double images;  ///< that one run computes
  std::function<void()> run;
  std::vector<double> seconds_per_image{};

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

struct Options {
  int batch = 256;
  int rounds = 9;
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool all = false;
  std::string only;
};

/// Packs the weights anew each time; oneDNN's are packed once, before the clock starts.
template <class Acc>
std::function<void()> fast_runner(const ConvShape& shape, const float* x, const float* k, Acc* y,
                                  int threads) {
  return [=] { conv_fast(shape, x, k, y, threads); };
}

double worst_error(const std::vector<float>& y, const std::vector<double>& truth) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double error = std::abs(y[i] - truth[i]);
    worst = error <= worst ? worst : error;  // NaN stays
    largest = std::max(largest, std::abs(truth[i]));
  }
  return worst / largest;
}

void bench_layer(const Layer& layer, const Options& options) {
  using Clock = std::chrono::steady_clock;
  ConvShape shape = layer.shape;
  shape.B = options.batch;
  ConvShape few = shape;  // the plain loops take seconds: fewer images, the same work on each
  few.B = std::max(1, options.batch / 32);

  std::mt19937 random(408);
  std::vector<float> x(static_cast<std::size_t>(shape.x_size()));
  std::vector<float> k(static_cast<std::size_t>(shape.k_size()));
  for (float& value : x) value = static_cast<float>(random() % 256U);
  std::uniform_real_distribution<float> weight(-0.5F, 0.5F);
  for (float& value : k) value = weight(random);
  std::vector<float> y(static_cast<std::size_t>(shape.y_size()));
  std::vector<double> truth(y.size());

  const int N = options.threads;
  std::vector<Contender> contenders;
  contenders.push_back({"plain loops", static_cast<double>(few.B),
                        [&] { plain_loops(few, x.data(), k.data(), y.data()); }});
  const double B = shape.B;
  contenders.push_back({"double N", B, fast_runner(shape, x.data(), k.data(), truth.data(), N)});
  contenders.push_back({"double 1", B, fast_runner(shape, x.data(), k.data(), truth.data(), 1)});
  contenders.push_back({"float 1", B, fast_runner(shape, x.data(), k.data(), y.data(), 1)});
  contenders.push_back({"float N", B, fast_runner(shape, x.data(), k.data(), y.data(), N)});
#ifdef OPGRADE_HAVE_ONEDNN
  std::vector<std::unique_ptr<OnednnConv>> onednn;
  for (const int threads : {1, N})
    for (const auto algorithm :
         {OnednnAlgorithm::direct, OnednnAlgorithm::winograd, OnednnAlgorithm::automatic})
      for (const auto layout : {OnednnLayout::nchw, OnednnLayout::nhwc, OnednnLayout::blocked}) {
        auto made =
            OnednnConv::create(shape, x.data(), k.data(), y.data(), algorithm, layout, threads);
        if (!made) continue;
        onednn.push_back(std::make_unique<OnednnConv>(std::move(*made)));
        OnednnConv* const conv = onednn.back().get();
        const std::string name =
            fmt::format("oneDNN {} {} {} ({})", threads == 1 ? "1" : "N", onednn_name(algorithm),
                        onednn_name(layout), conv->implementation());
        conv->load();
        contenders.push_back({name, B, [conv] { conv->compute(); }});
        if (conv->reorders())
          contenders.push_back({name + " + reorders", B, [conv] {
                                  conv->load();
                                  conv->compute();
                                  conv->store();
                                }});
      }
#endif

  double error = 0;
  for (int round = 0; round < options.rounds; ++round)
    for (Contender& contender : contenders) {
      // OpenMP's threads go on spinning for a while after their work; let them fall asleep.
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (round == 0 || &contender != contenders.data()) contender.run();  // caches and page tables
      const auto start = Clock::now();
      contender.run();
      const std::chrono::duration<double> elapsed = Clock::now() - start;
      contender.seconds_per_image.push_back(elapsed.count() / contender.images);
      if (contender.name == "float N") error = worst_error(y, truth);
    }

  const double flops = shape.flops() / B;
  const auto rate = [&](const Contender& c) { return flops / c.median() * 1e-9; };
  const auto find = [&](const std::string& name) -> const Contender& {
    return *std::find_if(contenders.begin(), contenders.end(),
                         [&](const Contender& c) { return c.name == name; });
  };
  const auto best = [&](const std::string& prefix) -> const Contender* {
    const Contender* found = nullptr;
    for (const Contender& c : contenders)
      if (c.name.rfind(prefix, 0) == 0 && (!found || c.median() < found->median())) found = &c;
    return found;
  };
  const Contender &plain = find("plain loops"), &one = find("float 1"), &many = find("float N");
  const Contender *theirs_one = best("oneDNN 1"), *theirs_many = best("oneDNN N");
  const auto against = [&](const Contender* theirs, const Contender& ours) {
    return theirs ? fmt::format("{:.0f} | {:.2f}", rate(*theirs), theirs->median() / ours.median())
                  : std::string("- | -");
  };
  double spread = 0;
  for (const Contender* c : {&one, &many, theirs_one, theirs_many})
    if (c) spread = std::max(spread, c->spread());
  fmt::print(
      "| {} | {:.2f} | {:.0f} | {:.0f} | {} | {:.0f} | {} | {:.0f} | {:.0f} | {:.0f}% | {:.1e} | "
      "{} |\n",
      layer.term, rate(plain), rate(one), plain.median() / one.median(), against(theirs_one, one),
      rate(many), against(theirs_many, many), rate(find("double 1")), rate(find("double N")),
      spread * 100, error, theirs_many ? theirs_many->name.substr(9) : "-");
  if (options.all)
    for (const Contender& c : contenders)
      fmt::print(stderr, "    {:60} {:9.3f} us/image {:7.1f} GFLOP/s, quartiles {:.1f}% apart\n",
                 c.name, c.median() * 1e6, rate(c), c.spread() * 100);
  std::fflush(stdout);
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("The CPU convolutions side by side: plain loops, FastConv, oneDNN");
  app.add_option("--batch", options.batch, "images in a run")->check(CLI::PositiveNumber);
  app.add_option("--rounds", options.rounds, "runs of every contender")->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads, "N, the larger number of threads")
      ->check(CLI::PositiveNumber);
  app.add_option("--only", options.only, "only layers whose name holds this text");
  app.add_flag("--all", options.all, "every contender's figures on stderr");
  CLI11_PARSE(app, argc, argv);

  fmt::print("{}, {}, {:%Y-%m-%d}; B = {}, N = {} threads, {} rounds.\n\n", processor(),
             isa_name(best_isa()), fmt::gmtime(std::time(nullptr)), options.batch, options.threads,
             options.rounds);
  fmt::print(
      "| layer | plain loops, 1 | FastConv, 1 | x plain | oneDNN, 1 | x oneDNN | FastConv, N | "
      "oneDNN, N | x oneDNN | double, 1 | double, N | spread | worst error | oneDNN's best at N |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Layer& layer : kLayers)
    if (std::string(layer.term).find(options.only) != std::string::npos)
      bench_layer(layer, options);
  return 0;
}

}  // namespace
}  // namespace opgrade

int main(int argc, char** argv) { return opgrade::run(argc, argv); }
