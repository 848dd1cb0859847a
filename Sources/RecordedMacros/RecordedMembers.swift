import SwiftSyntax

/// The members that `@Recorded` adds to one class: those that record it, and those that restore it.
struct RecordedMembers {
  private let type: ClassDeclSyntax
  private let members: [LoggedMember]
  private let properties: [LoggedProperty]
  /// Whether the superclass has the registrar and the first numbers.
  private let inheritsRecording: Bool
  /// Whether numbers are relative to `_$first`.
  private let isRelative: Bool
  private let hasObservers: Bool
  private let access: String

  /// - Parameter protocols: The conformances that the compiler requests; none if the superclass already
  ///   conforms.
  init(of type: ClassDeclSyntax, conformingTo protocols: [TypeSyntax]) {
    self.type = type
    members = LoggedMember.all(in: type.memberBlock.members)
    properties = members.flatMap(\.properties)
    inheritsRecording = type.inheritanceClause != nil && protocols.isEmpty
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

  /// The members for observing and recording.
  var recording: [String] {
    var result: [String] = []
    if !inheritsRecording { result.append(registrar) }
    if hasObservers { result.append(observers) }
    if isRelative { result.append(first) }
    result += [count, table, readStored, read, writeStored, write]
    return result
  }

  private var namespace: String { RecordedMacro.namespace }
  private var prefix: String { (inheritsRecording ? "override " : "") + access + "nonisolated" }

  private var registrar: String {
    "\(access == "open " ? "public " : access)nonisolated let _$recorded = \(namespace).RecordedRegistrar()"
  }

  private var observers: String {
    "private nonisolated let _$observers = \(namespace).RunningObservers()"
  }

  private var first: String {
    let start = inheritsRecording ? "super._$propertyCount" : "0"
    return "private nonisolated static var _$first: Int { \(start) }"
  }

  private var count: String {
    let sum = inheritsRecording ? "super._$propertyCount + \(properties.count)" : "\(properties.count)"
    return "\(prefix) class var _$propertyCount: Int { \(sum) }"
  }

  private var table: String {
    let rows = properties.map { property in
      let flags =
        (property.isConstant ? ", isConstant: true" : "") + (property.isRedacted ? ", isRedacted: true" : "")
        + (property.isHashed ? ", isHashed: true" : "")
      return "\n    \(namespace).RecordedPropertyDescriptor(\"\(property.name.bareName)\"\(flags)),"
    }
    let own = rows.isEmpty ? "[]" : "[\(rows.joined())\n  ]"
    let all = inheritsRecording ? "super._$properties + \(own)" : own
    return """
      \(prefix) class var _$properties: [\(namespace).RecordedPropertyDescriptor] {
        \(all)
      }
      """
  }

  /// Reads the stored properties, in the isolation of the class.
  private var readStored: String {
    deprecation
      + stored(
        "_$readStored", "into reader", "RecordedPropertyReader",
        cases(members) { "reader.read(\($0.storage))" })
  }

  /// Writes the stored properties, in the isolation of the class. A constant keeps the value from `init`.
  private var writeStored: String {
    stored(
      "_$writeStored", "from writer", "RecordedPropertyWriter",
      cases(members) { $0.isConstant ? nil : "writer.write(&\($0.storage))" })
  }

  /// A method with a switch over the properties, whose cases ``cases(_:_:)`` makes. It is private, so that it
  /// has the isolation of the class.
  private func stored(
    _ name: String, _ parameter: String, _ type: String, _ cases: String
  ) -> String {
    let subject = isRelative ? "property - Self._$first" : "property"
    return """
      private func \(name)(property: Int, \(parameter): any \(namespace).\(type)) -> Bool {
        switch \(subject) {
        \(cases)default: return false
        }
      }
      """
  }

  /// A case for each property with a statement, within the `#if` in which the property was declared.
  private func cases(_ members: [LoggedMember], _ statement: (LoggedProperty) -> String?) -> String {
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

  /// A property with its own isolation can only be accessed within that isolation.
  private func isolated(_ statement: String, _ property: LoggedProperty) -> String {
    guard let isolation = property.isolation?.trimmedDescription else { return statement }
    return "\(isolation) func stored() {\n      \(statement)\n    }\n    _$recorded._$call(stored)"
  }

  private var read: String {
    deprecation + entry("_$read", "into reader", "RecordedPropertyReader", "into: reader")
  }

  /// Only deprecated code reads a deprecated constant without a warning. It has no store of its own.
  private var deprecation: String {
    properties.contains { $0.isConstant && $0.isDeprecated } ? "@available(*, deprecated) " : ""
  }

  private var write: String {
    entry("_$write", "from writer", "RecordedPropertyWriter", "from: writer")
  }

  /// The method that the library calls. It forwards the property to the superclass, or to the switch of
  /// ``stored(_:_:_:_:)`` in the isolation of the class, which the library cannot name.
  private func entry(
    _ name: String, _ parameter: String, _ type: String, _ argument: String
  ) -> String {
    let inherited = """
      if property < Self._$first {
          return super.\(name)(property: property, \(argument))
        }
        return
      """
    let start = inheritsRecording ? inherited : "return"
    return """
      \(prefix) func \(name)(
        property: Int, \(parameter): any \(namespace).\(type)
      ) -> Bool {
        \(start) _$recorded.\(name)(\(name)Stored, property: property, \(argument))
      }
      """
  }
}

// MARK: Restoring

extension RecordedMembers {
  /// The members for restoring: they create an object from a log, and pass the key path of each variable.
  var restoring: [String] {
    let creation = type.hasMetatypesToSend ? nil : Creation(of: type, properties: properties)
    return [creation.map { createStored($0) }, create(calls: creation != nil), visitStored, visit]
      .compactMap(\.self)
  }

  /// Creates an object by an initializer of the class, in the isolation of the class.
  private func createStored(_ creation: Creation) -> String {
    """
    private static func _$createStored(
      from source: \(namespace).RecordedObjectSource
    ) throws -> (any \(namespace).RecordedObject)? {
      \(creation.call)
    }
    """
  }

  private func create(calls: Bool) -> String {
    """
    \(prefix) class func _$create(
      from source: \(namespace).RecordedObjectSource
    ) throws -> (any \(namespace).RecordedObject)? {
      \(calls ? "try source.create(_$createStored)" : "nil")
    }
    """
  }

  private var visitStored: String {
    stored(
      "_$visitStored", "by visitor", "RecordedPropertyVisitor",
      cases(members) { property in
        let name = property.isDeprecated ? property.storage : property.name.text
        return property.isConstant ? nil : "visitor.visit(self, \\.\(name))"
      })
  }

  private var visit: String {
    entry("_$visit", "by visitor", "RecordedPropertyVisitor", "by: visitor")
  }
}

extension ClassDeclSyntax {
  /// Whether a reference to a static method of the class gets a warning, because it holds types with conformances
  /// that are not known to be sendable. The compiler gives it for a class without isolation, which a macro
  /// cannot tell from one that its module isolates.
  fileprivate var hasMetatypesToSend: Bool {
    if attributes.all.contains(where: { $0.shortName.hasSuffix("Actor") }) { return false }
    var constraints: [String: String] = [:]
    for parameter in genericParameterClause?.parameters ?? [] {
      if let type = parameter.inheritedType { constraints[parameter.name.text] = type.trimmedDescription }
    }
    for requirement in genericWhereClause?.requirements ?? [] {
      guard let conformance = requirement.requirement.as(ConformanceRequirementSyntax.self) else { continue }
      constraints[conformance.leftType.trimmedDescription, default: ""] +=
        " \(conformance.rightType.trimmedDescription)"
    }
    return constraints.values.contains { !$0.contains("Sendable") }
  }
}

/// The initializer with which a class creates an object from recorded properties: the one with the fewest
/// parameters that have neither the name of a property nor a default value. Such a parameter may be a
/// property of a superclass; if it is not, restoring an object reports it.
private struct Creation {
  /// The expression that creates the object.
  let call: String

  init?(of type: ClassDeclSyntax, properties: [LoggedProperty]) {
    let members = type.memberBlock.members
    let all = members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
    let name = type.name.text
    if all.isEmpty {
      guard Self.hasNoSuperclass(type), !Self.mayHaveOthers(type) else { return nil }
      call = "\(name)()"
      return
    }
    let types = Self.propertyTypes(type)
    let candidates = all.compactMap { Candidate($0, Set(properties.map(\.name.bareName)), types) }
    guard let best = candidates.min(by: { $0.rank < $1.rank }) else { return nil }
    let needsTry = best.canThrow || !best.arguments.isEmpty
    call = "\(needsTry ? "try " : "")\(name)(\(best.arguments.joined(separator: ", ")))"
  }

  /// Whether all names after the colon of a class are known protocols. A macro cannot see whether another
  /// name is a class.
  private static func hasNoSuperclass(_ type: ClassDeclSyntax) -> Bool {
    let protocols: Set = [
      "Codable", "Comparable", "CustomDebugStringConvertible", "CustomStringConvertible", "Decodable",
      "Encodable", "Equatable", "Hashable", "Identifiable", "ObservableObject", "Observable", "Sendable",
    ]
    return (type.inheritanceClause?.inheritedTypes ?? []).allSatisfy { inherited in
      let name =
        inherited.type.as(AttributedTypeSyntax.self)?.baseType.trimmedDescription
        ?? inherited.type.trimmedDescription
      return protocols.contains(name)
    }
  }

  /// The types of the properties with a declared type.
  private static func propertyTypes(_ type: ClassDeclSyntax) -> [String: String] {
    var types: [String: String] = [:]
    for member in type.memberBlock.members {
      for binding in member.decl.as(VariableDeclSyntax.self)?.bindings ?? [] {
        guard let annotation = binding.typeAnnotation, let name = binding.pattern.names.first else {
          continue
        }
        types[name.bareName] = annotation.type.trimmedDescription
      }
    }
    return types
  }

  /// Whether a class may have other initializers, within an `#if` or added by another macro.
  private static func mayHaveOthers(_ type: ClassDeclSyntax) -> Bool {
    let isConditional = type.memberBlock.members.contains { member in
      member.decl.is(IfConfigDeclSyntax.self)
        && member.decl.tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.`init`) }
    }
    let hasMacros = type.attributes.all.contains { attribute in
      let name = attribute.shortName
      return name != MacroName.recorded.rawValue && name.first?.isUppercase == true
        && !name.hasSuffix("Actor")
    }
    return isConditional || hasMacros
  }

