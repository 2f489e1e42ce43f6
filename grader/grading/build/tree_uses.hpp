/// What the code of a submission uses, by the tree of the emulated device's front end.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opgrade {

struct TreeUse {
  std::string file;  ///< as the submission names it
  int line = 0;
  std::string name;  ///< with its namespaces, or a word such as __shared__
};

/// Lines of one file, found in logarithmic time.
class LineRanges {
 public:
  void add(int first, int last);
  bool has(int line) const;

 private:
  std::map<int, int> last_of_;  ///< by the first line; none touches another
};

struct TreeUses {
  std::vector<TreeUse> uses;               ///< of code that can run
  std::map<std::string, LineRanges> dead;  ///< code that cannot, by file
  std::set<std::string> known;  ///< functions of CUDA's: if code uses them, `uses` has them

  std::set<std::string> needed;   ///< functions of other sources, by their names for the linker
  std::set<std::string> offered;  ///< device functions that their own source does not use

  /// Every source was read to its end without an error, so what `uses` does not name is not used.
  bool is_whole = true;

  bool is_dead(const std::string& file, int line) const;
};

/// Adds the lines that `opgrade-cucc --uses` prints (front_end/uses.hpp).
void add_tree_uses(std::string_view lines, TreeUses& uses);

}  // namespace opgrade
