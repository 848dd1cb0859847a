/// One row of a list, the same in every list sample.
struct RowModel: Identifiable, Equatable, Codable {
  let id: Int
  var title: String
  var count: Int

  /// What a row draws.
  var line: String { "\(title)  \(count)" }

  static func seed(count: Int) -> [RowModel] {
    (0..<count).map { RowModel(id: $0, title: "Row \($0)", count: 0) }
  }

  /// Three taps, far apart in the list.
  static func bumps(_ bump: @escaping (_ rowID: Int) -> Void) -> [Step] {
    [42, 7, 999].map { id in Step("bump row \(id)") { bump(id) } }
  }
}
