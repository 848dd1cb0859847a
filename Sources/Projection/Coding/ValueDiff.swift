import EventLog

/// Finds the edits that turn one recorded value into another, as small as a person would describe them.
///
/// Cost: linear in the size of the two values.
enum ValueDiff {
  /// The edits from `old` to `new`; none if they are equal.
  ///
  /// - Parameters:
  ///   - prefersEdits: Whether a string was edited in place. Then it becomes a splice if any part of it
  ///     stays; otherwise only if a large part does.
  ///   - isDictionary: Whether maps are dictionaries, whose entries are named by key, rather than structs.
  static func edits(
    from old: Value, to new: Value, prefersEdits: Bool, isDictionary: Bool = false
  ) -> [Edit] {
    switch (old, new) {
    case (.string(let a), .string(let b)):
      if old == new { return [] }
      return [stringEdit(from: a, to: b, prefersEdits: prefersEdits)]
    case (.array(let a), .array(let b)):
      return arrayEdits(from: a, to: b)
    case (.map(let a), .map(let b)):
      return mapEdits(from: a, to: b, isDictionary)
    default:
      return old == new ? [] : [Edit(kind: .set(new))]
    }
  }

  /// Whether the change of a text is recorded as an edit rather than a set.
  static func isEdit(from old: Value, to new: Value, prefersEdits: Bool) -> Bool {
    guard case .string(let old) = old, case .string(let new) = new else { return false }
    let (prefix, suffix) = commonEnds(old, new)
    return isWorthwhile(prefix + suffix, of: new, prefersEdits)
  }

  /// Whether keeping some bytes of a text is better than setting all of it.
  private static func isWorthwhile(_ kept: Int, of new: String, _ prefersEdits: Bool) -> Bool {
    prefersEdits ? kept > 0 : kept >= 16 && kept * 2 > new.utf8.count
  }

  /// A splice if the string keeps its beginning or end, otherwise a set. Offsets are moved to boundaries of
  /// Unicode scalars.
  private static func stringEdit(from old: String, to new: String, prefersEdits: Bool) -> Edit {
    let (prefix, suffix) = commonEnds(old, new)
    let kept = prefix + suffix
    guard isWorthwhile(kept, of: new, prefersEdits) else { return Edit(kind: .set(.string(new))) }
    let inserted = new.utf8.dropFirst(prefix).dropLast(suffix)
    return Edit(
      kind: .splice(
        offset: prefix, delete: old.utf8.count - kept, insert: .string(String(Substring(inserted)))))
  }

  private static func commonEnds(_ old: String, _ new: String) -> (prefix: Int, suffix: Int) {
    var old = old
    var new = new
    return old.withUTF8 { a in
      new.withUTF8 { b in
        let limit = min(a.count, b.count)
        var prefix = a.commonPrefixCount(with: b, limit: limit)
        // Bytes of the form 10xxxxxx continue a scalar, so a cut must not come before one.
        while prefix > 0, isContinuation(a, prefix) || isContinuation(b, prefix) { prefix -= 1 }
        var suffix = a.commonSuffixCount(with: b, limit: limit - prefix)
        while suffix > 0, isContinuation(a, a.count - suffix) { suffix -= 1 }
        return (prefix, suffix)
      }
    }
  }

  private static func isContinuation(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    index < bytes.count && bytes[index] & 0xC0 == 0x80
  }

  private static func mapEdits(
    from old: NamedValues<Value>, to new: NamedValues<Value>,
    _ isDictionary: Bool
  ) -> [Edit] {
    func component(_ name: String) -> PathComponent { isDictionary ? .key(name) : .member(name) }
    var edits: [Edit] = []
    if isDictionary {
      let different = new.count { old[$0.key] != $0.value } + old.keys.count { new[$0] == nil }
      if Edit.isWhole(different, of: new.count) { return [Edit(kind: .set(.map(new)))] }
    }
    if new.hasSameNames(as: old) {
      // The most common case, which needs no hash.
      for position in new.indices where old.values[position] != new.values[position] {
        let parts = self.edits(from: old.values[position], to: new.values[position], prefersEdits: false)
        edits += parts.map { $0.within(component(new.keys[position])) }
      }
      return edits
    }
    for key in old.keys where new[key] == nil {
      edits.append(Edit(components: [component(key)], kind: .remove))
    }
    for (key, value) in new {
      if let before = old[key] {
        let parts = self.edits(from: before, to: value, prefersEdits: false)
        edits += parts.map { $0.within(component(key)) }
      } else {
        edits.append(Edit(components: [component(key)], kind: .set(value)))
      }
    }
    return edits
  }

  /// Matches elements by id if they have one, otherwise by value, from both ends inwards. The elements left
  /// between become one splice, or edits in place if their number is unchanged.
  static func arrayEdits(from old: [Value], to new: [Value]) -> [Edit] {
    let limit = min(old.count, new.count)
    var prefix = 0
    while prefix < limit, isMatch(old[prefix], new[prefix]) { prefix += 1 }
    var suffix = 0
    while suffix < limit - prefix, isMatch(old[old.count - 1 - suffix], new[new.count - 1 - suffix]) {
      suffix += 1
    }
    let shift = new.count - old.count
    let removed = prefix..<(old.count - suffix)
    let inserted = prefix..<(new.count - suffix)
    func inPlace(_ indices: some Collection<Int>, _ shift: Int) -> [Edit] {
      let changed = indices.filter { old[$0 - shift] != new[$0] }
      return Edit.inPlace(at: changed, to: changed.map { new[$0] }) { old[$0 - shift] }
    }
    if removed.count == inserted.count, !new[inserted].contains(where: { identity(of: $0) != nil }) {
      return inPlace(new.indices, 0)
    }
    return inPlace(0..<prefix, 0) + [.splice(removed, Array(new[inserted]))]
      + inPlace(inserted.upperBound..<new.count, shift)
  }

  static func elementEdits(_ old: Value, _ new: Value, at index: Int) -> [Edit] {
    edits(from: old, to: new, prefersEdits: false).map { $0.within(.index(index)) }
  }

  static func isMatch(_ old: Value, _ new: Value) -> Bool {
    if let id = identity(of: new) { return id == identity(of: old) }
    return old == new
  }

  /// Whether an element counts as an edited version of another: it has the same identity, or none.
  static func keepsIdentity(from old: Value, to new: Value) -> Bool {
    identity(of: new).map { $0 == identity(of: old) } ?? true
  }

  /// The identity of an element: its id, or the object it refers to.
  static func identity(of element: Value) -> Value? {
    switch element {
    case .map(let fields): fields["id"]
    case .reference: element
    case .object(let definition): .reference(definition.id)
    default: nil
    }
  }
}
