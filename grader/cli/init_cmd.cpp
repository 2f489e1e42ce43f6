#include <fmt/format.h>

#include <filesystem>

#include "grader/cli/commands.hpp"
#include "grader/core/error.hpp"
#include "grader/core/resources.hpp"

namespace opgrade::cli {

namespace fs = std::filesystem;

void add_init(arguments::Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("init", "Copy the template that a student starts from");
  auto folder = std::make_shared<std::string>();
  verb->add_option("folder", *folder, "A new or empty folder")->required();
  verb->callback([=, &exit_code] {
    std::error_code error;
    if (fs::exists(*folder) && !fs::is_empty(*folder, error)) {
      throw UsageError(*folder + " is not empty",
                       "name a new folder: nothing of yours is overwritten");
    }
    fs::create_directories(*folder, error);
    fs::copy(resources::share_folder() / "student_template", *folder, fs::copy_options::recursive,
             error);
    if (error)
      throw Error(fmt::format("cannot copy the template to {}: {}", *folder, error.message()));
    fmt::print(
        "{0} is ready. Write conv_forward_cpu in {0}/cpu-new-forward.cc, then run: opgrade check "
        "{0}\n",
        *folder);
    exit_code = kPassed;
  });
}

}  // namespace opgrade::cli