  /// An initializer that may be callable with recorded properties alone.
  private struct Candidate {
    var arguments: [String] = []
    var canThrow: Bool
    private var unknown = 0
    private var ofOtherType = 0

    /// The rank among candidates; the lowest is the best.
    var rank: (Int, Int, Int) { (unknown, ofOtherType, -arguments.count) }

    init?(_ initializer: InitializerDeclSyntax, _ properties: Set<String>, _ types: [String: String]) {
      let effects = initializer.signature.effectSpecifiers
      canThrow = effects?.throwsClause != nil
      guard initializer.optionalMark == nil, initializer.genericParameterClause == nil,
        initializer.genericWhereClause == nil, effects?.asyncSpecifier == nil,
        // Such an initializer may be unavailable, or may have another isolation than the class.
        !initializer.attributes.all.contains(where: {
          $0.shortName == "available" || $0.shortName.first?.isUppercase == true
        })
      else { return nil }
      for parameter in initializer.signature.parameterClause.parameters {
        let name = TokenSyntax.identifier((parameter.secondName ?? parameter.firstName).text).bareName
        let isPlain =
          parameter.ellipsis == nil && !parameter.type.is(AttributedTypeSyntax.self)
          && !parameter.type.tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.some) }
        let isKnown = properties.contains(name)
        if isPlain, isKnown || parameter.defaultValue == nil {
          if !isKnown { unknown += 1 }
          if let type = types[name], type != parameter.type.explicit.trimmedDescription { ofOtherType += 1 }
          let label = parameter.firstName.tokenKind == .wildcard ? "" : "\(parameter.firstName.text): "
          // The argument has its type, because another initializer may have the same labels.
          arguments.append("\(label)(source.argument(\"\(name)\") as \(parameter.type.castable))")
        } else if parameter.defaultValue == nil {
          return nil
        }
      }
    }
  }
}

extension TypeSyntax {
  /// The type without a trailing exclamation mark.
  fileprivate var explicit: TypeSyntax {
    self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self)?.wrappedType ?? self
  }

  /// The type in a form that may follow `as`.
  fileprivate var castable: String {
    explicit.trimmedDescription + (self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) ? "?" : "")
  }
}
