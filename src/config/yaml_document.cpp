// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>

#include "config/yaml_text.h"

namespace storage_probe::config {
namespace {

constexpr std::size_t kMaxDepth = 20;
constexpr const char* kNoAliases =
    "anchors (&name) and aliases (*name) are not supported: share settings with defaults or "
    "probes, and put a text that begins with & or * in quotes";
constexpr const char* kNoTags =
    "tags (!name) are not supported: remove it, or put a text that begins with ! in quotes";
constexpr const char* kBadIndentation =
    "the indentation matches no line above: align this line with the entries it belongs to";
constexpr const char* kOneDocument =
    "a second document begins here: keep one, or put the other in a file of its own under include";

// Thrown out of the library's parser to end it; caught in parse_yaml().
struct Stop {
  Document::Refusal refusal;
};

Mark to_mark(const YAML::Mark& mark) {
  return {static_cast<unsigned>(mark.line) + 1, static_cast<unsigned>(mark.column) + 1};
}

// Whether the quoted text that `text` begins with ends before the line does.
bool ends_in_line(std::string_view text) {
  const char quote = text[0];
  for (std::size_t i = 1; i < text.size() && text[i] != '\n'; ++i) {
    const bool doubled = quote == '\'' && text.substr(i, 2) == "''";
    if (doubled || (quote == '"' && text[i] == '\\'))
      ++i;  // an escaped character, which ends nothing
    else if (text[i] == quote)
      return true;
  }
  return false;
}

[[noreturn]] void stop(const YAML::Mark& mark, std::string reason) {
  throw Stop{{to_mark(mark), std::move(reason)}};
}

// Builds the tree while the library parses. Lives on the stack of parse_yaml().
class Builder : public YAML::EventHandler {
 public:
  // `text` is what the library parses.
  explicit Builder(std::string_view text) : text_(text) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true)) stop(mark, kOneDocument);
  }
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    stop(mark, kNoAliases);
  }
  void OnAnchor(const YAML::Mark& mark, const std::string& /*name*/) override {
    stop(mark, kNoAliases);
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    add({YamlNode::Kind::null, to_mark(mark), {}, {}, {}}, mark);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    check_tag(mark, tag);
    check_quote(mark);
    if (has_control_character(value))
      stop(mark, "a text of several lines or with control characters: write it on one line");
    add({YamlNode::Kind::text, to_mark(mark), value, {}, {}}, mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    open(YamlNode::Kind::list, mark, tag);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    open(YamlNode::Kind::map, mark, tag);
  }
  void OnMapEnd() override { close(); }

 private:
  // The library's tags of values that have none are "?" and, when quoted, "!".
  static void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") stop(mark, kNoTags);
  }
  // The library takes the end of the file for the end of a quoted text.
  void check_quote(const YAML::Mark& mark) const {
    const std::string_view line =
        text_.substr(std::min(static_cast<std::size_t>(mark.pos), text_.size()));
    if (!line.empty() && (line[0] == '"' || line[0] == '\'') && !ends_in_line(line))
      stop(mark, "a quote is opened here and not closed in this line");
  }
  bool awaits_key() const {
    return !open_.empty() && open_.back().kind == YamlNode::Kind::map &&
           open_.back().keys.size() == open_.back().items.size();
  }
  void add(YamlNode node, const YAML::Mark& mark) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (!awaits_key()) {
      // An empty value is noticed where the next token begins: its key, or its list, is nearer.
      const YamlNode& parent = open_.back();
      if (node.kind == YamlNode::Kind::null)
        node.mark = parent.kind == YamlNode::Kind::map ? parent.keys.back().mark : parent.mark;
      open_.back().items.push_back(std::move(node));
    } else if (node.kind == YamlNode::Kind::null) {
      stop(mark, "a key without a name: write a word before the colon");
    } else if (node.text == "<<") {
      stop(mark, "merge keys (<<) are not supported: share settings with defaults or probes");
    } else {
      open_.back().keys.push_back(std::move(node));
    }
  }
  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    check_tag(mark, tag);
    if (awaits_key())
      stop(mark, "a list or map where a key must be: put a text with brackets or braces in quotes");
    if (open_.size() >= kMaxDepth)
      stop(mark, "nested deeper than " + std::to_string(kMaxDepth) + " levels");
    open_.push_back({kind, to_mark(mark), {}, {}, {}});
  }
  void close() {
    YamlNode node = std::move(open_.back());
    open_.pop_back();
    if (open_.empty())
      root_ = std::move(node);
    else
      open_.back().items.push_back(std::move(node));
  }

  std::string_view text_;
  bool started_ = false;
  std::vector<YamlNode> open_;  // the lists and maps around the next event, outermost first
  YamlNode root_;
};

