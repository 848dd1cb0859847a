import EventLog

#if !canImport(Darwin)
  @_spi(SwiftUI) import Observation
  @_spi(Reflection) import Swift

  /// What some code has read of objects that are `@Observable`, as the standard library has noted it.
  ///
  /// The list is public only to SwiftUI, and what is in it to nobody. It is read as it lies in memory, after a look at the library's
  /// own types has shown that it lies so: reflection alone takes 14 us for a run that reads two properties, and this 0.05.
  struct AccessList {
    /// The properties that were read of each object, which is known by its registrar.
    typealias Entries = [ObjectIdentifier: Entry]

    /// The library's `ObservationTracking.Entry`.
    struct Entry {
      private let registrar: AnyObject
      let properties: Set<AnyKeyPath>
    }

    let entries: Entries

    /// Nil if the library keeps it in a way that is not known.
    init?(_ tracking: ObservationTracking) {
      guard let offset = Self.offset else { return nil }
      self.init(tracking, at: offset)
    }

    private init(_ tracking: ObservationTracking, at offset: Int) {
      entries = withUnsafeBytes(of: tracking) { $0.load(fromByteOffset: offset, as: Entries.self) }
    }

    /// Whether what code reads can be known.
    static var isAvailable: Bool { offset != nil }

    /// Runs code, and returns what it has read.
    static func of<R>(_ body: () -> R) -> (result: R, reads: Entries) {
      let (bell, found) = (Bell(), Lock<Entries>([:]))
      let result = withObservationTracking {
        bell.hear()
        return body()
      } willSet: { tracking in
        tracking.cancel()
        let entries = AccessList(tracking)?.entries ?? [:]
        found.withLock { if $0.isEmpty { $0 = entries } }
      }
      bell.ring()
      return (result, found.withLock { $0 })
    }

    /// The registrars of an object, as they are in such lists: one for each class that `@Observable` made.
    static func registrars(of object: AnyObject) -> [ObjectIdentifier] {
      ObjectLife.registrars(of: object).flatMap(key)
    }

    private static func key(of registrar: ObservationRegistrar) -> [ObjectIdentifier] {
      let reads = of { registrar.access(Witness(), keyPath: \.mark) }.reads
      return reads.filter { $0.value.properties.contains(\Witness.mark) }.map(\.key)
    }

    /// What a registrar is told to be read.
    private final class Witness: ObservationProbe, Sendable {
      var mark: Void { () }
    }

    // MARK: Where the library keeps it

    /// Where `ObservationTracking` has the entries.
    private static let offset: Int? = {
      let (bell, found) = (Bell(), Lock<Int?>(nil))
      withObservationTracking {
        bell.hear()
      } willSet: { tracking in
        tracking.cancel()
        let offset = offset(in: tracking)
        found.withLock { $0 = offset }
      }
      bell.ring()
      return found.withLock { $0 }
    }()

    /// Finds the entries of an observation that has heard one bell, by means of reflection, and compares.
    private static func offset(in tracking: ObservationTracking) -> Int? {
      guard let list = part("list", of: tracking),
        let offset = field("list", of: ObservationTracking.self)?.offset,
        let entries = part("entries", of: list), field("entries", of: type(of: list))?.offset == 0,
        "\(type(of: entries))".hasPrefix("Dictionary<ObjectIdentifier, "),
        let only = Mirror(reflecting: entries).children.first?.value,
        let key = part("key", of: only) as? ObjectIdentifier, let entry = part("value", of: only),
        let context = field("context", of: type(of: entry)), context.offset == 0,
        MemoryLayout<AnyObject>.size == size(of: context.type),
        let properties = field("properties", of: type(of: entry)),
        properties.offset == MemoryLayout<AnyObject>.size, properties.type == Set<AnyKeyPath>.self,
        MemoryLayout<Entry>.size == size(of: type(of: entry)),
        let known = part("properties", of: entry) as? Set<AnyKeyPath>
      else { return nil }
      let read = AccessList(tracking, at: offset).entries
      return read.count == 1 && read[key]?.properties == known ? offset : nil
    }

    /// A stored part of a value.
    private static func part(_ name: String, of value: Any) -> Any? {
      let mirror = Mirror(reflecting: value)
      if mirror.displayStyle == .optional {
        return mirror.children.first.flatMap { part(name, of: $0.value) }
      }
      return mirror.children.first { $0.label == name }?.value
    }

    private static func field(_ name: String, of type: Any.Type) -> (offset: Int, type: Any.Type)? {
      var found: (offset: Int, type: Any.Type)?
      _ = _forEachField(of: type) { field, offset, type, _ in
        if String(cString: field) == name { found = (offset, type) }
        return true
      }
      return found
    }

    private static func size(of type: Any.Type) -> Int {
      func size<T>(of type: T.Type) -> Int { MemoryLayout<T>.size }
      return _openExistential(type, do: size)
    }
  }
#endif
