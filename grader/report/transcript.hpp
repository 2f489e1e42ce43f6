/// The transcript: the course's own printed form, for readers and scripts that expect it.
#pragma once

#include <string>

#include "grader/report/view.hpp"

namespace opgrade::report {

/// Per case with a model, what the course's harness prints from 2021sp on:
///
///   Test batch size: 1000
///   Loading fashion-mnist data...Done
///   Loading model...Done
///   Conv-CPU==
///   Layer Time: 12.3 ms
///   Op Time: 12.1 ms
///
///   Test Accuracy: 0.886
///
/// and below it the first line of `/usr/bin/time`. Random shapes take the form of 2023fa's test
/// cases. Op Time and Layer Time are medians. An emulated stage has no time lines. Content beyond
/// the course's words stands in brackets: "[cpu/high/1000: crashed: ...]". It holds nothing that
/// the submission printed.
std::string transcript(const Grade& grade, Audience audience);

/// "1.20user 0.05system 0:01.30elapsed 96%CPU (0avgtext+0avgdata 20480maxresident)k", as GNU time
/// formats it (`%Uuser %Ssystem %Eelapsed %PCPU (%Xavgtext+%Davgdata %Mmaxresident)k`).
std::string time_line(const UsageReport& usage);

}  // namespace opgrade::report
