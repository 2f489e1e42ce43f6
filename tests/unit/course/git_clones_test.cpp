// Clones as hand-ins: what counts of them, and what of them git may read.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

#include "grader/platform/process/process.hpp"
#include "tests/unit/course/add_fixture.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;
using test::AddSubmissions;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class GitClones : public AddSubmissions {
 protected:
  void git(const std::string& repository, std::vector<std::string> arguments,
           const std::string& time = "2026-10-01T00:00:00Z") {
    arguments.insert(arguments.begin(), {"-C", (in.path() / repository).string()});
    const auto report = run_command(
        {.program = "/usr/bin/git",
         .arguments = std::move(arguments),
         .environment = {"PATH=/usr/bin:/bin", "HOME=/nonexistent", "GIT_AUTHOR_NAME=a",
                         "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
                         "GIT_AUTHOR_DATE=" + time, "GIT_COMMITTER_DATE=" + time,
                         "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=protocol.file.allow",
                         "GIT_CONFIG_VALUE_0=always"}},
        {});
    ASSERT_EQ(std::get<Exited>(report.end).code, 0) << report.standard_error;
  }
  std::string output_of_git(const std::string& repository, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-C", (in.path() / repository).string()});
    std::string said = run_command({.program = "/usr/bin/git",
                                    .arguments = std::move(arguments),
                                    .environment = {"PATH=/usr/bin:/bin", "HOME=/nonexistent"}},
                                   {})
                           .standard_output;
    return said.substr(0, said.find('\n'));
  }
  void commit(const std::string& repository, const std::string& text, const std::string& time) {
    if (!fs::exists(in.path() / repository / ".git")) {
      fs::create_directories(in.path() / repository);
      git(repository, {"init", "-q"});
    }
    write(repository + "/new-forward.cu", text);
    git(repository, {"add", "."});
    git(repository, {"commit", "-q", "-m", text}, time);
  }
};

TEST_F(GitClones, TheLastCommitBeforeTheDeadline) {
  commit("clones/ada", "early", "2026-10-11T00:00:00Z");
  commit("clones/ada", "in time", "2026-10-12T12:00:00Z");
  commit("clones/ada", "late", "2026-10-12T12:00:01Z");
  commit("clones/bob", "late", "2026-10-13T13:00:00Z");
  commit("clones/eve", "extended", "2026-10-13T11:00:00Z");
  commit("clones/evve-project", "whose?", "2026-10-12T11:00:00Z");
  const AddReport report = add("clones");
  EXPECT_THAT(summaries(report),
              ElementsAre("ada 2026-10-12T12:00:00Z 0", "bob 2026-10-13T13:00:00Z 2",
                          "eve 2026-10-13T11:00:00Z 0"));
  EXPECT_THAT(files_of(report.added[0].submission), ElementsAre("new-forward.cu: in time"));
  EXPECT_THAT(report.added[0].time_from, HasSubstr("commit "));
  EXPECT_EQ(report.not_added.at(0).why, "evve-project: no roster entry fits");
  EXPECT_THAT(report.not_added[0].nearest, testing::Contains(HasSubstr("eve (Eve Stone, 3)")));
}

TEST_F(GitClones, ARepositoryWithoutAcceptedCommitsIsListed) {
  commit("clones/ada", "too late", "2026-10-30T12:00:00Z");
  const AddReport report = add("clones");
  EXPECT_THAT(report.added, IsEmpty());
  EXPECT_THAT(report.not_added.at(0).why, HasSubstr("has no commit before Thu 2026-10-15"));
}

TEST_F(GitClones, ARepositoryWithoutCommitsIsListed) {
  fs::create_directories(in.path() / "clones/ada");
  git("clones/ada", {"init", "-q"});
  commit("clones/bob", "on a branch", "2026-10-12T11:00:00Z");
  git("clones/bob", {"symbolic-ref", "HEAD", "refs/heads/empty"});
  const AddReport report = add("clones");
  EXPECT_THAT(report.added, IsEmpty());
  EXPECT_EQ(report.not_added.at(0).why, "the repository has no commit; nothing was pushed");
  EXPECT_EQ(report.not_added.at(1).why,
            "HEAD is a branch without a commit; check out the branch that counts");
}

