/// Why a line typed at the prompt cannot be carried out; nothing has changed.
package struct StepError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
