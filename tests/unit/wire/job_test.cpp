// SPDX-License-Identifier: Apache-2.0
#include "wire/job.h"

#include <gtest/gtest.h>

#include "unit/wire/samples.h"

namespace storage_probe::wire {
namespace {

TEST(WireJob, ArrivesAsItWasSent) {
  const Job sent = test::full_job();
  const auto job = decode_job(encode(sent));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->target, sent.target);
  EXPECT_EQ(job->spec, sent.spec);
  EXPECT_EQ(job->host_id, sent.host_id);
  EXPECT_EQ(job->layout_allowance, sent.layout_allowance);
  EXPECT_EQ(job->layout_per_day, sent.layout_per_day);
  EXPECT_EQ(job->layout_rate, sent.layout_rate);
  EXPECT_EQ(job->keep_file, sent.keep_file);
  EXPECT_EQ(job->procfs, sent.procfs);
  EXPECT_EQ(job->sysfs, sent.sysfs);
}

TEST(WireJob, LeavesTheTargetsProbesOut) {
  Job sent;
  sent.target.probes.resize(3);
  const auto job = decode_job(encode(sent));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_TRUE(job->target.probes.empty());
}

TEST(WireJob, RefusesWhatIsNoJob) {
  for (const char* text : {"", "{}", "null", "[1", "{\"target\": {}}"}) {
    const auto job = decode_job(text);
    ASSERT_FALSE(job) << text;
    EXPECT_EQ(job.error().code, Errc::invalid);
  }
}

TEST(WireJob, RefusesEveryPartOfAJob) {
  const std::string text = encode(test::full_job());
  for (std::size_t length = 0; length < text.size(); length += 7) {
    EXPECT_FALSE(decode_job(text.substr(0, length)));
  }
}

TEST(WireJob, RefusesAnEndlessJob) {
  const auto job = decode_job(std::string(kMaxJob.value + 1, ' '));
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().message, "job: longer than 1MiB");
}

}  // namespace
}  // namespace storage_probe::wire
