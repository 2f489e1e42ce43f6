/// opgrade-baseline, which `opgrade baseline` starts: a program of its own, so that opgrade needs
/// neither oneDNN nor cuDNN to run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "grader/baseline/baseline.hpp"
#include "grader/config/config.hpp"
#include "grader/core/error.hpp"
#include "grader/core/resources.hpp"

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
  Config config;
  config.models["baseline"] = {options.network, options.weights};
  ModelStore store(
      options.data.empty() ? resources::data_folder() : std::filesystem::path(options.data),
      [](const std::string& line) { fmt::print(stderr, "{}\n", line); });
  Profile profile;
  const Model* model = nullptr;
  profile.timed("loading the model", [&] { model = &store.get(config, "baseline"); });
  const BaselineResult result =
      run_baseline(*model, *library, options.batch, options.threads, profile);

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
             result.images, profile.table(), resource_line(start));
}

}  // namespace
}  // namespace opgrade

int main(int argc, char** argv) {
  opgrade::Options options;
  CLI::App app("A whole network with its convolutions done by oneDNN or cuDNN: accuracy and times",
               "opgrade baseline");
  app.add_option("--device", options.device, "cpu: oneDNN, cuda: cuDNN")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  app.add_option("--batch,-b", options.batch, "Images, from the data set's first on")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--network", options.network, "A network of opgrade's")->capture_default_str();
  app.add_option("--weights", options.weights, "Its weights")->capture_default_str();
  app.add_option("--threads", options.threads, "Processor threads")->check(CLI::PositiveNumber);
  app.add_option("--data", options.data, "Folder of the data sets");
  try {
    app.parse(argc, argv);
    opgrade::run(options);
    return 0;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const opgrade::UsageError& e) {
    fmt::print(stderr, "opgrade baseline: {}\n         -> {}\n", e.what(), e.hint);
    return 2;
  } catch (const opgrade::Error& e) {
    fmt::print(stderr, "opgrade baseline: {}\n         -> {}\n", e.what(), e.hint);
  } catch (const std::exception& e) {
    fmt::print(stderr, "opgrade baseline: {}\n", e.what());
  }
  return 3;
}
