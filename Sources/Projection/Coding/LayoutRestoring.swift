import EventLog

// Restores a struct, an enum or a tuple that conforms to none of the protocols for that, part by part in memory, where its layout is
// known. It undoes what `StructLayout` and `EnumLayout` encode.

extension RestoringContext {
  /// A value of a type whose parts are known in memory; nil for other types, and for a recorded value that has other parts.
  ///
  /// - Throws: ``RestoreProblem`` if a part does not fit.
  func restoreParts<T>(of type: T.Type, from value: Value) throws -> T? {
    if let layout = StructLayout.of(type) {
      guard case .map(let fields) = value else { return nil }
      return try layout.make(type, in: self) { fields[$0.name] }
    }
    if let layout = StructLayout.ofTuple(type) { return try restoreTuple(type, layout, from: value) }
    #if !canImport(Darwin)
      if let layout = EnumLayout(type) { return try restoreEnum(type, layout, from: value) }
    #endif
    return nil
  }

  private func restoreTuple<T>(_ type: T.Type, _ layout: StructLayout, from value: Value) throws -> T? {
    switch value {
    case .map(let fields): return try layout.make(type, in: self) { fields[$0.name] }
    case .array(let elements) where elements.count == layout.fields.count:
      var next = 0
      return try layout.make(type, in: self) { _ in
        next += 1
        return elements[next - 1]
      }
    default: return nil
    }
  }

  #if !canImport(Darwin)
    private func restoreEnum<T>(_ type: T.Type, _ layout: EnumLayout, from value: Value) throws -> T? {
      switch value {
      case .string(let name): return try layout.make(type, caseNamed: name, payload: nil, in: self)
      case .map(let fields) where fields.count == 1:
        return try layout.make(
          type, caseNamed: fields.name(at: 0), payload: fields.values[0],
          in: below(.member(fields.name(at: 0))))
      default: return nil
      }
    }
  #endif
}

extension StructLayout {
  /// A value from its fields, in the order of declaration.
  ///
  /// - Parameter part: Returns the recorded form of a field; nil if there is none.
  /// - Throws: ``RestoreProblem`` if a field does not fit, or is missing and not optional.
  fileprivate func make<T>(_ type: T.Type, in context: RestoringContext, _ part: (Field) -> Value?) throws
    -> T
  {
    let made = UnsafeMutableRawPointer.allocate(
      byteCount: max(1, MemoryLayout<T>.size), alignment: MemoryLayout<T>.alignment)
    defer { made.deallocate() }
    // Padding is zero, so that equal values have equal bytes.
    made.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<T>.size)
    var count = 0
    do {
      for field in fields {
        try field.initialize(at: made + field.offset, from: part(field), in: context, of: type)
        count += 1
      }
    } catch {
      for field in fields.prefix(count) { field.deinitialize(at: made + field.offset) }
      throw error
    }
    return made.assumingMemoryBound(to: T.self).move()
  }
}

extension StructLayout.Field {
  fileprivate func initialize(
    at place: UnsafeMutableRawPointer, from value: Value?, in context: RestoringContext, of owner: Any.Type
  ) throws {
    func put<Member>(_ type: Member.Type) throws {
      let member: Member
      if let value {
        member = try context.restore(type, from: value, at: component)
      } else if let none = (type as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ()) as? Member {
        member = none
      } else {
        throw context.mismatch(
          .map([:]), owner,
          "it needs a field \(name), which the log does not have there; make \(owner) Codable")
      }
      place.initializeMemory(as: type, to: member)
    }
    try _openExistential(type, do: put)
  }

  fileprivate func deinitialize(at place: UnsafeMutableRawPointer) {
    func end<Member>(_ type: Member.Type) { place.assumingMemoryBound(to: type).deinitialize(count: 1) }
    _openExistential(type, do: end)
  }
}
