import EventLog
import Invalidation
import OrderedCollections

// A body may read an object that its session does not record: a model that is shown before it is put into the
// tree, or one that another session still records. No event is about such an object. Its readers are made to
// depend on it when it is attached: right before the event that defines the object, the log gets a `reads`
// event that names it by its id. The definition then invalidates the reader, live and in a replay alike.

/// A read of a property of an object that the session does not record.
struct EarlyRead {
  struct Key: Hashable {
    let object: ObjectIdentifier
    let property: Int
  }

  let key: Key
  /// The object's link to sessions. It is weak, so a read does not keep the object alive.
  private(set) weak var link: Link?
  /// The object's class.
  let type: any RecordedObject.Type
  /// The seq of the last event when the node began to read it.
  fileprivate(set) var since: UInt64 = 0

  init(_ property: Int, of link: Link, _ type: any RecordedObject.Type) {
    key = Key(object: ObjectIdentifier(link), property: property)
    self.link = link
    self.type = type
  }

  /// The object's attachment, if the session records the object by now.
  func attachment(to engine: Engine) -> Attachment? {
    guard let attachment = link?.attachment, attachment.engine === engine else { return nil }
    return attachment
  }

  /// The redaction of the property; nil if the log may hold its value.
  var redaction: Redaction? { type._$properties[key.property].redaction }
}

extension Frame {
  /// Records a read of a property that the session does not record, if the run tracks reads.
  @inline(never)
  func registerEarly(_ property: Int, of link: Link, _ type: any RecordedObject.Type) {
    guard isTracking, !engine.isClosed else { return }
    let read = EarlyRead(property, of: link, type)
    // A new object may have the address of a freed one.
    if earlyReads[read.key]?.link !== link { earlyReads[read.key] = read }
  }

  /// Adds the reads of objects that have been attached since to this run's reads. Returns the other reads
  /// whose objects still exist.
  func settleEarlyReads(in state: EngineState) -> [EarlyRead] {
    var others: [EarlyRead] = []
    for read in earlyReads.values {
      if let attachment = read.attachment(to: engine) {
        let slot = attachment.slot(read.key.property)
        register(slot)
        slotsReadEarly.insert(slot)
        if let thread = state.runs.attacher(of: attachment.id), thread != node?.runner {
          sawUnattached = true
        }
      } else if read.link != nil {
        others.append(read)
      }
    }
    return others
  }
}

/// The nodes that read objects which the session does not record.
struct EarlyReaders {
  /// The readers of each object, by the identity of its link.
  private var byObject: [ObjectIdentifier: [Node.ID: Node]] = [:]
  /// The readers of objects that are being attached, until the event that defines the objects.
  private var late: [Node.ID: Node] = [:]
  /// The seq after which to look for readers that have waited long; the largest number if there are none.
  fileprivate(set) var lookSeq = UInt64.max

  /// After so many events a reader has waited long enough to be reported. The object may be attached after all,
  /// but the log of a program that is killed has only what was reported.
  fileprivate static let eventsOfPatience: UInt64 = 256

  /// The number of unrecorded objects that have readers.
  var objectCount: Int { byObject.count }

  /// Whether an object that is being attached has readers.
  @inline(__always)
  var haveLate: Bool { !late.isEmpty }

  /// All readers of objects that are not being attached, in order of creation.
  var all: [Node] {
    var readers: [Node.ID: Node] = [:]
    for nodes in byObject.values { readers.merge(nodes) { node, _ in node } }
    return readers.values.sorted { $0.order < $1.order }
  }

  /// Replaces a node's reads of unrecorded objects.
  ///
  /// - Parameter seq: That of the last event.
  mutating func set(_ reads: [EarlyRead], of node: Node, at seq: UInt64) {
    if node.earlyReads.isEmpty, reads.isEmpty { return }
    var reads = reads
    let before = Dictionary(node.earlyReads.map { ($0.key, $0) }) { read, _ in read }
    for position in reads.indices {
      let old = before[reads[position].key]
      reads[position].since = old?.link === reads[position].link ? old?.since ?? seq : seq
    }
    if !reads.isEmpty { lookSeq = min(lookSeq, seq + Self.eventsOfPatience) }
    for read in node.earlyReads {
      byObject[read.key.object]?[node.id] = nil
      if byObject[read.key.object]?.isEmpty == true { byObject[read.key.object] = nil }
    }
    for read in reads { byObject[read.key.object, default: [:]][node.id] = node }
    node.earlyReads = reads
  }