TEST_F(GitClones, ItsOwnConfigRunsNothing) {
  commit("clones/ada", "x", "2026-10-12T11:00:00Z");
  const std::string mark = (in.path() / "ran").string();
  write("clones/ada/.gitattributes", "* filter=evil diff=evil export-subst\n");
  fs::create_symlink("/etc/passwd", in.path() / "clones/ada/link.h");
  git("clones/ada", {"add", "."});
  git("clones/ada", {"commit", "-q", "-m", "x"}, "2026-10-12T11:30:00Z");
  write("tool.sh", "#!/bin/sh\ntouch '" + mark + "'\ncat\n");
  fs::permissions(in.path() / "tool.sh", fs::perms::owner_all);
  const std::string tool = (in.path() / "tool.sh").string();
  for (const char* key :
       {"core.fsmonitor", "core.pager", "core.sshCommand", "filter.evil.smudge",
        "filter.evil.clean", "diff.evil.textconv", "diff.external", "gpg.program", "core.editor"})
    git("clones/ada", {"config", key, tool});
  // A signed commit, whose signature git log would check with the student's program.
  write("sign.sh",
        "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] BEGIN_SIGNING'\n"
        "echo '[GNUPG:] SIG_CREATED ' >&2\n"
        "echo '-----BEGIN PGP SIGNATURE-----'\necho '-----END PGP SIGNATURE-----'\n");
  fs::permissions(in.path() / "sign.sh", fs::perms::owner_all);
  git("clones/ada",
      {"-c", "gpg.program=" + (in.path() / "sign.sh").string(), "-c", "core.fsmonitor=false",
       "commit", "-q", "-S", "--allow-empty", "-m", "signed"},
      "2026-10-12T11:40:00Z");
  git("clones/ada", {"config", "log.showSignature", "true"});
  fs::remove(mark);
  const AddReport report = add("clones");
  ASSERT_EQ(report.added.size(), 1u);
  EXPECT_THAT(files_of(report.added[0].submission),
              testing::Contains(std::string("new-forward.cu: x")));
  EXPECT_THAT(report.added[0].notes, ElementsAre("left out link.h (a symbolic link)"));
  EXPECT_FALSE(fs::exists(mark)) << "a program of the student's ran as staff";
}

/// Ada's clone and Bob's own, which is then changed to show hers.
class ForeignRepository : public GitClones {
 protected:
  static constexpr const char* kHers = "ada's secret";

  void SetUp() override {
    commit("clones/ada", kHers, "2026-10-12T11:00:00Z");
    git("clones/ada", {"repack", "-a", "-d", "-q"});
    git("clones/ada", {"pack-refs", "--all"});
    commit("clones/bob", "bob's own", "2026-10-12T10:00:00Z");
  }
  fs::path clone(const std::string& file) const { return in.path() / "clones" / file; }
  void link(const std::string& file, const std::string& target) const {
    fs::remove_all(clone(file));
    fs::create_directories(clone(file).parent_path());
    fs::create_symlink(target, clone(file));
  }
  std::string hers() { return output_of_git("clones/ada", {"rev-parse", "HEAD"}); }
  /// Bob's branch is at her commit, which his own objects lack.
  void name_her_commit() { write("clones/bob/.git/refs/heads/" + branch(), hers() + "\n"); }
  std::string branch() { return output_of_git("clones/bob", {"symbolic-ref", "--short", "HEAD"}); }
  void only_hers(const std::string& head = "ref: refs/heads/x\n") {
    fs::remove_all(clone("bob"));
    write("clones/bob/.git/HEAD", head);
  }

  std::string why_not() {
    const AddReport report = add("clones");
    for (const auto& added : report.added) {
      if (added.submission.owner != "bob") continue;
      for (const auto& file : files_of(added.submission))
        EXPECT_THAT(file, testing::Not(HasSubstr(kHers)));
      return "added";
    }
    return report.not_added.empty() ? "not found" : report.not_added.front().why;
  }
};

