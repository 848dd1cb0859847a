/// The place that holds an object, in the least memory: most are elements of an array in another object's property, for
/// which the steps of a ``Place`` would be an array of their own.
enum Home: Sendable {
  case nowhere
  case property(of: ObjectID, String)
  case element(of: ObjectID, String, index: Int)
  case other(Place)

  init(_ place: Place?) {
    guard let place else {
      self = .nowhere
      return
    }
    self = .other(place)
    guard case .object(let owner) = place.owner, case .name(let property)? = place.steps.first else { return }
    if place.steps.count == 1 {
      self = .property(of: owner, property)
    } else if place.steps.count == 2, case .element(let index, nil) = place.steps[1] {
      self = .element(of: owner, property, index: index)
    }
  }

  var place: Place? {
    switch self {
    case .nowhere: nil
    case .property(let owner, let name): Place(owner: .object(owner), steps: [.name(name)])
    case .element(let owner, let name, let index):
      Place(owner: .object(owner), steps: [.name(name), .element(index: index, id: nil)])
    case .other(let place): place
    }
  }
}
