/// Renders documents one after another, in a thread that answers no requests.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "grader/course/documents/shown_documents.hpp"
#include "grader/course/store/store.hpp"

namespace opgrade::service {

/// Renders a document in the sandbox. Throws Error if the machine cannot.
using RenderDocument =
    std::function<documents::RenderedDocument(const documents::Document& document)>;

class DocumentRenderer {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  /// After a fault of the machine, the first look() after this time renders the document again.
  static constexpr std::chrono::minutes kTryAgain{1};

  /// `course` is the course folder, below which pictures are stored. If `render` is empty, no
  /// pictures are made.
  DocumentRenderer(std::filesystem::path course, RenderDocument render,
                   Clock clock = std::chrono::steady_clock::now);
  ~DocumentRenderer();
  DocumentRenderer(const DocumentRenderer&) = delete;
  DocumentRenderer& operator=(const DocumentRenderer&) = delete;

  struct View {
    std::optional<documents::ShownDocument> shown;  ///< nullopt: not rendered yet
    std::string trouble;                            ///< why it is not rendered; for everybody
    bool is_coming = false;                         ///< it is being rendered, or waits for its turn
  };
  /// Returns what is rendered of a document. The first call orders its rendering. Does not wait.
  View look(const course::Submission& document);

 private:
  void work(const std::stop_token& stop);

  const std::filesystem::path course_;
  const RenderDocument render_;
  const Clock clock_;
  std::mutex guard_;
  std::condition_variable_any changed_;
  std::deque<course::Submission> ordered_;  ///< the first one is being rendered
  struct Trouble {
    std::string text;
    /// nullopt: the document causes it, so no new try is made.
    std::optional<std::chrono::steady_clock::time_point> until{};
  };
  std::map<std::string, Trouble> trouble_;  ///< by SHA-256
  std::jthread thread_;                     ///< the last member, because it uses the others
};

}  // namespace opgrade::service
