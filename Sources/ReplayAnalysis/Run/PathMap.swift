import EventLog

/// Values by the numbers of a run's paths, which hold for a generation of its tables: the next one forgets them all.
///
/// A path that got none in this generation has the default.
package struct PathMap<Value> {
  @usableFromInline var values: DenseMap<Int, Value>
  @usableFromInline var generation = 0

  /// Creates a map in which every path has the default.
  @inlinable package init(default missing: Value) { values = DenseMap(default: missing) }

  /// The value of a path in a generation.
  @inlinable package subscript(path: Int, generation: Int) -> Value {
    @inline(__always)
    get { generation == self.generation ? values[path] : values.missing }
    @inline(__always)
    _modify {
      if generation != self.generation { begin(generation) }
      yield &values[path]
    }
  }

  @inlinable @inline(never)
  mutating func begin(_ generation: Int) {
    self.generation = generation
    values.removeAll(keepingCapacity: true)
  }
}
