import SwiftSyntax
import SwiftSyntaxBuilder

/// The members that `@Recorded` adds to one class.
struct RecordedMembers {
  let members: [LoggedMember]
  let properties: [LoggedProperty]
  /// The registrar and the first numbers belong to the superclass.
  private let inheritsRecording: Bool
  /// Numbers are relative to `_$first`.
  private let isRelative: Bool
  private let hasObservers: Bool
  private let access: String

  init(_ type: ClassDeclSyntax, inheritsRecording: Bool) {
    members = LoggedMember.all(in: type.memberBlock.members)
    properties = members.flatMap(\.properties)
    self.inheritsRecording = inheritsRecording
    hasObservers = properties.contains(where: \.hasObservers)
    isRelative = type.inheritanceClause != nil
    access =
      type.modifiers.lazy.compactMap { modifier in
        switch modifier.name.tokenKind {
        case .keyword(.public): "public "
        case .keyword(.open): "open "
        case .keyword(.package): "package "
        default: nil
        }
      }.first ?? ""
  }

  var declarations: [DeclSyntax] {
    var result: [DeclSyntax] = []
    if !inheritsRecording { result.append(registrar) }
    if hasObservers { result.append(observers) }
    if isRelative { result.append(first) }
    result += [count, table, readStored, read, writeStored, write]
    return result
  }

  var module: String { RecordedMacro.module }
  var prefix: String { (inheritsRecording ? "override " : "") + access + "nonisolated" }

  private var registrar: DeclSyntax {
    "@RecordedIgnored \(raw: access == "open " ? "public " : access)nonisolated let _$recorded = \(raw: module).RecordedRegistrar()"
  }

  private var observers: DeclSyntax {
    "@RecordedIgnored private nonisolated let _$observers = \(raw: module).RunningObservers()"
  }

  private var first: DeclSyntax {
    let start = inheritsRecording ? "super._$propertyCount" : "0"
    return "private nonisolated static var _$first: Int { \(raw: start) }"
  }

  private var count: DeclSyntax {
    let sum = inheritsRecording ? "super._$propertyCount + \(properties.count)" : "\(properties.count)"
    return "\(raw: prefix) class var _$propertyCount: Int { \(raw: sum) }"
  }

  private var table: DeclSyntax {
    let rows = properties.map { property in
      let flags =
        (property.isConstant ? ", isConstant: true" : "") + (property.isRedacted ? ", isRedacted: true" : "")
        + (property.isHashed ? ", isHashed: true" : "")
      return "\n    \(module).RecordedPropertyDescriptor(\"\(property.name.bareName)\"\(flags)),"
    }
    let own = rows.isEmpty ? "[]" : "[\(rows.joined())\n  ]"
    let all = inheritsRecording ? "super._$properties + \(own)" : own
    return """
      \(raw: prefix) class var _$properties: [\(raw: module).RecordedPropertyDescriptor] {
        \(raw: all)
      }
      """
  }

  /// Reads storage, in the isolation of the class.
  private var readStored: DeclSyntax {
    stored(
      "_$readStored", "into reader", "RecordedPropertyReader",
      cases(members) { "reader.read(\($0.storage))" })
  }

  /// Writes storage, in the isolation of the class; a constant stays as `init` made it.
  private var writeStored: DeclSyntax {
    stored(
      "_$writeStored", "from writer", "RecordedPropertyWriter",
      cases(members) { $0.isConstant ? nil : "writer.write(&\($0.storage))" })
  }

  func stored(
    _ name: String, _ parameter: String, _ type: String, _ cases: String
  ) -> DeclSyntax {
    let subject = isRelative ? "property - Self._$first" : "property"
    return """
      private func \(raw: name)(property: Int, \(raw: parameter): any \(raw: module).\(raw: type)) -> Bool {
        switch \(raw: subject) {
        \(raw: cases)default: return false
        }
      }
      """
  }

  func cases(_ members: [LoggedMember], _ statement: (LoggedProperty) -> String?) -> String {
    members.map { member in
      switch member {
      case .property(let property):
        if let statement = statement(property) {
          "case \(property.number):\n    \(isolated(statement, property))\n    return true\n  "
        } else {
          ""
        }
      case .conditional(let clauses):
        clauses.map { "\($0.header)\n  \(cases($0.members, statement))" }.joined() + "#endif\n  "
      }
    }.joined()
  }

  /// A property that is isolated by itself can only be reached from its own isolation.
  private func isolated(_ statement: String, _ property: LoggedProperty) -> String {
    guard let isolation = property.isolation?.trimmedDescription else { return statement }
    return "\(isolation) func stored() {\n      \(statement)\n    }\n    _$recorded._$call(stored)"
  }

  private var read: DeclSyntax {
    entry("_$read", "into reader", "RecordedPropertyReader", "into: reader")
  }

  private var write: DeclSyntax {
    entry("_$write", "from writer", "RecordedPropertyWriter", "from: writer")
  }

  /// What the runtime calls: in the isolation of the class, which it cannot name.
  func entry(
    _ name: String, _ parameter: String, _ type: String, _ argument: String
  ) -> DeclSyntax {
    let inherited = """
      if property < Self._$first {
          return super.\(name)(property: property, \(argument))
        }
        return
      """
    let start = inheritsRecording ? inherited : "return"
    return """
      \(raw: prefix) func \(raw: name)(
        property: Int, \(raw: parameter): any \(raw: module).\(raw: type)
      ) -> Bool {
        \(raw: start) _$recorded.\(raw: name)(\(raw: name)Stored, property: property, \(raw: argument))
      }
      """
  }
}
