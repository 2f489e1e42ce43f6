/// opgrade-baseline, which `opgrade baseline` starts: a program of its own, so that opgrade needs
/// neither oneDNN nor cuDNN to run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "grader/arguments/arguments.hpp"
#include "grader/baseline/baseline.hpp"
#include "grader/core/error.hpp"
#include "grader/core/resources.hpp"
#include "grader/report/events.hpp"

namespace opgrade {
namespace {

struct Options {
  std::string device = "cpu", network = "fmnist-86", weights = "fmnist-86-high", data;
  int batch = 10000;
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
};

void run(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto library = options.device == "cuda" ? make_cudnn() : make_onednn(options.threads);
  NetworkModels store(
      options.data.empty() ? resources::data_folder() : std::filesystem::path(options.data),
      [](const Event& event) {
        fmt::print(stderr, "{}\n", report::event_text(event, report::Audience::staff));
      });
  Stopwatch stopwatch;
  const NetworkModel* model = nullptr;
  stopwatch.timed("loading the model", [&] {
    model = &store.get({{}, options.network, options.weights});
  });
  const BaselineResult result =
      run_baseline(*model, *library, options.batch, options.threads, stopwatch);

  fmt::print("{} with {}, {} images, {}\n\n", options.network, options.weights, result.images,
             library->name());
  for (const BaselineLayer& layer : result.layers) {
    const ConvShape& s = layer.shape;
    fmt::print(
        "{}: M={} C={} H={} W={} K={}, by {}\nLayer Time: {:.3f} ms\nOp Time: {:.3f} ms, "
        "{:.1f} GFLOP/s\n",
        layer.name, s.M, s.C, s.H, s.W, s.K, layer.ms.how, layer.ms.layer, layer.ms.op,
        s.flops() / layer.ms.op * 1e-6);
  }
  fmt::print("\nTest Accuracy: {:.4f} ({} of {})\n\n{}\n{}\n", result.accuracy(), result.correct,
             result.images, stopwatch.table(), resource_line(start));
}

}  // namespace
}  // namespace opgrade

int main(int argc, char** argv) {
  using namespace opgrade;
  Options options;
  arguments::Parser app(
      "Run a whole network whose convolutions oneDNN or cuDNN computes: accuracy and times",
      "opgrade baseline");
  app.add_option("--device", options.device, "cpu: oneDNN, cuda: cuDNN")
      ->check(arguments::one_of({"cpu", "cuda"}))
      ->capture_default_str();
  app.add_option("--batch,-b", options.batch, "Images, from the data set's first on")
      ->check(arguments::positive())
      ->capture_default_str();
  app.add_option("--network", options.network, "A network of opgrade's")->capture_default_str();
  app.add_option("--weights", options.weights, "Its weights")->capture_default_str();
  app.add_option("--threads", options.threads, "Processor threads")->check(arguments::positive());
  app.add_option("--data", options.data, "Folder of the data sets");
  return arguments::run_program(app, argc, argv, [&] {
    run(options);
    return 0;
  });
}
