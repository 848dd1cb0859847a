import LogGenerator
import Testing

@testable import ReplayTool

/// Cascades that later events may still join.
@Suite struct OpenCascadeTests {
  private func tree(_ more: String) throws -> String {
    let workspace = try Workspace()
    let run = ToolRun("cascades", try workspace.log(family + more))
    return run.lines.dropFirst(2).joined(separator: "\n")
  }

  @Test func whoRanKeepsTheAncestorsThatItHadThen() throws {
    let below = "    Top  100 ns\n      Leaf  10 ns"
    #expect(try tree("") == below)
    #expect(try tree(#"{"kind":"dispose","projection":"Middle"}"# + "\n") == below)
  }

  @Test func aWriteThatJoinsALaterOneIsBelowItsCause() throws {
    let more = """
      {"kind":"set","path":"store.y","value":1,"cause":11}
      {"kind":"evaluate","projection":"Other","duration_ns":7,"changed":true,"cause":12}

      """
    #expect(
      try tree(more) == """
            Top  100 ns
              Leaf  10 ns
              set store.y
                Other  7 ns
        """)
  }
}

/// `Leaf`, which reads nothing, runs because `Top` does; `Middle`, between them, does not.
private let family = """
  {"kind":"set","path":"store","value":{"$object":"Store","x":0,"y":0}}
  {"kind":"projection","projection":"Top"}
  {"kind":"projection","projection":"Middle","parent":"Top"}
  {"kind":"projection","projection":"Leaf","parent":"Middle"}
  {"kind":"projection","projection":"Other"}
  {"kind":"reads","projection":"Top","paths":["store.x"]}
  {"kind":"reads","projection":"Other","paths":["store.y"]}
  {"kind":"evaluate","projection":"Top","duration_ns":100}
  {"kind":"set","path":"store.x","value":1}
  {"kind":"evaluate","projection":"Leaf","duration_ns":10,"changed":true,"cause":9}
  {"kind":"evaluate","projection":"Top","duration_ns":100,"changed":true,"cause":9}

  """
