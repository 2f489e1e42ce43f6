/// The harness's side of the channel to the grader.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "grader/platform/harness/protocol.hpp"

namespace opgrade::harness {

/// The descriptors that came with a request; -1 for none.
using Files = std::array<int, OPGRADE_MAX_BUFFERS>;

void close_all(Files& files);

void fail(protocol::Reply& reply, protocol::Status status, const char* text);

/// Ends the process if the grader has closed the channel.
void send(const protocol::Reply& reply);

/// Returns false if the grader has closed the channel.
bool receive(protocol::Request& request, Files& files);

/// Writes a word of the page, and wakes the grader if it waits for that word.
void publish(std::atomic<std::uint32_t>& word, std::uint32_t sequence);

}  // namespace opgrade::harness
