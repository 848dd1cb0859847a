/// An ``Origin`` by staged names: their ids plus 1, or 0.
package struct StagedOrigin: Hashable, Sendable {
  var thread: UInt64 = 0
  var task: UInt64 = 0
  var stack: UInt64 = 0
}

extension StagingBuffer {
  mutating func append(_ origin: StagedOrigin) {
    append(StagedCode.origin)
    append(varint: origin.thread)
    append(varint: origin.task)
    append(varint: origin.stack)
  }
}
