extension BlockTables {
  /// Reads the path table, and from the values the ids in it.
  mutating func readPaths(_ columns: inout BlockColumns, _ values: inout ValueReader) throws(DecodeFault) {
    var kinds = columns.take(.pathKinds)
    var parents = columns.take(.pathParents)
    var operands = columns.take(.pathOperands)
    guard kinds.remaining <= LogFormat.itemsMax else {
      throw kinds.fault("the block holds over \(LogFormat.itemsMax) paths")
    }
    steps.reserveCapacity(min(kinds.remaining, 1 << 14))
    var lastIndex: Int64 = 0
    while !kinds.isAtEnd {
      let kind = try kinds.byte()
      let isRoot = kind == PathCode.namedRoot || kind == PathCode.objectRoot
      let parent = isRoot ? -1 : try Self.parent(of: steps.count, &parents)
      let operand: UInt64
      switch kind {
      case PathCode.namedRoot, PathCode.property, PathCode.key:
        operand = UInt64(try operands.varint(below: stringCount, "a name in a path"))
      case PathCode.objectRoot: operand = try operands.object().number
      case PathCode.index:
        let start = operands.position
        lastIndex &+= try operands.zigzag()
        guard lastIndex >= 0, Int(exactly: lastIndex) != nil else {
          throw DecodeFault(reason: "a path has the index \(lastIndex)", offset: start)
        }
        operand = UInt64(bitPattern: lastIndex)
      case PathCode.id:
        operand = UInt64(ids.count)
        ids.append(try values.nextID())
      case PathCode.count, PathCode.order, PathCode.exists: operand = 0
      default:
        throw parents.fault("a path has a step of kind \(kind), which a newer version must have made")
      }
      let depth = isRoot ? 0 : Int(steps[parent].depth) + 1
      guard depth <= Path.maximumDepth else {
        throw parents.fault("a path is over \(Path.maximumDepth) components deep")
      }
      try values.spend(depth + 1)
      steps.append(Step(parent: Int32(parent), kind: kind, depth: UInt8(depth), operand: operand))
    }
    try parents.expectEnd("column pathParents")
    try operands.expectEnd("column pathOperands")
  }

  private static func parent(of id: Int, _ parents: inout ByteReader) throws(DecodeFault) -> Int {
    let code = try parents.varint(below: id + 1, "the parent of a path")
    let parent = code == 0 ? id - 1 : code - 1
    guard parent >= 0 else { throw parents.fault("path \(id) has no parent") }
    return parent
  }
}
