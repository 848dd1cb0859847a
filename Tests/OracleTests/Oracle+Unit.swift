extension Oracle {
  /// One write, as the projections see it.
  struct Happening {
    var seq: Int
    var owner: Int?
    /// The objects that the event created.
    var born: Set<Int> = []
    var changed: Set<Spot> = []
    /// Places that changed only according to the log.
    var forced: Set<Spot> = []
  }

  /// The writes of an outermost transaction, or one outside.
  struct Unit {
    /// The state at its beginning.
    var before: World
    var happenings: [Happening] = []
    /// What events that are not of it have changed since its beginning, each event by itself.
    var changedByOthers: [Set<Spot>] = []
    /// How many of its writes and of the others the projections have seen that ran since its beginning, and the state at that
    /// time.
    private var seen: [String: (count: Int, others: Int, then: World)] = [:]

    init(before: World, happenings: [Happening] = []) {
      self.before = before
      self.happenings = happenings
    }
  }
}

extension Oracle.Unit {
  /// Records that a projection has seen all of it up to now.
  mutating func settle(_ name: String, in world: World) {
    seen[name] = (happenings.count, changedByOthers.count, world)
  }

  /// Whether others have changed a spot since a projection saw it.
  func wasChangedByOthers(_ spot: Spot, unseenBy name: String) -> Bool {
    changedByOthers[(seen[name]?.others ?? 0)...].contains { $0.contains(spot) }
  }

  /// The writes that a projection has not seen.
  func unseen(by name: String) -> ArraySlice<Oracle.Happening> { happenings[(seen[name]?.count ?? 0)...] }

  /// The state that a projection has seen.
  func then(for name: String) -> World { seen[name]?.then ?? before }
}
