// Listings and pictures of the parse tree and of the coarse tree.
#include <vector>

#include "breakstep/fsm/render.hpp"
#include "write.hpp"

namespace breakstep::inline BREAKSTEP_ABI::fsm {
namespace {

// Receives the nodes of a tree, parents before children, and writes them in one of the formats. Linear in the size of
// the tree however deep it is.
class TreeWriter {
 public:
  explicit TreeWriter(Format format) : format_(format) {
    if (format == Format::dot) {
      text_ =
          "digraph tree {\n"
          "  ordering=out;\n"
          "  splines=line;\n"
          "  nodesep=0.2;\n"
          "  ranksep=0.25;\n"
          "  node [shape=plain, fontname=\"Helvetica\", fontsize=12, width=0.1, height=0.1, margin=0.06];\n"
          "  edge [arrowhead=none];\n";
    }
    if (format == Format::mermaid) text_ = "flowchart TD\n";
  }

  // `fields` are the node's JSON members besides its children.
  void node(int depth, bool leaf, std::string_view caption, std::string_view fields) {
    switch (format_) {
      case Format::text:
        text_line(depth, caption);
        break;
      case Format::dot:
        put(text_, "  n", id_, leaf ? " [shape=box, style=filled, fillcolor=gray95, color=gray60, label=" : " [label=",
            dot_quoted(shortened(caption)), "];\n");
        link(depth, " -> ", ";\n");
        break;
      case Format::mermaid:
        put(text_, "  n", id_, leaf ? "[" : "([", mermaid_quoted(shortened(caption)), leaf ? "]\n" : "])\n");
        link(depth, " --- ", "\n");
        break;
      case Format::json:
        json_node(depth, leaf, fields);
        break;
    }
    ++id_;
  }

  std::string finish() {
    if (format_ == Format::dot) text_ += "}\n";
    if (format_ == Format::json) {
      close_down_to(0);
      text_ += "\n";
    }
    return std::move(text_);
  }

 private:
  // Deeper than this, indenting would make the listing quadratic and unreadable; the depth is written instead.
  static constexpr int deepest_indent = 40;

  void text_line(int depth, std::string_view caption) {
    if (depth > deepest_indent) {
      put(text_, "(depth ", depth, ") ");
    } else {
      text_.append(2 * depth, ' ');
    }
    put(text_, caption, '\n');
  }

  // Connects the node that was just declared with its parent.
  void link(int depth, std::string_view line, std::string_view end) {
    path_.resize(depth);
    if (depth > 0) put(text_, "  n", path_.back(), line, 'n', id_, end);
    path_.push_back(id_);
  }

  void json_node(int depth, bool leaf, std::string_view fields) {
    close_down_to(depth);
    if (id_ > 0) text_ += first_child_ ? "\n" : ",\n";
    first_child_ = !leaf;
    put(text_, '{', fields, leaf ? "}" : R"(,"children":[)");
    if (!leaf) ++open_;
  }

  void close_down_to(int depth) {
    for (; open_ > depth; --open_) {
      text_ += "]}";
      first_child_ = false;
    }
  }

  Format format_;
  std::string text_;
  int id_ = 0;
  std::vector<int> path_;     // Pictures: the ids of the last node's ancestors, then its own.
  int open_ = 0;              // JSON: how many lists of children are open.
  bool first_child_ = false;  // JSON: whether the next node is the first of its list.
};

std::string_view name_of(Symbol symbol) {
  switch (symbol) {
    case Symbol::blocks:
      return "Bs";
    case Symbol::block:
      return "B";
    case Symbol::simple_block:
      return "SB";
    case Symbol::while_block:
      return "WB";
    case Symbol::repeat_block:
      return "RB";
    case Symbol::op:
      return "op";
    default:
      return "word";
  }
}

}  // namespace

std::string render(const ParseTree& tree, std::string_view text, Format format) {
  struct Visit {
    int node;
    int depth;
  };
  TreeWriter writer(format);
  std::string fields;
  std::vector<Visit> pending{{count(tree.nodes) - 1, 0}};
  while (!pending.empty()) {
    const auto [index, depth] = pending.back();
    pending.pop_back();
    const ParseNode& node = tree.nodes[index];
    const bool leaf = node.size == 1;
    const std::string_view source = text.substr(node.begin, node.end - node.begin);
    fields.clear();
    put(fields, R"("symbol":")", name_of(node.symbol), '"');
    if (leaf) put(fields, R"(,"text":)", json_quoted(source));
    writer.node(depth, leaf, leaf ? source : name_of(node.symbol), fields);
    // Children are found from right to left, so the leftmost ends on top.
    for (int child = index - 1; child > index - node.size; child -= tree.nodes[child].size) {
      pending.push_back({child, depth + 1});
    }
  }
  return writer.finish();
}

std::string render(const Tree& tree, std::span<const std::string> names, Format format) {
  TreeWriter writer(format);
  writer.node(0, false, "blocks", R"("kind":"blocks")");
  int depth = 1;
  for (const Mark& mark : tree.marks) {
    std::string caption;
    std::string fields;
    if (mark.kind == MarkKind::close) {
      --depth;
    } else if (mark.opens()) {
      const std::string_view kind = mark.kind == MarkKind::open_while ? "while" : "repeat";
      put(caption, kind, ' ', mark.number);
      put(fields, R"("kind":")", kind, R"(","loop":)", mark.number);
      writer.node(depth++, false, caption, fields);
    } else {
      put(fields, R"("kind":"simple","block":)", mark.number, R"(,"name":)", json_quoted(names[mark.number]));
      writer.node(depth, true, names[mark.number], fields);
    }
  }
  return writer.finish();
}

}  // namespace breakstep::inline BREAKSTEP_ABI::fsm