// The library's own words name its inner states; these say what to mend.
std::string in_plain_words(const std::string& message) {
  using Words = std::pair<const char*, const char*>;
  static const std::array<Words, 20> words{{
      {YAML::ErrorMsg::END_OF_MAP, kBadIndentation},
      {YAML::ErrorMsg::END_OF_SEQ, kBadIndentation},
      {YAML::ErrorMsg::END_OF_MAP_FLOW, "a { above is not closed: add } or a comma"},
      {YAML::ErrorMsg::END_OF_SEQ_FLOW, "a [ above is not closed: add ] or a comma"},
      {YAML::ErrorMsg::EOF_IN_SCALAR, "a quote above is not closed"},
      {YAML::ErrorMsg::DOC_IN_SCALAR, "a quote above is not closed"},
      {YAML::ErrorMsg::TAB_IN_INDENTATION, "a tab in the indentation: use spaces"},
      {YAML::ErrorMsg::MAP_VALUE,
       "a colon where no key can be: check the indentation, or put a text with \": \" in quotes"},
      {YAML::ErrorMsg::MAP_KEY, "a key where none can be: check the indentation"},
      {YAML::ErrorMsg::BLOCK_ENTRY, "a list entry (-) where none can be: check the indentation"},
      {YAML::ErrorMsg::FLOW_END, "a ] or } that closes nothing: remove it"},
      {YAML::ErrorMsg::UNKNOWN_TOKEN,
       "a value cannot begin with this character: put the value in quotes"},
      {YAML::ErrorMsg::UNKNOWN_ANCHOR, kNoAliases},
      {YAML::ErrorMsg::ALIAS_NOT_FOUND, kNoAliases},
      {YAML::ErrorMsg::ANCHOR_NOT_FOUND, kNoAliases},
      {YAML::ErrorMsg::CHAR_IN_ALIAS, kNoAliases},
      {YAML::ErrorMsg::CHAR_IN_ANCHOR, kNoAliases},
      {YAML::ErrorMsg::MULTIPLE_ANCHORS, kNoAliases},
      {YAML::ErrorMsg::MULTIPLE_TAGS, kNoTags},
      {YAML::ErrorMsg::CHAR_IN_TAG_HANDLE, kNoTags},
  }};
  for (const auto& [library, ours] : words)
    if (message == library) return ours;
  if (message.starts_with(YAML::ErrorMsg::INVALID_ESCAPE))
    return "an unknown escape in double quotes: double the backslash, or use single quotes";
  return "not valid YAML: " + message;
}

}  // namespace

Document parse_yaml(std::string_view text) {
  Document document;
  document.refusal = check_text(text);
  if (document.refusal) return document;
  // The byte order mark is no part of the first line.
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  Builder builder(text);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    // The second call finds what follows the first document; the builder refuses it.
    if (parser.HandleNextDocument(builder)) parser.HandleNextDocument(builder);
    document.root = builder.take_root();
  } catch (const Stop& stopped) {
    document.refusal = stopped.refusal;
  } catch (const YAML::Exception& error) {
    document.refusal = {to_mark(error.mark), in_plain_words(error.msg)};
  } catch (const std::exception& error) {
    document.refusal = {{}, std::string("not valid YAML: ") + error.what()};
  }
  return document;
}

}  // namespace storage_probe::config