TEST_F(ForeignRepository, IsRefusedByNameHoweverGitIsLedToIt) {
  struct Way {
    std::string name;
    std::function<void()> go;
    std::string told;
  };
  const std::string hers = "../../ada/.git";
  const auto config = [&](const std::string& key, const std::string& value) {
    git("clones/bob", {"config", key, value});
  };
  const std::vector<Way> ways{
      {"two files",
       [&] {
         only_hers("ref: refs/heads/" + branch() + "\n");
         write("clones/bob/.git/commondir", hers + "\n");
       },
       ".git/commondir"},
      {"commondir in a clone", [&] { write("clones/bob/.git/commondir", hers); }, ".git/commondir"},
      {"an absolute commondir",
       [&] { write("clones/bob/.git/commondir", clone("ada/.git").string() + "\n"); },
       ".git/commondir"},
      {"gitdir", [&] { write("clones/bob/.git/gitdir", "../ada/.git\n"); }, ".git/gitdir"},
      {"alternates",
       [&] {
         name_her_commit();
         write("clones/bob/.git/objects/info/alternates", "# x\n../../../ada/.git/objects\n");
       },
       "objects/info/alternates"},
      {"http-alternates",
       [&] { write("clones/bob/.git/objects/info/http-alternates", "/ada.git/objects\n"); },
       "objects/info/http-alternates"},
      {".git is a link", [&] { link("bob/.git", "../ada/.git"); }, ".git is a symbolic link"},
      {".git is a file",
       [&] {
         fs::remove_all(clone("bob/.git"));
         write("clones/bob/.git", "gitdir: ../ada/.git\n");
       },
       ".git leads to ../ada/.git"},
      {"a link in a bare repository",
       [&] {
         fs::remove_all(clone("bob"));
         write("clones/bob/HEAD", "ref: refs/heads/x\n");
         link("bob/objects", "../ada/.git/objects");
         link("bob/refs", "../ada/.git/refs");
       },
       " is a symbolic link"},
      {"include", [&] { config("include.path", hers + "/config"); }, "include.path"},
      {"include of one's home", [&] { config("include.path", "~/.gitconfig"); }, "include.path"},
      {"includeIf", [&] { config("includeIf.gitdir:/.path", clone("ada/.git/config").string()); },
       "includeif.gitdir:/.path"},
      {"an include in an included file",
       [&] {
         config("include.path", "../inner");
         write("clones/bob/inner", "[include]\n\tpath = ../ada/.git/config\n");
       },
       "include.path"},
      {"config.worktree",
       [&] {
         config("extensions.worktreeConfig", "true");
         write("clones/bob/.git/config.worktree", "[include]\n\tpath = " + hers + "/config\n");
       },
       "include.path"},
      {"core.worktree", [&] { config("core.worktree", "../../ada"); }, "core.worktree"},
      {"a worktree's commondir",
       [&] {
         write("clones/bob/.git/worktrees/x/HEAD", "ref: refs/heads/x\n");
         write("clones/bob/.git/worktrees/x/gitdir", "/somewhere/.git\n");
         write("clones/bob/.git/worktrees/x/commondir", "../../../../ada/.git\n");
       },
       ".git/worktrees/x/commondir"},
      {"a pipe",
       [&] {
         fs::remove(clone("bob/.git/HEAD"));
         ASSERT_EQ(::mkfifo(clone("bob/.git/HEAD").c_str(), 0600), 0);
       },
       ".git/HEAD"},
  };
  for (const Way& way : ways) {
    fs::remove_all(clone("bob"));
    commit("clones/bob", "bob's own", "2026-10-12T10:00:00Z");
    way.go();
    const std::string why = why_not();
    EXPECT_THAT(why, AllOf(HasSubstr(way.told), HasSubstr("git clone"))) << way.name;
  }
}

TEST_F(ForeignRepository, NoLinkInTheGitFolderIsFollowed) {
  git("clones/bob", {"pack-refs", "--all"});
  fs::copy(clone("bob"), in.path() / "plain", fs::copy_options::recursive);
  for (const std::string part : {"HEAD",         "config",     "packed-refs",
                                 "shallow",      "objects",    "objects/pack",
                                 "objects/info", "objects/ab", "objects/pack/pack-1.pack",
                                 "refs",         "refs/heads", "refs/heads/x",
                                 "refs/tags",    "info",       "info/grafts",
                                 "logs",         "index",      "modules",
                                 "worktrees",    "lfs",        "config.worktree",
                                 "reftable",     "new-part"}) {
    fs::remove_all(clone("bob"));
    fs::copy(in.path() / "plain", clone("bob"), fs::copy_options::recursive);
    link("bob/.git/" + part, clone("ada/.git/" + part).string());
    EXPECT_THAT(why_not(),
                AllOf(HasSubstr(".git/" + part + " is a symbolic link"), HasSubstr("git clone")));
  }
}

