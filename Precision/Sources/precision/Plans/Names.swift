/// Makes identifiers as a person would, and none twice, so that no rule can know them.
final class Names {
  private var random: SplitMix64
  private var taken: Set<String> = []

  /// - Parameter taken: Names that are in use.
  init(seed: UInt64, taken: Set<String> = []) {
    random = SplitMix64(seed: seed)
    self.taken = taken
  }

  /// The name of a view, such as `HarborCell`.
  func view() -> String { fresh { $0.one(of: Self.nouns) + $0.one(of: Self.shapes) } }

  /// The name under which a store is attached, such as `harborFeed`.
  func root() -> String {
    fresh { $0.one(of: Self.nouns).lowercased() + $0.one(of: Self.homes) }
  }

  /// What a button or a callback is called, such as `Renew harbor`.
  func label() -> String { fresh { $0.one(of: Self.verbs) + " " + $0.one(of: Self.nouns).lowercased() } }

  private func fresh(_ make: (inout SplitMix64) -> String) -> String {
    var name = make(&random)
    while !taken.insert(name).inserted { name = make(&random) + random.one(of: Self.nouns) }
    return name
  }

  private static let nouns = [
    "Harbor", "Lantern", "Meadow", "Copper", "Violet", "Atlas", "Juniper", "Quarry", "Saffron", "Tundra",
    "Ember",
    "Willow", "Cobalt", "Maple", "Orchid", "Pebble", "Raven", "Summit", "Thistle", "Velvet", "Walnut",
    "Zephyr",
    "Anchor", "Bramble", "Cinder", "Dune", "Falcon", "Glacier", "Hazel", "Island", "Jasmine", "Kestrel",
  ]
  private static let shapes = [
    "View", "Screen", "Panel", "Card", "Cell", "Row", "Strip", "Badge", "Tile", "Header", "Footer", "Box",
    "Pane",
    "Label", "Area", "Group", "Stack", "Sheet",
  ]
  private static let homes = ["Model", "Store", "Feed", "State", "Data", "Box", "Desk", "Hub"]
  private static let verbs = [
    "Renew", "Open", "Send", "Pick", "Sort", "Save", "Load", "Tell", "Check", "Move", "Turn",
  ]
}

/// A place in a source file that no program has; each name of a plan has its own.
struct Site: Hashable, Codable {
  let fileID: String
  let line: Int

  init(of name: String) {
    let letters = name.filter { $0.isLetter }
    fileID = "App/\(letters.prefix(24)).swift"
    // FNV-1a, since Swift's own hashes differ from process to process.
    let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    line = Int(hash % 400) + 1
  }

  var text: String { "\(fileID):\(line)" }
}
