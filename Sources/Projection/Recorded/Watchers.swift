import Observation
import Synchronization

/// The standard library's observers of one object.
///
/// Telling them of a set costs as much as all the rest of it, and most properties have none: so it is worth knowing.
/// The library does not say, but it gives itself away. Whoever observes a property, and a tracking closure that has
/// read it and is still running, holds the key path by which it was read. So each property is read by a second key
/// path too, a witness, of which this object has the only other reference: while it is the only one, nobody listens.
final class Watchers: @unchecked Sendable {
  let registrar = ObservationRegistrar()
  private let properties: Int
  /// The witness of each property, once it was read; retained.
  private let witnesses: UnsafeMutablePointer<Atomic<UnsafeRawPointer?>>

  init(properties: Int) {
    self.properties = properties
    witnesses = .allocate(capacity: properties)
    for property in 0..<properties { (witnesses + property).initialize(to: Atomic(nil)) }
  }

  deinit {
    for property in 0..<properties {
      if let witness = witnesses[property].load(ordering: .acquiring) {
        Unmanaged<AnyKeyPath>.fromOpaque(witness).release()
      }
    }
    witnesses.deinitialize(count: properties)
    witnesses.deallocate()
  }

  /// Whether the standard library may have an observer of the property. Cost: three loads.
  @inline(__always)
  func isWatched(_ property: Int) -> Bool {
    let witness = witnesses + property
    guard witness.pointee.load(ordering: .acquiring) != nil else { return false }
    // The count of references is read where the reference is: a copy of it would count itself.
    return UnsafeMutableRawPointer(witness).withMemoryRebound(to: AnyKeyPath.self, capacity: 1) {
      !isKnownUniquelyReferenced(&$0.pointee)
    }
  }

  /// Registers a read, by the witness and, if anybody listens, by the key path that they are to hear of.
  func access<Subject: RecordedObject, Member>(
    _ subject: Subject, _ keyPath: () -> KeyPath<Subject, Member>, _ property: Int
  ) {
    let witness = witnesses[property].load(ordering: .acquiring) ?? makeWitness(subject, property)
    // A property has one number and belongs to one class, so its witness is of this type.
    Unmanaged<KeyPath<Subject, Void>>.fromOpaque(witness)._withUnsafeGuaranteedRef {
      registrar.access(subject, keyPath: $0)
    }
    if isWatched(property) { registrar.access(subject, keyPath: keyPath()) }
  }

  @inline(never)
  private func makeWitness<Subject: RecordedObject>(_ subject: Subject, _ property: Int) -> UnsafeRawPointer {
    let made = Unmanaged.passRetained(\Subject.[witnessOf: property])
    let (isFirst, known) = witnesses[property].compareExchange(
      expected: nil, desired: UnsafeRawPointer(made.toOpaque()), ordering: .acquiringAndReleasing)
    guard !isFirst, let known else { return UnsafeRawPointer(made.toOpaque()) }
    made.release()
    return known
  }
}

extension RecordedObject {
  /// Nothing: only a key path to it is of use.
  fileprivate subscript(witnessOf property: Int) -> Void { () }
}
