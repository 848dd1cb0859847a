import EventLog
import Invalidation

/// The nodes of a session by their ids in the core, and their names.
struct NodeRegistry {
  private var nodes: [Node?] = []
  private(set) var count = 0
  private(set) var names = InstanceNames()

  var isEmpty: Bool { count == 0 }

  /// The node with an id; nil if there is none.
  subscript(id: NodeID) -> Node? {
    @inline(__always) get { id.index < nodes.count ? nodes[Int(id.index)] : nil }
  }

  /// All nodes, in no order.
  var all: [Node] { nodes.compactMap(\.self) }

  /// The name that a node is to have: `Row#42`. A child without an id takes its parent's, so that each row's label has a
  /// name of its own.
  static func wantedName(_ name: String, id: AnyHashable?, parent: Node?) -> String {
    var instance = id.map { String(describing: $0.base) }
    if instance == nil, let parentName = parent?.name, let mark = parentName.utf8.firstIndex(of: 0x23) {
      instance = String(parentName[parentName.utf8.index(after: mark)...])
    }
    return instance.map { "\(name)#\($0)" } ?? name
  }

  /// The name that is wanted for a new node if no other has it, else the same with a number.
  mutating func claimName(_ wanted: String) -> String { names.claim(wanted) }

  /// Adds a node that has a name from ``claimName(_:)``.
  mutating func add(_ node: Node) {
    while node.id.index >= nodes.count { nodes.append(nil) }
    nodes[Int(node.id.index)] = node
    count += 1
  }

  /// Removes a node, and makes its name available to others; does nothing if all have been removed.
  mutating func remove(_ node: Node) {
    guard self[node.id] === node else { return }
    nodes[Int(node.id.index)] = nil
    count -= 1
    names.free(node.name)
  }

  /// Removes all nodes.
  mutating func removeAll() { (nodes, count) = ([], 0) }
}

/// The names of the nodes that are alive, each of which only one has.
struct InstanceNames {
  private var living: Set<ExactString> = []
  /// For each name that several nodes wanted, the lowest number that may be free: `Row#2`, `Row#3`.
  private var nextNumbers: [ExactString: Int] = [:]

  var count: Int { living.count }
  var isEmpty: Bool { living.isEmpty }

  /// The name that is wanted if it is free, else the same with a number.
  mutating func claim(_ wanted: String) -> String {
    if living.insert(wanted) { return wanted }
    let name = numbered(wanted)
    living.insert(name)
    return name
  }

  private mutating func numbered(_ wanted: String) -> String {
    // All numbers below are taken: trying each again would make n nodes of one name cost n squared.
    var number = nextNumbers[wanted] ?? 2
    while living.contains("\(wanted)#\(number)") { number += 1 }
    nextNumbers[wanted] = number + 1
    return "\(wanted)#\(number)"
  }

  /// Makes a name available to other nodes.
  mutating func free(_ name: String) {
    living.remove(name)
    guard !nextNumbers.isEmpty, let mark = name.utf8.lastIndex(of: 0x23),
      let number = Int(name[name.utf8.index(after: mark)...]), number >= 2,
      let next = nextNumbers[String(name[..<mark])]
    else { return }
    nextNumbers[String(name[..<mark])] = min(number, next)
  }
}
