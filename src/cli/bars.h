// SPDX-License-Identifier: Apache-2.0
// How text looks on its way to a person, and figures as bars.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "model/latency_histogram.h"

namespace storage_probe::cli {

enum class Glyphs { ascii, blocks };
enum class Ink { plain, coloured };

struct Style {
  Glyphs glyphs = Glyphs::ascii;
  Ink ink = Ink::plain;
};

// Where the text goes: into a file or pipe it is plain, for programs to read.
enum class Stream { terminal, other };
// `environment` is getenv: NO_COLOR and TERM decide on colour, the locale on block characters.
Style style_for(Stream stream, const std::function<const char*(const char*)>& environment);

// Whether a line can be written over, as progress is.
bool can_overwrite(Stream stream, const std::function<const char*(const char*)>& environment);

enum class Tone { strong, good, warning, bad };
// The text in its colour, where there is one.
std::string painted(const std::string& text, Tone tone, Style style);

// `share` of a bar of `width` columns, 0 to 1; what is more than nothing is visible.
std::string bar(double share, std::size_t width, Glyphs glyphs);

// One column a value, from 0 to the largest; at most `width` columns, each then the mean of
// several.
std::string course(std::span<const double> values, std::size_t width, Glyphs glyphs);

// A histogram of at most nine lines, each indented by four columns and at most 78 wide.
std::string latency_bars(const LatencyHistogram& latency, Style style);

}  // namespace storage_probe::cli
