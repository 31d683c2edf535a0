// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <array>
#include <sstream>
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
constexpr const char* kOneDocument =
    "a second document begins here: keep one, or put the other in a file of its own under include";

// Thrown out of the library's parser to end it; caught in parse_yaml().
struct Stop {
  Document::Refusal refusal;
};

Mark to_mark(const YAML::Mark& mark) {
  return {static_cast<unsigned>(mark.line) + 1, static_cast<unsigned>(mark.column) + 1};
}

[[noreturn]] void stop(const YAML::Mark& mark, std::string reason) {
  throw Stop{{to_mark(mark), std::move(reason)}};
}

// Builds the tree while the library parses. Lives on the stack of parse_yaml().
class Builder : public YAML::EventHandler {
 public:
  Node take_root() { return std::move(root_); }

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
    add({Node::Kind::null, to_mark(mark), {}, {}, {}}, mark);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    check_tag(mark, tag);
    if (has_control_character(value))
      stop(mark, "a text of several lines or with control characters: write it on one line");
    add({Node::Kind::text, to_mark(mark), value, {}, {}}, mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    open(Node::Kind::list, mark, tag);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    open(Node::Kind::map, mark, tag);
  }
  void OnMapEnd() override { close(); }

 private:
  // The library's tags of values that have none are "?" and, when quoted, "!".
  static void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") stop(mark, kNoTags);
  }
  bool awaits_key() const {
    return !open_.empty() && open_.back().kind == Node::Kind::map &&
           open_.back().keys.size() == open_.back().items.size();
  }
  void add(Node node, const YAML::Mark& mark) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (!awaits_key()) {
      // An empty value is noticed where the next token begins: its key, or its list, is nearer.
      const Node& parent = open_.back();
      if (node.kind == Node::Kind::null)
        node.mark = parent.kind == Node::Kind::map ? parent.keys.back().mark : parent.mark;
      open_.back().items.push_back(std::move(node));
    } else if (node.kind == Node::Kind::null) {
      stop(mark, "a key without a name: write a word before the colon");
    } else if (node.text == "<<") {
      stop(mark, "merge keys (<<) are not supported: share settings with defaults or probes");
    } else {
      open_.back().keys.push_back(std::move(node));
    }
  }
  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    check_tag(mark, tag);
    if (awaits_key())
      stop(mark, "a list or map where a key must be: put a text with brackets or braces in quotes");
    if (open_.size() >= kMaxDepth)
      stop(mark, "nested deeper than " + std::to_string(kMaxDepth) + " levels");
    open_.push_back({kind, to_mark(mark), {}, {}, {}});
  }
  void close() {
    Node node = std::move(open_.back());
    open_.pop_back();
    if (open_.empty())
      root_ = std::move(node);
    else
      open_.back().items.push_back(std::move(node));
  }

  bool started_ = false;
  std::vector<Node> open_;  // the lists and maps around the next event, outermost first
  Node root_;
};

// The library's own words name its inner states; these say what to mend.
std::string in_plain_words(const std::string& message) {
  using Words = std::pair<const char*, const char*>;
  static constexpr std::array<Words, 20> kWords{{
      {YAML::ErrorMsg::END_OF_MAP,
       "the indentation fits nothing above: align it with the keys it belongs to"},
      {YAML::ErrorMsg::END_OF_SEQ,
       "the indentation fits nothing above: align it with the list it belongs to"},
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
  for (const auto& [library, ours] : kWords)
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
  Builder builder;
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
