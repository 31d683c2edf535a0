// SPDX-License-Identifier: Apache-2.0
#include "metrics/exposition_samples.h"

#include <prometheus/text_serializer.h>

#include <cmath>
#include <ostream>
#include <streambuf>

namespace storage_probe::metrics {
namespace {

// Overlong forms, surrogates, and what is above U+10FFFF, by the first two bytes.
bool is_forbidden(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xe0:
      return second < 0xa0;
    case 0xed:
      return second > 0x9f;
    case 0xf0:
      return second < 0x90;
    case 0xf4:
      return second > 0x8f;
    default:
      return false;
  }
}

// The length of the UTF-8 sequence that `text` begins with; 0 if it begins with none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  return is_forbidden(lead, byte(1)) ? 0 : length;
}

// A stream buffer that appends to a string. (A string stream's text would be copied once more.)
class AppendingBuffer : public std::streambuf {
 public:
  explicit AppendingBuffer(std::string& text) : text_(text) {}

 protected:
  std::streamsize xsputn(const char* data, std::streamsize size) override {
    text_.append(data, static_cast<std::size_t>(size));
    return size;
  }
  int_type overflow(int_type c) override {
    if (!traits_type::eq_int_type(c, traits_type::eof())) text_ += traits_type::to_char_type(c);
    return traits_type::not_eof(c);
  }

 private:
  std::string& text_;
};

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    valid += length == 0 ? "\xef\xbf\xbd" : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

prometheus::ClientMetric& Samples::append(std::initializer_list<LabelView> labels) {
  prometheus::ClientMetric& metric = family_.metric.emplace_back();
  metric.label.reserve(subject_.first.size() + labels.size() + subject_.last.size());
  metric.label.insert(metric.label.end(), subject_.first.begin(), subject_.first.end());
  for (const LabelView& label : labels)
    metric.label.push_back({label.name, valid_utf8(label.value)});
  metric.label.insert(metric.label.end(), subject_.last.begin(), subject_.last.end());
  return metric;
}

void Samples::add(double value, std::initializer_list<LabelView> labels) {
  if (!std::isfinite(value)) return;
  prometheus::ClientMetric& metric = append(labels);
  // The serializer reads the member that belongs to the family's type.
  if (family_.type == kCounter)
    metric.counter.value = value;
  else
    metric.gauge.value = value;
}

void Samples::add(std::optional<double> value, std::initializer_list<LabelView> labels) {
  if (value) add(*value, labels);
}

void Samples::add(std::uint64_t value, std::initializer_list<LabelView> labels) {
  add(static_cast<double>(value), labels);
}

void Samples::add(const CumulativeLatency& latency, std::initializer_list<LabelView> labels) {
  prometheus::ClientMetric::Histogram& histogram = append(labels).histogram;
  histogram.bucket.reserve(kHistogramLimits.size());
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < kHistogramLimits.size(); ++i) {
    below += latency.counts[i];
    histogram.bucket.push_back({below, to_seconds(kHistogramLimits[i])});
  }
  histogram.sample_count = below + latency.counts.back();
  histogram.sample_sum = latency.sum_seconds;
}

Subject subject_of(const TargetStatus& target) {
  Subject subject{{{"target", valid_utf8(target.name)}}, {}};
  for (const auto& [name, value] : target.labels) subject.last.push_back({name, valid_utf8(value)});
  return subject;
}

Subject subject_of(const TargetStatus& target, const ProbeStatus& probe) {
  Subject subject = subject_of(target);
  subject.first.push_back({"probe", valid_utf8(probe.spec.name)});
  return subject;
}

bool issues(const ProbeSpec& spec, Operation op) {
  switch (op) {
    case Operation::read:
      return spec.read_percent > 0;
    case Operation::write:
    case Operation::fsync:  // every probe that writes ends with one
      return spec.writes();
  }
  return false;
}

void Page::add(Family family) {
  if (family.metric.empty()) return;
  AppendingBuffer buffer(text_);
  std::ostream out(&buffer);
  std::vector<Family> families;
  families.push_back(std::move(family));
  prometheus::TextSerializer().Serialize(out, families);
}

}  // namespace storage_probe::metrics
