/// Names results. Each name belongs to one submission, whatever else is graded into the folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace opgrade {

/// The result name for a submission's name: path separators and characters without a glyph become
/// '_'. Each report format escapes the rest.
std::string result_name(const std::string& submission);

/// The results of a folder by name, each with owner_of() its submission, or an empty text if the
/// report does not name it.
using ResultOwners = std::map<std::string, std::string>;

/// A name for each of `submissions`, which are different paths. A submission that owns a result
/// keeps that name, and no other submission gets it. A new name is the last part of the path
/// without the parts that all paths end in, and without the ending of an archive. So
/// class/ada/Project and class/bob/Project are "ada" and "bob". If such names are equal, the name
/// is the first part in which the paths differ, or the shortest end of the path that no other path
/// has. The order of `submissions` changes no name.
std::vector<std::string> result_names(const std::vector<std::filesystem::path>& submissions,
                                      const ResultOwners& owners = {});

}  // namespace opgrade