  /// Records that an object was attached.
  mutating func markAttached(_ link: Link) {
    guard !byObject.isEmpty, let readers = byObject.removeValue(forKey: ObjectIdentifier(link)) else {
      return
    }
    late.merge(readers) { node, _ in node }
  }

  /// Removes and returns the readers of the objects that are being attached, in order of creation.
  mutating func popLate() -> [Node] {
    defer { late = [:] }
    return late.values.sorted { $0.order < $1.order }
  }

  /// Removes all readers.
  mutating func removeAll() { (byObject, late, lookSeq) = ([:], [:], .max) }
}

extension EngineState {
  /// Records that an object was attached.
  func markAttached(_ link: Link, _ id: ObjectID) {
    runs.markAttached(id)
    earlyReaders.markAttached(link)
  }

  /// Makes the readers of objects that are being attached depend on them. Call it before the event that
  /// defines the objects.
  ///
  /// - Returns: These readers.
  func followAttached() -> [Node] {
    if !earlyReaders.haveLate { return [] }
    return earlyReaders.popLate().filter { !$0.isDisposed && follow($0) }
  }

  private func follow(_ node: Node) -> Bool {
    var properties: [SlotID] = []
    node.earlyReads.removeAll { read in
      guard let attachment = read.attachment(to: engine) else { return false }
      properties.append(attachment.slot(read.key.property))
      return true
    }
    if properties.isEmpty { return false }
    let known = Set(node.lastReads)
    let added = properties.filter { !known.contains($0) }
    // The next run compares its reads with this list.
    node.lastReads += added
    if !added.isEmpty { changeReads(added: added, dropped: [], of: node, cause: engine.currentCause) }
    listen(node, besides: properties)
    return true
  }

  /// Replaces a node's reads of unrecorded objects.
  func setEarlyReads(_ reads: [EarlyRead], of node: Node) {
    earlyReaders.set(reads, of: node, at: recorder.lastSeq)
  }

  /// Reports the readers that have waited long for the attachment of an object.
  ///
  /// Cost: linear in the number of readers, for at least sixteen events each.
  func reportEarlyReads() {
    let now = recorder.lastSeq
    if now < earlyReaders.lookSeq { return }
    let readers = earlyReaders.all
    for diagnostic in diagnosticsOfEarlyReads(of: readers, since: now - EarlyReaders.eventsOfPatience) {
      report(diagnostic.message)
    }
    earlyReaders.lookSeq =
      readers.isEmpty ? .max : now + max(EarlyReaders.eventsOfPatience, 16 * UInt64(readers.count))
  }

  /// One diagnostic for each pair of a class with unrecorded objects and the name of a projection that reads
  /// them.
  func diagnosticsOfEarlyReads() -> [SessionDiagnostic] {
    diagnosticsOfEarlyReads(of: earlyReaders.all, since: .max)
  }

  /// The same of what some readers have read since a seq or before.
  private func diagnosticsOfEarlyReads(of readers: [Node], since seq: UInt64) -> [SessionDiagnostic] {
    var found: OrderedSet<SessionDiagnostic> = []
    for node in readers {
      let name = node.name.prefix { $0 != "#" }
      for read in node.earlyReads {
        guard read.since <= seq, let link = read.link, link.attachment?.engine !== engine else { continue }
        if link.attachment == nil {
          found.append(
            .init(
              message: "\(name) reads a \(read.type) that is not attached, and is not invalidated by its "
                + "changes; attach it, or put it into a property of an object that is"))
        } else if !diagnostics.isForeign(read.type) {
          found.append(
            .init(
              message: "\(name) reads a \(read.type) that another session records, and is not invalidated "
                + "by its changes; close that session, then attach it here"))
        }
      }
    }
    return Array(found)
  }
}
