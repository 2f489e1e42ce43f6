// opgrade-ladder, which `opgrade ladder` starts: a program of its own, so that opgrade needs no
// cuDNN.
#include "grader/base/arguments/arguments.hpp"
#include "kernels/bench/ladder_run.hpp"

int main(int argc, char** argv) {
  using namespace opgrade;
  kernels::LadderOptions options;
  bool no_cudnn = false;
  arguments::Parser app(
      "Check every kernel of the ladder, and time it against cuDNN and the hardware's floors",
      "opgrade ladder");
  app.add_option("--rungs", options.rungs, "Only these numbers")->delimiter(',');
  app.add_option("--batches", options.batches, "Batch sizes")
      ->delimiter(',')
      ->check(arguments::positive())
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
  return arguments::run_program(app, argc, argv, [&] {
    options.cudnn = !no_cudnn;
    return kernels::run_ladder(options);
  });
}
