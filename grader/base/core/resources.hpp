/// Finds the files that come with opgrade, in a build tree and in an installation alike.
#pragma once

#include <filesystem>
#include <string_view>

namespace opgrade::resources {

/// Folder of the running program.
std::filesystem::path program_folder();

/// `<prefix>/share/opgrade`, or the folder in the environment variable OPGRADE_SHARE. It holds
/// adapters/, configs/, models/ and student_template/. Throws Error if it is missing.
std::filesystem::path share_folder();

/// A helper program such as "opgrade-harness": next to the running program, or in
/// `<prefix>/libexec/opgrade`. Throws Error if it is missing.
std::filesystem::path helper_program(std::string_view name);

/// Where prepared data sets lie: OPGRADE_DATA, else XDG_DATA_HOME/opgrade, else
/// ~/.local/share/opgrade. It need not exist.
std::filesystem::path data_folder();

/// Makes the folder if it does not exist. Throws Error that says what to do.
void make_data_folder(const std::filesystem::path& folder);

}  // namespace opgrade::resources
