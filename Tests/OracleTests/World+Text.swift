import EventLog

extension World {
  /// The whole state, down to the bits of a double and the order of keys, a line a root and a line an object.
  var text: String {
    let lines = roots.map { "\($0.name) = #\($0.object)" }
    return
      (lines
      + objects.sorted { $0.key < $1.key }.map { "\(types[$0.key] ?? "")#\($0.key) {\($0.value.json)}" })
      .joined(separator: "\n")
  }

  /// The state of the library in the model's form.
  init(_ state: State) {
    for (name, object) in state.roots { roots.append((name, Int(object.number))) }
    for (id, object) in state.objects {
      objects[Int(id.number)] = Fields(object.fields)
      types[Int(id.number)] = object.type
    }
  }
}
