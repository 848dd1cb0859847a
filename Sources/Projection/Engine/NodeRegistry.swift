import EventLog
import Invalidation

/// The nodes of a session by their ids in the core, and the names in use.
struct NodeRegistry {
  private var nodes: [Node?] = []
  private(set) var count = 0
  private(set) var names = InstanceNames()

  var isEmpty: Bool { count == 0 }

  /// The node with an id; nil if there is none.
  subscript(id: NodeID) -> Node? {
    @inline(__always) get { id.index < nodes.count ? nodes[Int(id.index)] : nil }
  }

  /// All nodes, in no particular order.
  var all: [Node] { nodes.compactMap(\.self) }

  /// The preferred name of a node: `Row#42`. A child without an id takes its parent's id, so that the labels
  /// of different rows have different names.
  static func wantedName(_ name: String, id: AnyHashable?, parent: Node?) -> String {
    var instance = id.map { String(describing: $0.base) }
    if instance == nil, let parentName = parent?.name, let mark = parentName.utf8.firstIndex(of: 0x23) {
      instance = String(parentName[parentName.utf8.index(after: mark)...])
    }
    return (instance.map { "\(name)#\($0)" } ?? name).asName
  }

  /// The preferred name if no other node has it, otherwise the same with a number.
  mutating func claimName(_ wanted: String) -> String { names.claim(wanted) }

  /// Adds a node whose name is from ``claimName(_:)``.
  mutating func add(_ node: Node) {
    while node.id.index >= nodes.count { nodes.append(nil) }
    nodes[Int(node.id.index)] = node
    count += 1
  }

  /// Removes a node, and makes its name available again. Does nothing if all nodes have been removed.
  mutating func remove(_ node: Node) {
    guard self[node.id] === node else { return }
    nodes[Int(node.id.index)] = nil
    count -= 1
    names.free(node.name)
  }

  /// Removes all nodes.
  mutating func removeAll() { (nodes, count) = ([], 0) }
}

/// The names of the living nodes, which are unique.
struct InstanceNames {
  private var living: Set<ExactString> = []
  /// For each name that several nodes wanted, the lowest number that may be free: `Row#2`, `Row#3`.
  private var nextNumbers: [ExactString: Int] = [:]

  var count: Int { living.count }
  var isEmpty: Bool { living.isEmpty }

  /// The preferred name if it is free, otherwise the same with a number.
  mutating func claim(_ wanted: String) -> String {
    if living.insert(wanted) { return wanted }
    let name = numbered(wanted)
    living.insert(name)
    return name
  }

  private mutating func numbered(_ wanted: String) -> String {
    // All lower numbers are taken. Trying each of them again would take quadratic time for many nodes of one
    // name.
    var number = nextNumbers[wanted] ?? 2
    while living.contains("\(wanted)#\(number)") { number += 1 }
    nextNumbers[wanted] = number + 1
    return "\(wanted)#\(number)"
  }

  /// Makes a name available again.
  mutating func free(_ name: String) {
    living.remove(name)
    guard !nextNumbers.isEmpty, let mark = name.utf8.lastIndex(of: 0x23),
      let number = Int(name[name.utf8.index(after: mark)...]), number >= 2,
      let next = nextNumbers[String(name[..<mark])]
    else { return }
    nextNumbers[String(name[..<mark])] = min(number, next)
  }
}
