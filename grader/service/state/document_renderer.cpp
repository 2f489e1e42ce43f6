#include "grader/service/state/document_renderer.hpp"

#include <algorithm>
#include <exception>

#include "grader/course/exchange/document_file.hpp"
#include "grader/course/folder/course_folder.hpp"

namespace opgrade::service {
namespace {

/// Most bytes of rendered pages on the disk: some hundred reports of the largest size.
constexpr std::uintmax_t kMostShown = std::uintmax_t{8} << 30;

}  // namespace

DocumentRenderer::DocumentRenderer(std::filesystem::path course, RenderDocument render, Clock clock)
    : course_(std::move(course)),
      render_(std::move(render)),
      clock_(std::move(clock)),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

DocumentRenderer::~DocumentRenderer() = default;

DocumentRenderer::View DocumentRenderer::look(const course::Submission& document) {
  View view;
  view.shown = documents::find_shown(course_ / course::kShown, document.sha256);
  if (view.shown) return view;
  const std::scoped_lock lock(guard_);
  if (!render_) {
    view.trouble = "This server shows no documents; the file is a download.";
  } else if (const auto known = trouble_.find(document.sha256);
             known != trouble_.end() && (!known->second.until || clock_() < *known->second.until)) {
    view.trouble = known->second.text;
  } else {
    view.is_coming = true;
    if (std::ranges::find(ordered_, document.sha256, &course::Submission::sha256) ==
        ordered_.end()) {
      ordered_.push_back(document);
      changed_.notify_one();
    }
  }
  return view;
}

void DocumentRenderer::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::unique_lock lock(guard_);
    if (!changed_.wait(lock, stop, [&] { return !ordered_.empty(); })) return;
    const course::Submission document = ordered_.front();
    lock.unlock();
    Trouble trouble;
    try {
      const auto rendered = render_(course::read_document(course_, document));
      documents::keep_shown(course_ / course::kShown, document.sha256, rendered);
      // If the machine lacks a program, nothing was stored, and this is the reason to show.
      if (!documents::find_shown(course_ / course::kShown, document.sha256))
        trouble.text = documents::note_of(rendered.end, course::kind_of_document(document));
      documents::keep_within(course_ / course::kShown, kMostShown);
    } catch (const std::exception&) {
      // The machine failed, for example because of a full disk, which may pass.
      trouble = {
          "This document cannot be shown now, which is no fault of it: the service tries "
          "again in a minute. The file is a download.",
          clock_() + kTryAgain};
    }
    lock.lock();
    if (trouble.text.empty())
      trouble_.erase(document.sha256);
    else
      trouble_.insert_or_assign(document.sha256, std::move(trouble));
    ordered_.pop_front();
  }
}

}  // namespace opgrade::service
