import LogGenerator

#if os(Linux)
  import Foundation
  import Testing

  /// Completion as users see it: a test types a line in the real shell, presses Tab, and checks what the
  /// shell would run.
  @Suite struct ShellCompletionTests {
    @Test(.enabled(if: builtTool != nil && isInstalled("bash"), "needs bash")) func bashCompletes()
      throws
    {
      try complete(in: "bash", and: ["replay why --format=json od": "odd.evlog"])
    }

    @Test(.enabled(if: builtTool != nil && isInstalled("zsh"), "needs zsh")) func zshCompletes() throws {
      try complete(in: "zsh")
    }

    @Test(.enabled(if: builtTool != nil && isInstalled("fish"), "needs fish")) func fishCompletes()
      throws
    {
      try complete(in: "fish", and: ["replay why --format=json od": "odd.evlog"])
    }

    /// - Parameter more: Cases that the argument parser does not handle in every shell.
    private func complete(in name: String, and more: KeyValuePairs<String, String> = [:]) throws {
      let workspace = try Workspace()
      _ = try workspace.log(Self.odd, "odd.evlog")
      _ = try workspace.log(Self.odd, "my own.evlog")
      let shell = try Shell(name, in: workspace)
      for (line, word) in Array(Self.lines) + Array(more) {
        #expect(try shell.lastWord(of: line) == word, "\(name): \(line)")
      }
      // Names that are shell commands or contain special characters: none of them may run.
      _ = try shell.lastWord(of: "replay why odd.evlog ")
      _ = try shell.lastWord(of: "replay why odd.evlog '")
      _ = try shell.lastWord(of: "replay state odd.evlog ")
      #expect(!workspace.files.contains("ran"))
    }

    private static let lines: KeyValuePairs = [
      "replay tim": "timeline",
      "replay why odd.evlog Row --st": "--stack",
      "replay why odd.evlog Row --format j": "json",
      "replay lint odd.evlog --rule hot": "hot-parent",
      "replay why my": "my own.evlog",
      #"replay why my\ own.evlog Li"#: "List of things",
      "replay why 'my own.evlog' Li": "List of things",
      "replay why ~/odd.evlog Li": "List of things",
      "replay why odd.evlog 'Li": "List of things",
      #"replay why odd.evlog It\'"#: "It's",
      "replay why odd.evlog Quo": "Quo\"ted",
      "replay why odd.evlog a:": "a:b",
      "replay why odd.evlog 'a:": "a:b",
      "replay why odd.evlog br": "brackets[{a,b}]*?;&|(x)",
      "replay why odd.evlog na": "naïve 名",
      "replay timeline odd.evlog --projection Li": "List of things",
      "replay timeline odd.evlog --path store.by'[\"a": "store.by[\"a:b\"]",
      #"replay state odd.evlog store.by\[\"two"#: "store.by[\"two words\"]",
      "replay state odd.evlog 'store.by[\"two": "store.by[\"two words\"]",
      "replay state odd.evlog 'store.by[\"a:": "store.by[\"a:b\"]",
      "replay why odd.evlog Row --at mark:h": "mark:half way",
      "replay timeline odd.evlog --from 'mark:half w": "mark:half way",
    ]

    private static let odd = #"""
      {"kind":"set","path":"store","value":{"isLoading":false}}
      {"kind":"set","path":"store.by","value":{}}
      {"kind":"set","path":"store.by[\"two words\"]","value":1}
      {"kind":"set","path":"store.by[\"a:b\"]","value":1}
      {"kind":"set","path":"store.by[\"$(touch ran)\"]","value":1}
      {"kind":"projection","projection":"Row#7"}
      {"kind":"projection","projection":"List of things"}
      {"kind":"projection","projection":"It's"}
      {"kind":"projection","projection":"Quo\"ted"}
      {"kind":"projection","projection":"a:b"}
      {"kind":"projection","projection":"-stack"}
      {"kind":"projection","projection":"brackets[{a,b}]*?;&|(x)"}
      {"kind":"projection","projection":"naïve 名"}
      {"kind":"projection","projection":"$(touch ran)"}
      {"kind":"projection","projection":"'$(touch ran)'"}
      {"kind":"projection","projection":"`touch ran`"}
      {"kind":"projection","projection":"; touch ran"}
      {"kind":"mark","label":"half way"}

      """#
  }
#endif
