// SPDX-License-Identifier: Apache-2.0
#include "http/pages.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "http/style.h"
#include "support/files.h"
#include "support/sample_status.h"
#include "support/temp_dir.h"

namespace storage_probe::http {
namespace {

using test::kNoon;

std::string sample_page() { return landing_page(test::sample_snapshot(), "/metrics", kNoon); }

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(EscapeHtml, LeavesNothingThatABrowserWouldObey) {
  EXPECT_EQ(escape_html("<a href=\"x\" id='y'>&"),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;");
  EXPECT_EQ(escape_html(std::string("\0", 1)), "\xef\xbf\xbd");
  EXPECT_EQ(escape_html("räk"), "räk");
}

TEST(LandingPage, EscapesHostileNames) {
  const std::string page = sample_page();
  EXPECT_TRUE(contains(page, "räk &quot;&lt;b&gt;&amp;\\\n"));
  EXPECT_FALSE(contains(page, "<b>"));
  EXPECT_FALSE(contains(page, "<script"));
}

TEST(LandingPage, EscapesHostileTextEverywhere) {
  Snapshot snapshot = test::sample_snapshot();
  const std::string evil = "\"><script>'&";
  TargetStatus& target = snapshot.targets[0];
  target.name = target.path = target.message = evil;
  target.identity = {evil, evil, evil, evil, evil, evil, evil, evil, {{evil, evil, evil, true}}};
  target.probes[0].spec.name = evil;
  const std::string page = landing_page(snapshot, evil, kNoon);
  EXPECT_FALSE(contains(page, evil));
  EXPECT_FALSE(contains(page, "<script"));
}

TEST(LandingPage, LoadsNothing) {
  const std::string page = sample_page();
  for (const char* reference : {"src=", "<link", "url(", "@import", "http:", "https:", " style="})
    EXPECT_FALSE(contains(page, reference)) << reference;
}

TEST(LandingPage, SaysWhatIsWrongAndWhatCuresIt) {
  const std::string page = sample_page();
  EXPECT_TRUE(contains(page, "/logs is on / (ext4, /dev/vda): mount it, or add expect"));
  EXPECT_TRUE(contains(page, ">not_mounted</span>"));
  EXPECT_TRUE(contains(page, "not answering for 90 s"));
  EXPECT_TRUE(contains(page, ">held</span>"));
  EXPECT_TRUE(contains(page, "held until 2026-12-01 03:12 UTC: kernel update</p>"));
}

TEST(LandingPage, ShowsTheLastResults) {
  const std::string page = sample_page();
  EXPECT_TRUE(contains(page, "3.00k") || contains(page, "3k")) << page;
  EXPECT_TRUE(contains(page, "9 min ago"));
  EXPECT_TRUE(contains(page, "in 7 min"));
  EXPECT_TRUE(contains(page, "href=\"/metrics\""));
}

TEST(LandingPage, SaysWhatSpeaksAgainstFigures) {
  EXPECT_TRUE(contains(sample_page(), "seqread <span class=\"s\">unsteady</span>"));
}

TEST(LandingPage, MarksAFailedRun) {
  EXPECT_TRUE(contains(sample_page(), "failed</span> 35 s ago"));
}

TEST(LandingPage, WorksWithoutTargetsAndBeforeTheStart) {
  EXPECT_TRUE(contains(landing_page(Snapshot(), "/metrics", kNoon), "No targets are configured."));
  EXPECT_TRUE(contains(landing_page(Snapshot(), "/metrics", kNoon), "starting"));
}

TEST(LandingPage, SaysThatAReloadFailed) {
  Snapshot snapshot = test::sample_snapshot();
  snapshot.exporter.last_reload_succeeded = false;
  EXPECT_TRUE(contains(landing_page(snapshot, "/metrics", kNoon), "reload failed"));
}

TEST(LandingPage, StaysSmall) {
  Snapshot snapshot = test::sample_snapshot();
  const std::vector<TargetStatus> five = snapshot.targets;
  for (int i = 0; i < 3; ++i)
    snapshot.targets.insert(snapshot.targets.end(), five.begin(), five.end());
  ASSERT_EQ(snapshot.targets.size(), 20U);
  EXPECT_LT(landing_page(snapshot, "/metrics", kNoon).size(), 50'000U);
  snapshot.targets.assign(20, five[0]);
  EXPECT_LT(landing_page(snapshot, "/metrics", kNoon).size(), 50'000U);
}

// Base64 of the SHA-256 of a text, by the system's tools; empty where they are missing.
std::string sha256_base64(std::string_view text) {
  const test::TempDir directory;
  const auto file = test::write_file(directory / "text", text);
  const auto hash = directory / "hash";
  const std::string command = "openssl dgst -sha256 -binary '" + file.string() +
                              "' 2>/dev/null | base64 >'" + hash.string() + "'";
  if (std::system(command.c_str()) != 0) return {};
  const std::string line = test::read_whole(hash);
  return line.substr(0, line.find('\n'));
}

TEST(PageSecurityPolicy, AllowsItsOwnStyleSheetOnly) {
  const std::string hash = sha256_base64(kStyle);
  if (hash.empty()) GTEST_SKIP() << "no openssl to hash the style sheet with";
  EXPECT_EQ(kStyleHash, "sha256-" + hash);
  EXPECT_TRUE(contains(page_security_policy(), "'sha256-" + hash + "'"));
  EXPECT_TRUE(contains(sample_page(), "<style>" + std::string(kStyle) + "</style>"));
}

}  // namespace
}  // namespace storage_probe::http
