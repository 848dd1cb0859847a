import EventLog

/// A value that is still being encoded: containers handed out earlier may add to it until the end.
final class ValueNode {
  private enum Content {
    case empty
    case value(Value)
    case keyed(NamedValues<ValueNode>)
    case unkeyed([ValueNode])
  }

  private var content = Content.empty

  init() {}

  private init(_ value: Value) { content = .value(value) }

  /// What was encoded; an empty map when nothing was. Cost: linear in its size, and as deep in recursion.
  var value: Value {
    switch content {
    case .empty: .map([:])
    case .value(let value): value
    case .keyed(let nodes): .map(nodes.mapValues(\.value))
    case .unkeyed(let nodes): .array(nodes.map(\.value))
    }
  }

  var count: Int {
    if case .unkeyed(let nodes) = content { nodes.count } else { 0 }
  }

  /// The first container of a kind decides; a value that asks for two kinds loses the first, not the app.
  func becomeKeyed() {
    if case .keyed = content { return }
    content = .keyed([:])
  }

  func becomeUnkeyed() {
    if case .unkeyed = content { return }
    content = .unkeyed([])
  }

  func set(_ value: Value) { content = .value(value) }

  func set(_ value: Value, forKey key: String) { set(ValueNode(value), forKey: key) }

  func set(_ node: ValueNode, forKey key: String) {
    becomeKeyed()
    guard case .keyed(var nodes) = content else { return }
    content = .empty
    nodes[key] = node
    content = .keyed(nodes)
  }

  func append(_ value: Value) { append(ValueNode(value)) }

  func append(_ node: ValueNode) {
    becomeUnkeyed()
    guard case .unkeyed(var nodes) = content else { return }
    // One owner while it grows, or each append copies.
    content = .empty
    nodes.append(node)
    content = .unkeyed(nodes)
  }
}
