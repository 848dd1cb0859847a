import EventLog

#if !canImport(Darwin)
  /// The position of the payload in the values of an enum, because a `Mirror` takes microseconds to find it.
  ///
  /// It gives the same values as a `Mirror`. The first value of each case is checked against a mirror.
  /// Mirrors are used for cases that disagree, and for those that this does not support: indirect cases, and
  /// payloads whose values may have more than one type. On Apple platforms mirrors are used for all enums, as
  /// for ``StructLayout``.
  ///
  /// It reads the type's metadata and calls its value witnesses, as the standard library's mirrors do.
  final class EnumLayout: Sendable {
    private enum CaseReader: Sendable {
      case unknown
      case mirror
      case name(Value)
      case payload(name: String, FieldReader)
    }

    private let type: Any.Type
    private let metadata: EnumMetadata
    /// The readers by the index of the case.
    private let readers: Lock<[CaseReader]>
    /// Whether the printed names of cases may differ from those in the metadata.
    private let isDescribed: Bool

    /// Nil if values of the type may not be stored as an enum with known cases.
    init?(_ type: Any.Type) {
      guard TypeKind(of: type) == .enum, !(type is any CustomReflectable.Type),
        let metadata = EnumMetadata(type)
      else { return nil }
      self.type = type
      self.metadata = metadata
      readers = Lock(Array(repeating: .unknown, count: metadata.caseCount))
      isDescribed =
        type is any CustomStringConvertible.Type || type is any CustomDebugStringConvertible.Type
        || type is any TextOutputStreamable.Type
    }

    /// The recorded form of a value of the type, with the same result as
    /// ``EncodingContext/encodeMirrored(_:)``.
    func encode<Member>(_ value: UnsafeRawPointer, as type: Member.Type, in context: inout EncodingContext)
      -> Value
    {
      let number = metadata.caseNumber(of: value)
      let known = readers.withLock { number < $0.count ? $0[number] : .mirror }
      switch known {
      case .name(let name): return name
      case .payload(let name, let reader):
        let payload = metadata.withPayload(of: value, as: type) { reader.read($0, &context) }
        return .map([name: payload])
      case .mirror: return context.encodeMirrored(value.assumingMemoryBound(to: type).pointee)
      case .unknown:
        let reader = reader(ofCase: number, like: value.assumingMemoryBound(to: type).pointee)
        readers.withLock { $0[number] = reader }
        return encode(value, as: type, in: &context)
      }
    }

    /// Finds how to read values of a case, given an example.
    private func reader<Member>(ofCase number: Int, like example: Member) -> CaseReader {
      guard let name = metadata.name(ofCase: number) else { return .mirror }
      let child = Mirror(reflecting: example).children.first
      guard metadata.hasPayload(number) else {
        guard child == nil, !isDescribed, String(describing: example) == name else { return .mirror }
        return .name(.string(name))
      }
      guard let child, child.label == name, let payload = metadata.payloadType(ofCase: number),
        Swift.type(of: child.value) == payload, Self.isPlain(payload)
      else { return .mirror }
      let reader = FieldReader.of(payload)
      // Encoding a plain value has no effects, so it can be done more than once.
      var context = EncodingContext(objects: NoObjects())
      let read = withUnsafePointer(to: example) {
        metadata.withPayload(of: UnsafeRawPointer($0), as: Member.self) { reader.read($0, &context) }
      }
      return read == context.encode(child.value) ? .payload(name: name, reader) : .mirror
    }

    /// A value of the type; nil if no case with such a payload has the name in the metadata.
    ///
    /// - Throws: ``RestoreProblem`` if the payload does not fit.
    func make<T>(_ type: T.Type, caseNamed name: String, payload: Value?, in context: RestoringContext) throws
      -> T?
    {
      let number = (0..<metadata.caseCount).first { metadata.name(ofCase: $0) == name }
      guard let number, metadata.hasPayload(number) == (payload != nil) else { return nil }
      let made = UnsafeMutableRawPointer.allocate(
        byteCount: max(1, MemoryLayout<T>.size), alignment: MemoryLayout<T>.alignment)
      defer { made.deallocate() }
      made.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<T>.size)
      if let payload {
        // An indirect case has no type here.
        guard let payloadType = metadata.payloadType(ofCase: number) else { return nil }
        func put<Payload>(_ type: Payload.Type) throws {
          made.initializeMemory(as: type, to: try context.restore(type, from: payload))
        }
        try _openExistential(payloadType, do: put)
      }
      metadata.setCase(of: made, to: number)
      return made.assumingMemoryBound(to: T.self).move()
    }

    private static func isPlain(_ payload: Any.Type) -> Bool {
      StructLayout.ofTuple(payload)?.fields.allSatisfy(\.isPlain) ?? StructLayout.isPlain(payload)
    }
  }

  /// The runtime's metadata of an enum. The layout of everything that is read here is part of the ABI.
  private struct EnumMetadata: @unchecked Sendable {
    private typealias GetTag = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UInt32
    private typealias Project = @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void
    private typealias Inject = @convention(c) (UnsafeMutableRawPointer, UInt32, UnsafeRawPointer) -> Void

    let caseCount: Int
    private let payloadCount: Int
    private let metadata: UnsafeRawPointer
    private let descriptor: UnsafeRawPointer
    /// The first record of a case; each consists of flags, a mangled type and a name.
    private let records: UnsafeRawPointer
    private let getTag: GetTag
    private let project: Project
    private let inject: Inject

    private static let recordSize = 12

    init?(_ type: Any.Type) {
      metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
      descriptor = metadata.load(fromByteOffset: 8, as: UnsafeRawPointer.self)
      let witnesses = metadata.load(fromByteOffset: -8, as: UnsafeRawPointer.self)
      let hasEnumWitnesses = witnesses.load(fromByteOffset: 80, as: UInt32.self) & 0x20_0000 != 0
      guard hasEnumWitnesses, let fields = Self.relative(descriptor + 16),
        fields.load(fromByteOffset: 10, as: UInt16.self) == Self.recordSize
      else { return nil }
      getTag = witnesses.load(fromByteOffset: 88, as: GetTag.self)
      project = witnesses.load(fromByteOffset: 96, as: Project.self)
      inject = witnesses.load(fromByteOffset: 104, as: Inject.self)
      payloadCount = Int(descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF)
      let emptyCount = Int(descriptor.load(fromByteOffset: 24, as: UInt32.self))
      caseCount = Int(fields.load(fromByteOffset: 12, as: UInt32.self))
      records = fields + 16
      guard caseCount == payloadCount + emptyCount else { return nil }
    }

    /// The target of a relative reference; nil if it is empty.
    private static func relative(_ reference: UnsafeRawPointer) -> UnsafeRawPointer? {
      let offset = reference.load(as: Int32.self)
      return offset == 0 ? nil : reference + Int(offset)
    }

    /// The index of the case of a value; cases with payloads come first.
    func caseNumber(of value: UnsafeRawPointer) -> Int { Int(getTag(value, metadata)) }

    func hasPayload(_ number: Int) -> Bool { number < payloadCount }

    func name(ofCase number: Int) -> String? {
      Self.relative(records + number * Self.recordSize + 8)
        .map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
    }

    /// The type of the payload; nil if the case is indirect.
    func payloadType(ofCase number: Int) -> Any.Type? {
      let record = records + number * Self.recordSize
      guard record.load(as: UInt32.self) & 1 == 0, let name = Self.relative(record + 4) else { return nil }
      return _getTypeByMangledNameInContext(
        name.assumingMemoryBound(to: UInt8.self), Self.length(ofMangledName: name),
        genericContext: descriptor,
        genericArguments: metadata + 16)
    }

    /// The number of bytes of a mangled name. Some of its bytes are followed by a reference.
    private static func length(ofMangledName name: UnsafeRawPointer) -> UInt {
      var end = 0
      while true {
        switch name.load(fromByteOffset: end, as: UInt8.self) {
        case 0: return UInt(end)
        case 0x01...0x17: end += 5
        case 0x18...0x1F: end += 9
        default: end += 1
        }
      }
    }

    /// Makes memory that is empty, or holds the payload of a case, a value of this case.
    func setCase(of value: UnsafeMutableRawPointer, to number: Int) {
      inject(value, UInt32(number), metadata)
    }

    /// Runs the body with the address of the payload in a copy of a value.
    func withPayload<Member, R>(
      of value: UnsafeRawPointer, as type: Member.Type, _ body: (UnsafeRawPointer) -> R
    ) -> R {
      withUnsafeTemporaryAllocation(of: type, capacity: 1) { copies in
        guard let copy = copies.baseAddress else { preconditionFailure("a copy has no place") }
        copy.initialize(to: value.assumingMemoryBound(to: type).pointee)
        let tag = getTag(copy, metadata)
        project(copy, metadata)
        defer {
          inject(copy, tag, metadata)
          copy.deinitialize(count: 1)
        }
        return body(copy)
      }
    }
  }
#endif

/// Encodes values without objects; a value that cannot be compared never equals another.
private final class NoObjects: ReferenceEncoding {
  private var last: UInt64 = 0

  func reference(to value: Any, in context: inout EncodingContext) -> Value? { nil }

  func identity(of object: AnyObject) -> UInt64 { freshIdentity() }

  func freshIdentity() -> UInt64 {
    last += 1
    return last
  }
}
