import Testing

/// A session on several strands, and what it invalidates: the line that completes the change, the projection, the lines that
/// changed what it reads, and the first line and the length of the cause chain.
struct StrandSession: CustomTestStringConvertible {
  var testDescription: String
  var text: String
  var invalidated: [String]

  init(_ description: String, _ text: String, _ invalidated: String...) {
    testDescription = description
    self.text = Self.start + text
    self.invalidated = invalidated
  }

  private static let start = """
    {"kind":"set","path":"store","value":{"$object":"#1","n":1,"title":"a"}}
    {"kind":"reads","projection":"A","paths":["store.n"]}
    {"kind":"reads","projection":"B","paths":["store.title"]}

    """

  static let sessions: [StrandSession] = [
    StrandSession(
      "another strand's write while a transaction is open invalidates at once",
      """
      {"kind":"begin","strand":2}
      {"kind":"set","path":"store.n","value":2,"strand":2}
      {"kind":"set","path":"store.title","value":"b","strand":3}
      {"kind":"set","path":"store.title","value":"c"}
      {"kind":"end","strand":2}
      """,
      "6 B [6], 6 + 0", "7 B [7], 7 + 0", "8 A [5], 8 + 0"),
    StrandSession(
      "a value that its own strand puts back, while another changed it meanwhile",
      """
      {"kind":"begin","strand":2}
      {"kind":"set","path":"store.n","value":2,"strand":2}
      {"kind":"set","path":"store.n","value":3,"strand":3}
      {"kind":"set","path":"store.n","value":1,"strand":2}
      {"kind":"end","strand":2}
      """,
      "6 A [6], 6 + 0", "8 A [5, 7], 8 + 0"),
    StrandSession(
      "a value that its own strand puts back, after a run that saw what another wrote",
      """
      {"kind":"begin","strand":2}
      {"kind":"set","path":"store.n","value":2,"strand":2}
      {"kind":"set","path":"store.n","value":3,"strand":3}
      {"kind":"evaluate","projection":"A","duration_ns":0,"strand":3}
      {"kind":"set","path":"store.n","value":1,"strand":2}
      {"kind":"end","strand":2}
      """,
      "6 A [6], 6 + 0", "9 A [8], 9 + 0"),
    StrandSession(
      "a run on another strand has seen what an open transaction wrote",
      """
      {"kind":"begin","strand":2}
      {"kind":"set","path":"store.n","value":2,"strand":2}
      {"kind":"evaluate","projection":"A","duration_ns":0}
      {"kind":"end","strand":2}
      """),
    StrandSession(
      "two overlapping transactions that write one slot",
      """
      {"kind":"begin","strand":2}
      {"kind":"begin","strand":3}
      {"kind":"set","path":"store.n","value":2,"strand":2}
      {"kind":"set","path":"store.n","value":3,"strand":3}
      {"kind":"end","strand":2}
      {"kind":"end","strand":3}
      """,
      "8 A [6], 8 + 0", "9 A [7], 9 + 0"),
    StrandSession(
      "a transaction whose slot another changed does not answer for that",
      """
      {"kind":"begin","strand":2}
      {"kind":"set","path":"store.title","value":"b","strand":2}
      {"kind":"set","path":"store.n","value":2}
      {"kind":"end","strand":2}
      """,
      "6 A [6], 6 + 0", "7 B [5], 7 + 0"),
    StrandSession(
      "the session's transaction around one of a strand that outlives it",
      """
      {"kind":"begin","strand":1}
      {"kind":"begin","strand":2}
      {"kind":"set","path":"store.n","value":2,"strand":2}
      {"kind":"end","strand":1}
      {"kind":"set","path":"store.n","value":3,"strand":2}
      {"kind":"set","path":"store.title","value":"b"}
      {"kind":"end","strand":2}
      """,
      "7 A [6], 7 + 0", "9 B [9], 9 + 0", "10 A [8], 10 + 0"),
    StrandSession(
      "a transaction that ends within the session's is part of it",
      """
      {"kind":"begin","strand":1}
      {"kind":"begin","strand":2}
      {"kind":"set","path":"store.n","value":2,"strand":2}
      {"kind":"end","strand":2}
      {"kind":"set","path":"store.title","value":"b","strand":3}
      {"kind":"end","strand":1}
      """,
      "9 A [6], 9 + 0", "9 B [8], 9 + 0"),
    StrandSession(
      "a transaction that was open before the session's stays by itself",
      """
      {"kind":"begin","strand":2}
      {"kind":"begin","strand":1}
      {"kind":"set","path":"store.n","value":2,"strand":2}
      {"kind":"set","path":"store.title","value":"b"}
      {"kind":"end","strand":1}
      {"kind":"end","strand":2}
      """,
      "8 B [7], 8 + 0", "9 A [6], 9 + 0"),
    StrandSession(
      "an end on a strand without open transactions closes one of strand 0",
      """
      {"kind":"begin"}
      {"kind":"begin","strand":3}
      {"kind":"set","path":"store.n","value":2}
      {"kind":"end","strand":2}
      {"kind":"end","strand":3}
      """,
      "7 A [6], 7 + 0"),
    StrandSession(
      "the end of what a session collected belongs to no action, and each run to that of its last write",
      """
      {"kind":"mark","label":"tap"}
      {"kind":"mark","label":"reply"}
      {"kind":"begin","strand":1}
      {"kind":"set","path":"store.n","value":2,"cause":4}
      {"kind":"set","path":"store.n","value":3,"cause":5}
      {"kind":"set","path":"store.title","value":"b"}
      {"kind":"end","strand":1}
      """,
      "10 A [7, 8], 5 + 1", "10 B [9], 10 + 0"),
    StrandSession(
      "an end that has a cause passes it on to all runs",
      """
      {"kind":"mark","label":"tap"}
      {"kind":"mark","label":"reply"}
      {"kind":"begin","strand":2}
      {"kind":"set","path":"store.n","value":2,"cause":4,"strand":2}
      {"kind":"end","cause":5,"strand":2}
      """,
      "8 A [7], 5 + 1"),
  ]
}
