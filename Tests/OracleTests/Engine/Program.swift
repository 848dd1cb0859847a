import EventLog

/// A use of a session, as data, so that it can be played twice, printed, and shrunk.
struct Program: Sendable {
  enum Field: Int { case x, y, flag }

  struct Item: Equatable, Identifiable, Codable, Sendable {
    var id: Int
    var n: Int
  }

  /// A number that can be read. There are two cells; the first holds rows and a reference.
  enum Source: Hashable {
    case field(Int, Field)
    case count
    case element(Int)
    case byID(Int)
    case rows
    case next
    case derived(Int)
    case knot(KnotRead)
  }

  enum Edit: Sendable {
    case set(Int, Field, Int)
    case append(Item)
    case remove(Int)
    case setElement(Int, Int)
    case setByID(Int, Int)
    case swap(Int, Int)
    case replace([Item])
    case point(Int?)
    case knot(KnotEdit)
  }

  indirect enum Action: Sendable {
    case edit(Edit)
    case transaction([Action])
    case subscribe(Int)
    case cancel(Int)
    case pull(Int)
    case flush
    case advance(Int)
    /// Attaches the second cell, if it is not attached.
    case attach
  }

  indirect enum Op: Sendable {
    case read(Source)
    /// Reads without depending on it.
    case untracked(Source)
    /// Reads, and performs the operations if the value was odd.
    case when(Source, [Op])
    case child(Child)
    /// One child for each row.
    case each(Child)
    /// One child for each element of the object that a way leads to; the child reads its element too.
    case eachKnot(Way, Child)
    /// A body that ends a subscription, which may be its own.
    case end(Int)
    /// A body that writes, of a projection.
    case write(Edit)
    /// Throws if the value is odd, in a derived value; reads of other throwing values throw there too.
    case fail(Source)

    /// Whether it throws, or something in it does.
    var mayFail: Bool {
      switch self {
      case .fail: true
      case .when(_, let ops): ops.contains { $0.mayFail }
      default: false
      }
    }
  }

  /// The error that a derived value throws.
  struct Failure: Error, Equatable { var code: Int }

  struct Child: Sendable {
    var name: Int
    /// In a child that is made for a row, the row's number takes its place.
    var input: Source?
    var tracking: Tracking?
    var ops: [Op]
    var appear: [Action] = []
  }

  enum Pace: Equatable {
    case none
    case throttled(Int)
    case debounced(Int)
  }

  enum Node: Sendable {
    case derived([Op])
    case projection(Tracking, [Op])
    case change(Source, Pace, [Action])
    case receive(Source, [Action])
  }

  enum Delivery: Equatable {
    case immediate
    case manual
    case every(Int)
  }

  var delivery = Delivery.immediate
  /// Whether the second cell is not attached when the program begins.
  var attachesLate = false
  /// Whether released objects leave the state as soon as possible. Then no node reads an object in a hand,
  /// because it would be out of date when the object leaves the state.
  var forgetsSoon = false
  /// The subscriptions, each made at most once; a derived value reads only those before it.
  var nodes: [Node] = []
  var steps: [Action] = []
}

extension Program: CustomStringConvertible {
  var description: String {
    (["delivery \(delivery)"] + nodes.enumerated().map { "node \($0): \($1)" }
      + steps.enumerated().map { "step \($0): \($1)" })
      .map { $0.replacing("OracleTests.Program.", with: "").replacing("Projection.", with: "") }
      .joined(separator: "\n")
  }
}
