import Observation

/// What `@Observable` gives a class for the properties that it computes itself.
///
///     var name: String {
///       get {
///         access(keyPath: \.name)
///         return defaults.string(forKey: "name") ?? ""
///       }
///       set { withMutation(keyPath: \.name) { defaults.set(newValue, forKey: "name") } }
///     }
///
/// Observers of the standard library follow such a property; a session does not, because nothing tells it the value.
extension RecordedObject {
  /// Registers a read of a computed property.
  public nonisolated func access<Member>(keyPath: KeyPath<Self, Member>) {
    _$recorded.watchers(of: self).registrar.access(self, keyPath: keyPath)
  }

  /// Tells observers of a computed property that `mutation` changes it.
  public nonisolated func withMutation<Member, MutationResult>(
    keyPath: KeyPath<Self, Member>, _ mutation: () throws -> MutationResult
  ) rethrows -> MutationResult {
    try _$recorded.watchers(of: self).registrar.withMutation(of: self, keyPath: keyPath, mutation)
  }
}
