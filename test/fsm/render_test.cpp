// The output formats: JSON is read back, the others are compared as they are.
#include "breakstep/fsm/render.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "breakstep/error.hpp"
#include "breakstep/fsm/paper.hpp"
#include "breakstep/fsm/text.hpp"

namespace breakstep::fsm {
namespace {

using Json = nlohmann::json;

std::string final_stage(const std::string& text, Format format) {
  return render(graph_of(text), block_names(parse(text), text), format);
}

TEST(Render, JsonOfTheRunningExample) {
  const Json expected = Json::parse(R"({
    "states": [
      {"id": 0, "name": "op1", "block": 0, "empty": false},
      {"id": 1, "name": "op1", "block": 1, "empty": false},
      {"id": 2, "name": "op1", "block": 2, "empty": false},
      {"id": 3, "name": "T2", "block": null, "empty": true}],
    "edges": [
      {"from": 0, "to": 1, "labels": ["E2"]},
      {"from": 0, "to": 3, "labels": ["S2"]},
      {"from": 1, "to": 1, "labels": ["S1", "C2"]},
      {"from": 1, "to": 2, "labels": ["E1"]},
      {"from": 1, "to": 3, "labels": ["S1", "F2"]},
      {"from": 2, "to": 1, "labels": ["F1", "C2"]},
      {"from": 2, "to": 2, "labels": ["C1"]},
      {"from": 2, "to": 3, "labels": ["F1", "F2"]}],
    "initial": 0, "final": 3, "may_never_halt": false})");
  EXPECT_EQ(Json::parse(final_stage("op1W{op1W{op1}}", Format::json)), expected);
}

TEST(Render, JsonKeepsItsLayout) {
  EXPECT_EQ(final_stage("op1 op2", Format::json),
            "{\"states\":[\n"
            "{\"id\":0,\"name\":\"op1op2\",\"block\":0,\"empty\":false}],\n"
            "\"edges\":[],\n"
            "\"initial\":0,\"final\":0,\"may_never_halt\":false}\n");
}

TEST(Render, JsonSaysThatAProgramMayNeverHalt) {
  EXPECT_TRUE(Json::parse(final_stage("op1W{W{op1}}", Format::json))["may_never_halt"]);
}

TEST(Render, JsonOfTrees) {
  const std::string text = "op1R{op2}";
  EXPECT_EQ(Json::parse(render(parse(text), text, Format::json)), Json::parse(R"(
    {"symbol": "Bs", "children": [
      {"symbol": "Bs", "children": [{"symbol": "B", "children": [
        {"symbol": "SB", "children": [{"symbol": "op", "text": "op1"}]}]}]},
      {"symbol": "B", "children": [{"symbol": "RB", "children": [
        {"symbol": "word", "text": "R"}, {"symbol": "word", "text": "{"},
        {"symbol": "Bs", "children": [{"symbol": "B", "children": [
          {"symbol": "SB", "children": [{"symbol": "op", "text": "op2"}]}]}]},
        {"symbol": "word", "text": "}"}]}]}]})"));
  EXPECT_EQ(Json::parse(render(coarsen(parse(text)), block_names(parse(text), text), Format::json)), Json::parse(R"(
    {"kind": "blocks", "children": [
      {"kind": "simple", "block": 0, "name": "op1"},
      {"kind": "repeat", "loop": 1, "children": [{"kind": "simple", "block": 1, "name": "op2"}]}]})"));
}

TEST(Render, JsonSurvivesStrangeNames) {
  const std::vector<std::string> names{"a \"b\" \\ \n \x01 \xc3\xa9"};
  EXPECT_EQ(Json::parse(render(graph_of("op1"), names, Format::json))["states"][0]["name"], names[0]);
}

TEST(Render, TextListsStatesAndEdges) {
  EXPECT_EQ(final_stage("W{op1}", Format::text),
            "3 states\n"
            "  0   I1           empty initial\n"
            "  1   op1\n"
            "  2   T1           empty final\n"
            "4 edges\n"
            "  0 I1         -> 1 op1        E1\n"
            "  0 I1         -> 2 T1         S1\n"
            "  1 op1        -> 1 op1        C1\n"
            "  1 op1        -> 2 T1         F1\n");
}

TEST(Render, TextWarnsOfAProgramThatMayNeverHalt) {
  const std::string text = final_stage("op1W{W{op1}}", Format::text);
  EXPECT_TRUE(text.ends_with("may never halt: a loop can go round for ever without running a block\n")) << text;
}

TEST(Render, MermaidIsAFlowchart) {
  EXPECT_EQ(final_stage("op1W{op2}", Format::mermaid),
            "flowchart LR\n"
            "  s0((\"op1\"))\n"
            "  s1((\"op2\"))\n"
            "  s2(((\"T1\")))\n"
            "  start[\" \"] --> s0\n"
            "  style start fill:none,stroke:none\n"
            "  s0 -->|\"E1\"| s1\n"
            "  s0 -->|\"S1\"| s2\n"
            "  s1 -->|\"C1\"| s1\n"
            "  s1 -->|\"F1\"| s2\n");
  const std::string text = "op1";
  EXPECT_EQ(render(coarsen(parse(text)), block_names(parse(text), text), Format::mermaid),
            "flowchart TD\n"
            "  n0([\"blocks\"])\n"
            "  n1[\"op1\"]\n"
            "  n0 --- n1\n");
}

TEST(Render, MermaidWritesSpecialCharactersAsNumbers) {
  const std::vector<std::string> names{"a\"b{c}"};
  EXPECT_NE(render(graph_of("op1"), names, Format::mermaid).find("\"a#34;b#123;c#125;\""), std::string::npos);
}

TEST(Render, PicturesShortenLongNames) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "op1";
  EXPECT_NE(final_stage(text, Format::dot).find("\"op1op1op1op1op1op1op1...\""), std::string::npos);
  EXPECT_EQ(Json::parse(final_stage(text, Format::json))["states"][0]["name"], text);
}

TEST(Render, DotMarksInitialFinalEmptyAndEndlessStates) {
  const std::string dot = final_stage("op1W{W{op1}}", Format::dot);
  EXPECT_NE(dot.find("start -> s0;"), std::string::npos);
  EXPECT_NE(dot.find("s3 [label=\"T2\", peripheries=2, width=0.32"), std::string::npos) << dot;
  EXPECT_NE(dot.find("s2 [label=\"T1\", width=0.32, height=0.32, fontsize=10, style=filled, fillcolor=gray92, "
                     "color=firebrick];"),
            std::string::npos)
      << dot;
  EXPECT_NE(dot.find("label=\"may never halt\""), std::string::npos);
  EXPECT_NE(dot.find("s0 [label=\"op1\\n0\"];"), std::string::npos)
      << "equal names are told apart by the state's number";
}

TEST(Render, SvgComesFromGraphviz) {
  const std::vector<std::string> names{"init", "shrink", "done"};
  const std::string dot = render(graph_of("op1W{op2}op3"), names, Format::dot);
  const std::string svg = draw_svg(dot);
  EXPECT_EQ(svg.find("<?xml"), 0U);
  EXPECT_NE(svg.find(">shrink</text>"), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
}

TEST(Render, SvgFailureIsAnError) {
  try {
    draw_svg("this is not dot");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("cannot draw the SVG (dot said: Error: <stdin>: syntax error in line 1"),
              0U)
        << error.what();
  }
}

}  // namespace
}  // namespace breakstep::fsm
