/// Names of results: each belongs to one submission, whatever else is graded into the folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace opgrade {

/// The result name of a submission of this name: separators of paths, and what has no glyph, become
/// '_'. A format escapes the rest.
std::string result_name(const std::string& submission);

/// The results of a folder by name, and whose each is: owner_of() the submission, or empty where
/// the report does not say.
using ResultOwners = std::map<std::string, std::string>;

/// A name for each of `submissions`, which are different paths. One that owns a result keeps its
/// name; no other gets it. A new name is the last part of the path without the parts that all paths
/// end in, and without the ending of an archive. So class/ada/Project and class/bob/Project are
/// "ada" and "bob". Where such names are equal: the first part in which the paths differ, or the
/// shortest end of the path that no other path has. The order of `submissions` changes no name.
std::vector<std::string> result_names(const std::vector<std::filesystem::path>& submissions,
                                      const ResultOwners& owners = {});

}  // namespace opgrade
