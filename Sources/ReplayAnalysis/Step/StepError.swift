/// Why a line typed at the prompt cannot be carried out; nothing has changed.
struct StepError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
