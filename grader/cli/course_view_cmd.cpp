#include <fmt/format.h>

#include "grader/cli/commands.hpp"
#include "grader/cli/course_verbs.hpp"
#include "grader/config/task_files.hpp"
#include "grader/core/counted.hpp"
#include "grader/core/error.hpp"
#include "grader/core/resources.hpp"
#include "grader/core/shell_word.hpp"
#include "grader/course/code_export.hpp"
#include "grader/report/csv.hpp"
#include "grader/report/reason_words.hpp"
#include "grader/score/rank.hpp"

namespace opgrade::cli {
namespace fs = std::filesystem;

void add_course_rank(arguments::Parser& course_verb, int&) {
  auto* verb = course_verb.add_subcommand(
      "rank", "Print the ranking of the submissions that count, as CSV, with each reason");
  auto path = add_course_folder(*verb);
  auto name = std::make_shared<std::string>();
  verb->add_option("assignment", *name, "Its name in course.yaml")->required();
  verb->callback([=] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    const auto& assignment = assignment_of(folder, *name);
    const Config config = read_config(assignment.config);
    if (!config.ranking)
      throw UsageError(fmt::format("the config of {} has no ranking", *name),
                       "add 'ranking' to it: configs/README.md has the keys");
    const course::Store store = course::Store::open(*path);
    const course::Gradebook book(folder, store, {{assignment.name, course::facts_of(config)}});
    const auto table = book.ranking(assignment);
    if (is_provisional(table))
      fmt::print(stderr,
                 "provisional: `opgrade course final {} {}` times all that count once more\n",
                 shell_path(path->string()), *name);
    fmt::print("rank,name,time_ms,rank_points,reason\r\n");
    for (const Ranked& row : table) {
      fmt::print("{},{},{},{},{}\r\n", row.rank ? std::to_string(*row.rank) : "",
                 report::csv_cell(row.who.name),
                 row.rank ? fmt::format("{:.4g}", row.who.time_ms) : "",
                 row.open ? "" : course::points_text(row.points),
                 report::csv_cell((row.rank ? "" : "not ranked because: ") +
                                  report::sentence_of(row.reason)));
    }
  });
}

void add_course_export_code(arguments::Parser& course_verb, int&) {
  auto* verb = course_verb.add_subcommand(
      "export-code", "Write the sources that count, a folder for each owner, for JPlag or MOSS");
  auto path = add_course_folder(*verb);
  struct Own {
    std::string assignment;
    fs::path out, base, include;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("assignment", own->assignment, "Its name in course.yaml")->required();
  verb->add_option("out", own->out, "A new or empty folder")->required();
  verb->add_option("--base", own->base,
                   "The code that all were given; default: the template of the assignment's task")
      ->check(arguments::existing_path());
  verb->add_option("--include", own->include,
                   "An earlier term's export of export-code, to compare with")
      ->check(arguments::existing_path());
  verb->callback([=] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    const auto& assignment = assignment_of(folder, own->assignment);
    const course::Store store = course::Store::open(*path);
    const Config config = read_config(assignment.config);
    const auto exported = export_code(folder, store, assignment, config, own->out);
    for (const auto& [owner, why] : exported.left_out)
      fmt::print(stderr, "{} is left out: {}\n", owner, why);
    const std::string out = shell_path(own->out.string());
    const fs::path task = task_folder(config);
    const fs::path base = !own->base.empty() ? own->base
                          : task.empty()     ? resources::share_folder() / "student_template"
                                             : task / "template";
    const std::string earlier = own->include.empty() ? "" : shell_path(own->include.string());
    std::string given;  // moss takes them file by file
    std::error_code ignored;
    for (const auto& file : fs::directory_iterator(base, ignored))
      if (file.is_regular_file(ignored)) given += "-b " + shell_path(file.path().string()) + " ";
    fmt::print("{} in {}\n  java -jar jplag.jar -l cpp -bc {} {}{}\n  moss -l cc {}-d {}/*/*{}\n",
               counted(exported.written, "submission"), own->out.string(),
               shell_path(base.string()), earlier.empty() ? "" : "-old " + earlier + " -new ", out,
               given, out, earlier.empty() ? "" : " " + earlier + "/*/*");
  });
}

}  // namespace opgrade::cli
