// opgrade serve, its worker, and opgrade course tokens.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/base/core/whole_number.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/course_program.hpp"
#include "grader/cli/course_verbs.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/cli/terminal.hpp"
#include "grader/course/documents/render.hpp"
#include "grader/course/gradings/grade_assignment.hpp"
#include "grader/course/results/class_seed.hpp"
#include "grader/course/slurm/slurm.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/grading/pipeline/program_version.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/platform/sandbox/sandbox.hpp"
#include "grader/report/fields/json.hpp"
#include "grader/report/formats/csv.hpp"
#include "grader/report/words/events.hpp"
#include "grader/service/http/routes.hpp"
#include "grader/service/queue/installed_version.hpp"
#include "grader/service/queue/left_jobs.hpp"
#include "grader/service/queue/limits.hpp"
#include "grader/service/queue/ranker.hpp"
#include "grader/service/queue/rejudges.hpp"
#include "grader/service/queue/worker.hpp"
#include "grader/service/state/messages.hpp"
#include "grader/service/state/tables.hpp"
#include "grader/service/state/tool_files.hpp"

extern char** environ;

namespace opgrade::cli {
namespace {

namespace fs = std::filesystem;
using course::CourseFolder;

struct ServeArguments {
  std::string listen = "127.0.0.1:8080";
  std::string proxy, proxy_header;
  int workers = 1, interval = 30, again_after = 30;
  std::string device = "auto";
  std::string notify;
  bool plain_cookies = false, unchecked = false;
};

struct Listening {
  std::string address;
  std::uint16_t port = 0;
};

Listening listening(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon != std::string::npos && colon > 0) {
    if (const auto port = whole_number<std::uint16_t>(std::string_view(text).substr(colon + 1)))
      return {text.substr(0, colon), *port};
  }
  throw UsageError(fmt::format("--listen {} is not ADDRESS:PORT", text),
                   "write an address of this machine and a port, such as 127.0.0.1:8080");
}

/// The path of this program at its start. After an upgrade the new program is at this path.
const fs::path& own_program() {
  static const fs::path program = fs::read_symlink("/proc/self/exe");
  return program;
}

/// A command that runs this program, as now installed, with this environment.
Command own_command(std::vector<std::string> arguments) {
  Command command{.program = own_program(),
                  .arguments = std::move(arguments),
                  .working_folder = fs::current_path()};
  for (char** variable = environ; *variable != nullptr; ++variable)
    command.environment.emplace_back(*variable);
  return command;
}

std::vector<std::string> with_unchecked(std::vector<std::string> arguments,
                                        const ServeArguments& own) {
  if (own.unchecked) arguments.emplace_back(kUnchecked);
  return arguments;
}

/// The worker of one submission.
Command worker_command(const fs::path& course, const ServeArguments& own,
                       const service::HandIn& hand_in, const std::string& device) {
  return own_command(
      with_unchecked({"serve-worker", course.string(), fmt::format("{}", hand_in.submission.id),
                      fmt::format("{}", hand_in.run), "--device", device, "--again-after",
                      fmt::format("{}", own.again_after), "--notify", own.notify},
                     own));
}

/// Continues where an earlier process ended.
Command rejudge_command(const fs::path& course, const ServeArguments& own,
                        const course::Rejudge& rejudge, service::RejudgeWork work) {
  std::vector<std::string> arguments{"serve-rejudge",    course.string(),
                                     rejudge.assignment, fmt::format("{}", rejudge.id),
                                     "--device",         own.device};
  if (work == service::RejudgeWork::rescoring) arguments.emplace_back(kOnlyRescoring);
  return own_command(with_unchecked(std::move(arguments), own));
}

void say(const std::string& text) {
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

/// Throws Error if this program does not have the tool, because a run without the tool is not what
/// the student asked for.
ToolWish wish_of(const service::HandIn& run) {
  const auto wish = read_tool_wish(run.tool);
  if (!wish)
    throw Error(fmt::format("run {} wants the tool '{}', which this opgrade does not have",
                            run.submission.id, run.tool),
                "install the opgrade that took it in, or end the run on its page");
  return *wish;
}

void serve(const fs::path& given, const ServeArguments& own) {
  const fs::path path = fs::weakly_canonical(given);
  const CourseFolder folder = course::open_course_folder(path);
  course::Store store = service::open_store(path);
  bool on_slurm = false;
  for (const auto* all : {&folder.course.assignments, &folder.course.practice})
    for (const auto& a : *all) {
      read_config(a.config);  // reports problems now
      on_slurm = on_slurm || a.on_slurm;
    }
  if (on_slurm) course::slurm_commands();
  own_program();
  service::ServiceOptions options;
  const service::InstalledVersion installed(
      program_version(),
      {.stamp = program_stamp, .ask = [] { return own_command({"serve-version"}); }});
  options.version = [&] { return installed(); };
  options.interval = std::chrono::seconds(own.interval);
  options.proxy = own.proxy;
  options.proxy_header = lowercase(own.proxy_header);  // requests have lower-case names
  options.secure_cookies = !own.plain_cookies;
  options.notices = !own.notify.empty();
  options.config_of = [](const course::Assignment& a) { return read_config(a.config); };
  if (own.unchecked || own.workers == 0)
    options.why_unchecked = [](const Config&) { return std::string(); };
  options.emulates = own.device == "emulated";
  options.needs_gpu = [&own](const Config& config) {
    return gpus_for(config, grader_options({.device = own.device}, {})) > 0;
  };
  options.rejudge = [&](const course::Rejudge& r, service::RejudgeWork work) {
    return rejudge_command(path, own, r, work);
  };
  const auto renderers = documents::Renderers::find();
  if (!folder.course.reports.empty())
    for (const auto package : documents::missing_packages(renderers))
      fmt::print(stderr, "some reports are downloads alone: the package {} is not installed\n",
                 package);
  // The sandbox is detected when the first document arrives, because a course may not ask for
  // documents.
  options.render_document = [&renderers, sandbox = std::shared_ptr<const Sandbox>()](
                                const documents::Document& document) mutable {
    if (sandbox == nullptr) sandbox = std::make_shared<const Sandbox>(SandboxSupport::detect());
    return documents::render(document, {}, renderers, *sandbox);
  };
  service::Service service(path, store, std::move(options));
  for (const auto& problem : service.files.config_problems()) fmt::print(stderr, "{}\n", problem);
  service::remove_old_tool_files(folder, course::this_second());
  service.grades->now(service);  // so that the first page of a class is as fast as later ones
  service::DispatchOptions dispatch;
  dispatch.workers = own.workers;
  dispatch.again_after = std::chrono::seconds(own.again_after);
  const auto assignment_for = [&](const service::HandIn& h) {
    const auto now = service.files.folder();
    const auto* const a = now->course.find(h.submission.assignment);
    return a == nullptr ? course::Assignment{} : *a;
  };
  dispatch.worker = [&](const service::HandIn& h) {
    const bool emulated = h.is_practice() && !assignment_for(h).practice.on_devices;
    return worker_command(path, own, h, emulated ? "emulated" : own.device);
  };
  dispatch.longest_practice = [&](const service::HandIn& h) {
    const course::Assignment a = assignment_for(h);
    const auto config = service.files.config_of(a);
    return service::longest_run(
        a, wish_of(h),
        static_cast<int>(std::ranges::count(config->stages, Device::cuda, &StageConfig::device)));
  };
  dispatch.leaves_job = [&](const service::HandIn& h) { return assignment_for(h).on_slurm; };
  dispatch.rank = [&] { return service::Ranker(service); };
  dispatch.background = [&] { return service.rejudges->next(service); };
  dispatch.rescoring = [&] { return service.rejudges->next_rescoring(service); };
  dispatch.cancel_left_jobs = [&] { return service::cancel_left_jobs(service); };
  dispatch.log = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  service::Dispatcher dispatcher(path, store, std::move(dispatch));
  service.attach(&dispatcher);
  const Listening at = listening(own.listen);
  service::HttpServer server({.address = at.address, .port = at.port, .proxy = own.proxy},
                             service::handler_of(service));
  say(fmt::format("{} is served at http://{}:{}; {}", folder.course.title, at.address,
                  server.port(), counted(own.workers, "worker")));
  std::jthread stopper([&](const std::stop_token& stop) {
    while (!stop.stop_requested() && !interrupt::requested())
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    server.stop();
  });
  server.run();
  service.attach(nullptr);
  say("stopped; submissions in the queue are graded when it serves again");
}

/// The cases of a practice run that were finished before it was interrupted.
std::optional<Grade> finished_cases(const service::Queue& queue, std::int64_t id) {
  const std::string text = queue.kept_cases(id);
  if (text.empty()) return std::nullopt;
  try {
    return report::grade_from_json(text);
  } catch (const Error&) {  // another opgrade wrote them: the run starts again
    return std::nullopt;
  }
}

void run_worker(const fs::path& path, std::int64_t id, int run, const ServeArguments& own) {
  const CourseFolder folder = course::open_course_folder(path);
  course::Store store = service::open_store(path);
  service::Queue queue(store);
  const auto hand_in = queue.find(id);
  if (!hand_in || hand_in->state != service::State::running || hand_in->run != run)
    throw UsageError(fmt::format("submission {} is not being graded", id),
                     "this verb is started by opgrade serve alone");
  const auto& assignment = assignment_of(folder, hand_in->submission.assignment);
  const Config config = read_config(assignment.config);
  if (!own.unchecked) expect_checked_task(config);
  const Listener live = service::live_log(queue, id);
  GradingArguments arguments;
  arguments.config = assignment.config;
  arguments.device = own.device;
  const ToolWish wish = wish_of(*hand_in);
  use_tool(arguments, wish);
  bool for_staff = false;  // the present work is not for the student
  GraderOptions options = grader_options(arguments, [&](const Event& event) {
    if (!for_staff) live(event);
  });
  options.for_class = true;
  options.seed = class_seed(folder.path / course::kResults / assignment.name, {}, {{}, false});
  // `added` is in whole seconds, so it is rounded up. If no submission waits, no other submission
  // could use the sets of this one.
  if (queue.count(service::State::queued) > 0)
    options.handed_in = hand_in->submission.added + std::chrono::seconds(1);
  const service::WorkerRun worker{folder,   store,      queue,
                                  *hand_in, assignment, std::chrono::seconds(own.again_after)};
  const course::Rules rules = rules_now(folder, config);
  const auto tell = [&] {
    if (const auto h = queue.find(id); h && h->state == service::State::done)
      for (const auto& failure : send_notices(folder, store, *h, own.notify))
        fmt::print(stderr, "{}\n", failure);
  };
  if (hand_in->is_practice()) {
    service::remove_old_tool_files(folder, course::this_second());
    options.most_timed_calls = service::most_timed_calls(wish);
    options.tool_time = assignment.practice.tool_time;
    options.tool_file_bytes = assignment.practice.tool_file_bytes;
    options.keep_tool_file = [&](const ToolFile& file) {
      service::keep_tool_file(folder.path, hand_in->submission, file);
    };
  }
  if (assignment.on_slurm) {
    const auto listen = [&](const Event& event) {
      fmt::print(stderr, "{}\n", report::event_text(event, report::Audience::staff));
      live(event);
    };
    const auto take = [&](const fs::path& file) {
      if (options.keep_tool_file && is_tool_file_name(file.filename().string()))
        options.keep_tool_file({file.filename().string(), text_of_file(file)});
    };
    const auto executor =
        slurm_executor(folder, assignment, {config, options, false, listen, take});
    grade_hand_in(worker, rules, *executor);
    tell();
    return;
  }
  std::optional<Grade> finished;
  if (hand_in->is_practice() && service::goes_on_after_cases(wish)) {
    finished = finished_cases(queue, id);
    options.keep_finished = [&queue, id, run](const Grade& cases) {
      std::size_t count = 0;
      for (const StageReport& stage : cases.stages) count += stage.cases.size();
      queue.keep_cases(id, run, static_cast<int>(count), course::report_json(cases));
    };
  }
  Grader grader(config, std::move(options));
  const auto grade = [&](const fs::path& file, const std::string& name, GradedAt at) {
    return grader.grade(file, name, std::nullopt, for_staff ? std::nullopt : finished, at);
  };
  course::LocalExecutor executor(grade);
  grade_hand_in(worker, rules, executor);
  tell();
  if (hand_in->is_practice()) return;
  for_staff = true;
  // The student has the result already, and no other submission waits.
  if (queue.count(service::State::queued) == 0)
    check_reference(folder.path, config, rules, grade, [&](const Event& event) {
      queue.set(service::kReference, report::event_outcome(event) ? "" : assignment.name);
    });
}

}  // namespace

void audit_here(const course::Store& store, const std::string& who, const std::string& action,
                const std::string& subject) {
  service::Accounts(store).audit(
      {course::this_second(), who, course::kThisMachine, action, subject});
}

void add_serve(arguments::Parser& app, int&) {
  auto* verb = add_course_verb(app, "serve");
  auto path = add_course_folder(*verb);
  auto own = std::make_shared<ServeArguments>();
  verb->add_option("--listen", own->listen, "Address and port; a reverse proxy adds TLS")
      ->capture_default_str();
  verb->add_option("--workers,-w", own->workers,
                   "Parallel gradings; 0: take submissions, grade none")
      ->check(arguments::range(0, 64))
      ->capture_default_str();
  add_device_option(*verb, own->device);
  verb->add_option("--interval", own->interval, "Seconds between two submissions of a student")
      ->check(arguments::range(0, 86'400))
      ->capture_default_str();
  verb->add_option("--again-after", own->again_after,
                   "Seconds until a submission is graded again after a grader fault")
      ->check(arguments::range(0, 86'400))
      ->capture_default_str();
  verb->add_option("--proxy", own->proxy, "Address of the reverse proxy that names its clients");
  verb->add_option(
      "--notify", own->notify,
      "Tell students who asked for it that a grading is done: the path of sendmail, or "
      "an address for a webhook; default: no notices");
  verb->add_option("--proxy-header", own->proxy_header,
                   "Header by which that proxy names the user it authenticated");
  verb->add_flag(kUnchecked, own->unchecked, kUncheckedHelp);
  verb->add_flag("--plain-cookies", own->plain_cookies,
                 "Let browsers log in over plain HTTP, for a demonstration");
  verb->callback([=] { serve(*path, *own); });
}

void add_serve_worker(arguments::Parser& app, int&) {
  auto* verb = app.add_subcommand("serve-worker", "Grade one submission of the queue");
  verb->hide();
  auto path = add_course_folder(*verb);
  auto own = std::make_shared<ServeArguments>();
  auto id = std::make_shared<std::string>();
  auto run = std::make_shared<int>();
  verb->add_option("submission", *id, "Its number")->required();
  verb->add_option("run", *run, "Of the queue")->required();
  verb->add_option("--device", own->device, "As in opgrade serve");
  verb->add_option("--again-after", own->again_after, "As in opgrade serve");
  verb->add_option("--notify", own->notify, "As in opgrade serve");
  verb->add_flag(kUnchecked, own->unchecked, "As in opgrade serve");
  verb->callback([=] { run_worker(*path, whole_number(*id).value_or(0), *run, *own); });
}

void add_serve_version(arguments::Parser& app, int&) {
  auto* verb = app.add_subcommand("serve-version", "Print the version that gradings get");
  verb->hide();
  verb->callback([] { fmt::print("{}\n", program_version()); });
}

void add_course_tokens(arguments::Parser& course_verb, int&) {
  auto* verb = course_verb.add_subcommand(
      "tokens", "Make the tokens of the service: for all who have none, or for one person");
  auto path = add_course_folder(*verb);
  struct Own {
    std::string login, staff, revoke;
    bool list = false;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("login", own->login, "Make a new one for this student; the old one ends");
  verb->add_option("--staff", own->staff, "Make one for a member of staff of this name");
  verb->add_option("--revoke", own->revoke, "End the tokens and sessions of this person");
  verb->add_flag("--list", own->list, "Print who has a token, and since when");
  verb->callback([=] {
    const CourseFolder folder = course::open_course_folder(*path);
    const course::Store store = service::open_store(*path);
    service::Accounts accounts(store);
    const auto now = course::this_second();
    const auto audit = [&](const std::string& action, const std::string& subject) {
      audit_here(store, course::user_name(), action, subject);
    };
    if (!own->revoke.empty()) {
      const int ended = accounts.revoke(own->revoke, now);
      audit("revoke token", own->revoke);
      fmt::print("{}: {} revoked\n", own->revoke, counted(ended, "token"));
      return;
    }
    if (own->list) {
      fmt::print("login,role,made,revoked\r\n");
      for (const auto& t : accounts.tokens())
        fmt::print("{},{},{},{}\r\n", report::csv_cell(t.person), name_of(t.role),
                   folder.course.zone->text(t.made),
                   t.revoked ? folder.course.zone->text(*t.revoked) : "");
      return;
    }
    const auto make = [&](const std::string& person, const std::string& email, service::Role role) {
      const std::string token = accounts.make_token(person, role, now);
      audit("make token", person);
      fmt::print("{},{},{},{}\r\n", report::csv_cell(person), report::csv_cell(email),
                 name_of(role), token);
    };
    if (!own->staff.empty() && folder.roster.find(own->staff) != nullptr)
      throw UsageError(fmt::format("{} is a student of the roster", own->staff),
                       "name staff differently, or make a student's token");
    const course::Student* one = own->login.empty() ? nullptr : folder.roster.find(own->login);
    if (!own->login.empty() && one == nullptr)
      throw UsageError(fmt::format("the roster has no student '{}'", own->login),
                       "name a login or an id of roster.csv");
    fmt::print("login,email,role,token\r\n");
    if (!own->staff.empty()) make(own->staff, "", service::Role::staff);
    if (one != nullptr) make(one->login, one->email, service::Role::student);
    if (!own->staff.empty() || one != nullptr) return;
    std::set<std::string> have;
    for (const auto& t : accounts.tokens())
      if (!t.revoked) have.insert(t.person);
    for (const auto& student : folder.roster.students)
      if (!have.contains(student.login)) make(student.login, student.email, service::Role::student);
  });
}

}  // namespace opgrade::cli
