// SPDX-License-Identifier: Apache-2.0
#include "cli/bars.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>

namespace storage_probe::cli {
namespace {

using std::chrono::microseconds;
using Variables = std::map<std::string, std::string>;

Style style(Stream stream, const Variables& variables) {
  return style_for(stream, [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Style, ATerminalHasColourUnlessToldOtherwise) {
  EXPECT_EQ(style(Stream::terminal, {{"TERM", "xterm"}}).ink, Ink::coloured);
  EXPECT_EQ(style(Stream::terminal, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}).ink, Ink::plain);
  EXPECT_EQ(style(Stream::terminal, {{"TERM", "xterm"}, {"NO_COLOR", ""}}).ink, Ink::coloured);
  EXPECT_EQ(style(Stream::terminal, {{"TERM", "dumb"}}).ink, Ink::plain);
  EXPECT_EQ(style(Stream::terminal, {}).ink, Ink::plain);
}

TEST(Style, BlocksNeedAUtf8LocaleByTheVariableThatDecides) {
  EXPECT_EQ(style(Stream::terminal, {{"LANG", "de_DE.UTF-8"}}).glyphs, Glyphs::blocks);
  EXPECT_EQ(style(Stream::terminal, {{"LC_CTYPE", "C.utf8"}}).glyphs, Glyphs::blocks);
  EXPECT_EQ(style(Stream::terminal, {{"LANG", "C.UTF-8"}, {"LC_ALL", "C"}}).glyphs, Glyphs::ascii);
  EXPECT_EQ(style(Stream::terminal, {}).glyphs, Glyphs::ascii);
}

TEST(Style, WhatIsNoTerminalIsPlain) {
  const Style plain = style(Stream::other, {{"TERM", "xterm"}, {"LANG", "C.UTF-8"}});
  EXPECT_EQ(plain.ink, Ink::plain);
  EXPECT_EQ(plain.glyphs, Glyphs::ascii);
}

TEST(Style, OnlyACapableTerminalIsWrittenOver) {
  const auto xterm = [](const char*) { return "xterm"; };
  EXPECT_TRUE(can_overwrite(Stream::terminal, xterm));
  EXPECT_FALSE(can_overwrite(Stream::other, xterm));
  EXPECT_FALSE(can_overwrite(Stream::terminal, [](const char*) { return "dumb"; }));
  EXPECT_FALSE(can_overwrite(Stream::terminal, [](const char*) -> const char* { return nullptr; }));
}

TEST(Style, PaintLeavesPlainTextAlone) {
  EXPECT_EQ(painted("x", Tone::bad, {}), "x");
  EXPECT_EQ(painted("x", Tone::bad, {Glyphs::ascii, Ink::coloured}), "\x1b[31mx\x1b[0m");
}

TEST(Bar, ShowsItsShareAndNeverHidesWhatIsThere) {
  EXPECT_EQ(bar(0.5, 8, Glyphs::ascii), "####");
  EXPECT_EQ(bar(1e-9, 8, Glyphs::ascii), ".");
  EXPECT_EQ(bar(0, 8, Glyphs::ascii), "");
  EXPECT_EQ(bar(0.5, 3, Glyphs::blocks), "█▌");
  EXPECT_EQ(bar(1e-9, 8, Glyphs::blocks), "▏");
  EXPECT_EQ(bar(7, 2, Glyphs::blocks), "██");
}

TEST(Course, BeginsAtZeroSoThatADropLooksAsLargeAsItIs) {
  const std::vector<double> rates{700, 700, 350, 0};
  EXPECT_EQ(course(rates, 24, Glyphs::blocks), "██▅▁");
  EXPECT_EQ(course(rates, 24, Glyphs::ascii), "##=_");
  EXPECT_EQ(course({}, 24, Glyphs::ascii), "");
}

TEST(Course, ALongOneIsDrawnInMeans) {
  std::vector<double> rates(50, 100);
  rates.resize(100, 50);
  EXPECT_EQ(course(rates, 4, Glyphs::ascii), "##==");
}

TEST(LatencyBars, AreRowsOfRoundBoundsThatAddUp) {
  LatencyHistogram latency;
  latency.record(microseconds(110), 75);
  latency.record(microseconds(190), 25);
  EXPECT_EQ(latency_bars(latency, {}),
            "    to  120 us   75.0 %  ############################################\n"
            "    to  150 us    0.0 %\n"
            "    to  200 us   25.0 %  ###############\n");
}

TEST(LatencyBars, AWideRangeGetsCoarserRows) {
  LatencyHistogram latency;
  latency.record(microseconds(80), 9999);
  latency.record(std::chrono::seconds(12), 1);
  const std::string text = latency_bars(latency, {});
  EXPECT_LE(lines_of(text), 9U) << text;
  EXPECT_NE(text.find("<0.1 %  .\n"), std::string::npos) << text;
}

TEST(LatencyBars, HoursAndNothingAreNoTrouble) {
  LatencyHistogram latency;
  EXPECT_EQ(latency_bars(latency, {}), "");
  latency.record(Duration{}, 1);
  latency.record(std::chrono::hours(24 * 365), 1);
  EXPECT_LE(lines_of(latency_bars(latency, {})), 18U);
}

}  // namespace
}  // namespace storage_probe::cli
