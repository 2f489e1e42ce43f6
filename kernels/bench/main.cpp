// opgrade-ladder, which `opgrade ladder` starts: a program of its own, so that opgrade needs no
// cuDNN.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "grader/core/error.hpp"
#include "kernels/bench/ladder_run.hpp"

int main(int argc, char** argv) {
  opgrade::kernels::LadderOptions options;
  bool no_cudnn = false;
  CLI::App app(
      "Checks every kernel of the ladder, times it against cuDNN and the hardware's floors",
      "opgrade ladder");
  app.add_option("--rungs", options.rungs, "Only these numbers")->delimiter(',');
  app.add_option("--batches", options.batches, "Batch sizes")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--terms", options.terms, "Only these terms' layers, for example 2020fa")
      ->delimiter(',');
  app.add_flag("--list", options.list, "Name the rungs and stop; needs no device");
  app.add_flag("--check-only", options.check_only, "Check on odd shapes, time nothing");
  app.add_flag("--profile", options.profile,
               "Launch each rung once on each layer and stop, for a profiler");
  app.add_flag("--no-cudnn", no_cudnn, "Leave out rung 0");
  app.add_option("--markdown", options.markdown,
                 "Rewrite the tables between this file's ladder markers");
  app.add_option("--csv", options.csv, "Write every measurement to this file");
  app.add_option("--commit", options.commit, "The commit to name under the tables");
  CLI11_PARSE(app, argc, argv);
  options.cudnn = !no_cudnn;
  try {
    return opgrade::kernels::run_ladder(options);
  } catch (const opgrade::Error& e) {
    fmt::print(stderr, "opgrade ladder: {}\n         -> {}\n", e.what(), e.hint);
  } catch (const std::exception& e) {
    fmt::print(stderr, "opgrade ladder: {}\n", e.what());
  }
  return 3;
}
