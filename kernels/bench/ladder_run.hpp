/// `opgrade ladder`: checks every rung, times it against cuDNN and the floors, prints the tables.
#pragma once

#include <string>
#include <vector>

namespace opgrade::kernels {

struct LadderOptions {
  std::vector<int> rungs;  ///< numbers; empty: all
  std::vector<int> batches = {100, 1000, 10000};
  std::vector<std::string> terms;  ///< for example "2020fa"; empty: all
  bool list = false;               ///< name the rungs and stop
  bool check_only = false;         ///< correctness alone, no times
  bool profile = false;            ///< launch each rung once on each layer, for a profiler
  bool cudnn = true;               ///< measure rung 0 too, where built with cuDNN
  std::string markdown;            ///< file whose part between the ladder markers is rewritten
  std::string csv;                 ///< file for every single measurement
  std::string commit = "unknown";  ///< named under the table
};

/// Returns 0 when every rung was right everywhere, 1 when one was not. Throws Error where there is
/// no device.
int run_ladder(const LadderOptions& options);

}  // namespace opgrade::kernels