// Git joins the names in this index to its own folder.
TEST_F(ForeignRepository, APackThatAnIndexOfPacksNamesElsewhereIsNotRead) {
  fs::remove_all(clone("bob/.git"));
  fs::copy(clone("ada/.git"), clone("bob/.git"), fs::copy_options::recursive);
  git("clones/bob", {"multi-pack-index", "write"});
  const fs::path packs = clone("bob/.git/objects/pack");
  std::string index = text_of_file(packs / "multi-pack-index");
  const auto name = index.find("pack-");
  const std::string named = index.substr(name, index.find(".idx", name) + 4 - name);
  std::string path = "../../../../ada/.git/objects/pack/p.idx";
  ASSERT_LT(path.size(), named.size());
  path.insert(path.rfind('/'), named.size() - path.size(), '/');
  index.replace(name, named.size(), path);
  write_file(packs / "multi-pack-index", index);
  for (const char* ending : {".pack", ".idx"}) {
    const std::string stem = named.substr(0, named.size() - 4);
    fs::remove(packs / (stem + ending));
    fs::rename(clone("ada/.git/objects/pack") / (stem + ending),
               clone("ada/.git/objects/pack/p") += ending);
  }
  EXPECT_EQ(output_of_git("clones/bob", {"show", "HEAD:new-forward.cu"}), kHers)
      << "this git does not follow it either";
  EXPECT_THAT(why_not(), testing::Not("added"));
}

TEST_F(ForeignRepository, ABranchIsNoPath) {
  for (const std::string name :
       {"../../../ada/.git/refs/heads/master", "../ada/.git/HEAD", "refs/../../../ada/.git/HEAD"}) {
    write("clones/bob/.git/HEAD", "ref: " + name + "\n");
    EXPECT_THAT(why_not(), testing::Not("added")) << name;
  }
}

TEST_F(ForeignRepository, TheGradersOwnEnvironmentLeadsNowhere) {
  const std::vector<std::pair<const char*, std::string>> variables{
      {"GIT_DIR", clone("ada/.git")},
      {"GIT_COMMON_DIR", clone("ada/.git")},
      {"GIT_OBJECT_DIRECTORY", clone("ada/.git/objects")},
      {"GIT_ALTERNATE_OBJECT_DIRECTORIES", clone("ada/.git/objects")},
      {"GIT_CONFIG_COUNT", "not a number"},
      {"GIT_EXTERNAL_DIFF", "/bin/false"}};
  for (const auto& [name, value] : variables) ::setenv(name, value.c_str(), 1);
  const AddReport report = add("clones");
  for (const auto& [name, value] : variables) ::unsetenv(name);
  ASSERT_EQ(report.added.size(), 2u);
  EXPECT_THAT(files_of(report.added[1].submission), ElementsAre("new-forward.cu: bob's own"));
}

TEST_F(ForeignRepository, IsRefusedInAnExportOfGradescope) {
  write("export/submission_metadata.yml",
        "submission_1:\n  :submitters:\n  - :name: Bob Bell\n    :sid: '2'\n"
        "  :created_at: 2026-10-12T10:00:00Z\n");
  fs::create_directories(in.path() / "export");
  fs::copy(clone("bob"), in.path() / "export/submission_1", fs::copy_options::recursive);
  EXPECT_EQ(add("export").added.size(), 1u);
  write("export/submission_1/.git/commondir", "../../../clones/ada/.git\n");
  const AddReport report = add("export");
  EXPECT_THAT(report.added, IsEmpty());
  EXPECT_THAT(report.not_added.at(0).why, HasSubstr(".git/commondir"));
}

/// Clones as students make them, of a repository of the course's.
class HonestClone : public GitClones {
 protected:
  void SetUp() override {
    commit("origin", "first", "2026-10-10T10:00:00Z");
    commit("origin", "second", "2026-10-11T10:00:00Z");
    commit("library", "of the course", "2026-10-01T10:00:00Z");
    fs::create_directories(in.path() / "clones");
  }
  void clone(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"clone", "-q"});
    arguments.insert(arguments.end(), {"file://" + (in.path() / "origin").string(), "ada"});
    git("clones", std::move(arguments));
  }
  void expect_added(const std::string& what, const std::string& name = "ada") {
    const AddReport report = add("clones");
    ASSERT_FALSE(report.added.empty())
        << what << ": " << (report.not_added.empty() ? "" : report.not_added.front().why);
    EXPECT_EQ(report.added[0].submission.owner, name);
    EXPECT_THAT(files_of(report.added[0].submission),
                testing::Contains(std::string("new-forward.cu: second")))
        << what;
    fs::remove_all(in.path() / "clones");
    fs::create_directories(in.path() / "clones");
  }
};

