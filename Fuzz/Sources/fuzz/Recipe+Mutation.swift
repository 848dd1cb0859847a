extension Recipe {
  /// A recipe like this one, changed in one or a few places.
  func mutated(limit: Int, seed: UInt32) -> Recipe {
    var random = FuzzRandom(seed: seed)
    var changed = self
    for _ in 0...random.below(3) { changed.change(limit: limit, &random) }
    return changed
  }

  /// A recipe like this one, with a part or some columns of another.
  func crossed(with other: Recipe, seed: UInt32) -> Recipe {
    var random = FuzzRandom(seed: seed)
    guard !parts.isEmpty, !other.parts.isEmpty else { return other }
    var crossed = self
    let index = random.below(parts.count)
    let part = other.parts[random.below(other.parts.count)]
    if random.below(3) > 0, crossed.parts[index].hasColumns, part.hasColumns {
      for column in part.columns where random.below(2) == 0 { crossed.parts[index].put(column) }
    } else if random.below(2) == 0 {
      crossed.parts[index] = part
    } else {
      crossed.parts.insert(part, at: index)
    }
    return crossed
  }

  private mutating func change(limit: Int, _ random: inout FuzzRandom) {
    guard !parts.isEmpty else {
      parts.append(Part(kind: 1, plain: Array("{}".utf8)))
      return
    }
    let index = random.below(parts.count)
    // Mostly one number, behind checksums that stay right.
    if random.below(3) > 0 { return parts[index].changeNumber(&random) }
    switch random.below(32) {
    case 0: parts.insert(parts[random.below(parts.count)], at: index)
    case 1: if parts.count > 1 { parts.remove(at: index) }
    case 2: parts.swapAt(index, random.below(parts.count))
    case 3: parts[index].flags = Flags(rawValue: parts[index].flags.rawValue ^ (1 << UInt8(random.below(8))))
    case 4: parts[index].number = UInt16(random.below(1 << (1 + random.below(16))))
    case 5: parts[index].kind = [1, 2, 128, 129, 3, 130, 200, 201, 202][random.below(9)]
    case 6: parts.append(Part(kind: Kind.seekTable))
    case 7:
      let instruction = (0...random.below(8)).map { _ in UInt8(random.below(256)) }
      parts.append(Part(kind: Kind.damage, number: UInt16(random.below(65536)), plain: instruction))
    default: parts[index].change(limit: limit, &random)
    }
  }
}

extension Recipe.Part {
  mutating func change(limit: Int, _ random: inout FuzzRandom) {
    guard hasColumns, !columns.isEmpty else {
      plain = fuzz.mutated(plain, limit: min(limit, plain.count + 64))
      return
    }
    let index = random.below(columns.count)
    switch random.below(24) {
    case 0: columns.remove(at: index)
    case 1: columns[index].repeats = UInt8(random.below(14))
    case 2: columns[index].repeats = 0
    case 3:
      let number = UInt8(1 + random.below(32))
      let place = columns.firstIndex { $0.number >= number } ?? columns.count
      columns.insert(RecipeColumn(number: number, content: [UInt8(random.below(256))]), at: place)
    case 4: columns[index].number = UInt8(random.below(40))
    case 5: columns.swapAt(index, random.below(columns.count))
    case 6: if !columns[index].content.isEmpty { columns[index].content.removeLast() }
    case 7: columns[index].content.append(UInt8(random.below(256)))
    default:
      let content = columns[index].content
      columns[index].content = Array(fuzz.mutated(content, limit: content.count + 32).prefix(65535))
    }
  }

  /// Puts a column where its number belongs, in the place of one with the same.
  mutating func put(_ column: RecipeColumn) {
    columns.removeAll { $0.number & 63 == column.number & 63 }
    let place = columns.firstIndex { $0.number & 63 > column.number & 63 } ?? columns.count
    columns.insert(column, at: place)
  }
}