TEST_F(HonestClone, OfEachKindCounts) {
  clone({});
  expect_added("plain");
  clone({"--depth=1"});
  expect_added("shallow");
  clone({"--bare"});
  expect_added("bare");
  clone({"--no-hardlinks", "--sparse"});
  expect_added("sparse");
  git("clones", {"clone", "-q", "../origin", "ada"});
  expect_added("of a folder, whose objects are hard links");
  git("origin", {"config", "uploadpack.allowFilter", "true"});
  clone({"--filter=blob:none"});
  expect_added("partial, with the files of its last commit");
  clone({});
  git("clones/ada", {"gc", "-q"});
  git("clones/ada", {"commit-graph", "write", "--reachable"});
  git("clones/ada", {"multi-pack-index", "write"});
  expect_added("packed");
  clone({});
  git("clones/ada", {"checkout", "-q", "--detach"});
  expect_added("detached");
  fs::remove_all(in.path() / "origin");
  fs::create_directories(in.path() / "origin");
  git("origin", {"init", "-q", "--object-format=sha256"});
  commit("origin", "second", "2026-10-11T10:00:00Z");
  clone({});
  expect_added("with SHA-256");
}

TEST_F(HonestClone, WithAWorktreeOrASubmoduleCounts) {
  clone({});
  git("clones/ada", {"worktree", "add", "-q", "inner", "-b", "inner"});
  git("clones/ada", {"worktree", "add", "-q", "../../beside", "-b", "beside"});
  expect_added("worktrees");
  clone({});
  git("clones/ada", {"submodule", "--quiet", "add", (in.path() / "library").string(), "library"});
  git("clones/ada", {"commit", "-q", "-m", "library"}, "2026-10-11T11:00:00Z");
  expect_added("submodule");
}

// As programs that students use leave them: none leads git out, and none is run.
TEST_F(HonestClone, WithSettingsOfItsOwnCounts) {
  clone({});
  git("clones/ada", {"config", "core.hooksPath", "/home/ada/hooks"});
  git("clones/ada", {"config", "filter.lfs.smudge", "git-lfs smudge -- %f"});
  git("clones/ada", {"config", "include.path", "../.gitconfig"});
  write("clones/ada/.gitconfig", "[alias]\n\tst = status\n");
  expect_added("settings");
  clone({});
  fs::remove_all(in.path() / "clones/ada/.git/hooks");
  fs::create_directories(in.path() / "clones/ada/.git/hooks");
  fs::create_symlink("/home/ada/hook", in.path() / "clones/ada/.git/hooks/pre-commit");
  fs::create_symlink("ada@laptop.123:4", in.path() / "clones/ada/.git/.#COMMIT_EDITMSG");
  expect_added("hooks that are links, and an editor's lock");
  clone({});
  write("clones/ada/.git/objects/info/alternates", "\n# none\n");
  expect_added("alternates that name none");
  clone({});
  ASSERT_EQ(::mkfifo((in.path() / "clones/ada/.git/fsmonitor--daemon.ipc").c_str(), 0600), 0);
  expect_added("a monitor's socket");
  clone({});
  if (::geteuid() == 0) {
    for (const auto& entry : fs::recursive_directory_iterator(in.path() / "clones"))
      ASSERT_EQ(::lchown(entry.path().c_str(), 12345, 12345), 0);
  }
  expect_added("of another owner");
  clone({});
  fs::create_directories(in.path() / "clones/eve");
  write("clones/eve/.git", "no repository of git's\n");
  write("clones/eve/new-forward.cu", "second");
  fs::remove_all(in.path() / "clones/ada");
  expect_added("a file named .git", "eve");
}

TEST_F(HonestClone, ThatLacksAFileSaysSo) {
  git("origin", {"config", "uploadpack.allowFilter", "true"});
  git("origin", {"config", "uploadpack.allowAnySHA1InWant", "true"});
  commit("origin", "late", "2026-11-11T10:00:00Z");
  clone({"--filter=blob:none"});
  const AddReport report = add("clones");
  EXPECT_THAT(report.added, IsEmpty());
  EXPECT_THAT(report.not_added.at(0).why,
              AllOf(HasSubstr("lacks new-forward.cu"), HasSubstr("without --filter")));
}

}  // namespace
}  // namespace opgrade::course
