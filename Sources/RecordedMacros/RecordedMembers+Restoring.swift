import SwiftSyntax
import SwiftSyntaxBuilder

/// What time travel needs of a class: how an object is made from what a log holds, and the key path of each
/// variable.
extension RecordedMembers {
  func restoring(_ type: ClassDeclSyntax) -> [DeclSyntax] {
    [createStored(type), create, visitStored, visit]
  }

  /// Makes an object by an initializer of the user's, in the isolation of the class.
  private func createStored(_ type: ClassDeclSyntax) -> DeclSyntax {
    let call = Creation(of: type, properties: properties).map { $0.call } ?? "nil"
    return """
      private static func _$createStored(
        from source: \(raw: module).RecordedObjectSource
      ) throws -> (any \(raw: module).RecordedObject)? {
        \(raw: call)
      }
      """
  }

  private var create: DeclSyntax {
    """
    \(raw: prefix) class func _$create(
      from source: \(raw: module).RecordedObjectSource
    ) throws -> (any \(raw: module).RecordedObject)? {
      try source.create(_$createStored)
    }
    """
  }

  private var visitStored: DeclSyntax {
    stored(
      "_$visitStored", "by visitor", "RecordedPropertyVisitor",
      cases(members) { $0.isConstant ? nil : "visitor.visit(self, \\.\($0.name.text))" })
  }

  private var visit: DeclSyntax {
    entry("_$visit", "by visitor", "RecordedPropertyVisitor", "by: visitor")
  }
}

/// The initializer by which a class makes an object from recorded properties: the one with the fewest parameters that
/// have neither the name of a property nor a default value. These may be properties of a superclass; else it is told
/// when an object is restored.
private struct Creation {
  /// The expression that makes the object.
  let call: String

  init?(of type: ClassDeclSyntax, properties: [LoggedProperty]) {
    let members = type.memberBlock.members
    let all = members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
    let name = type.name.text
    if all.isEmpty {
      guard Self.hasNoSuperclass(type) else { return nil }
      call = "\(name)()"
      return
    }
    let known = Set(properties.map(\.name.bareName))
    let candidates = all.compactMap { Candidate($0, known) }
    guard let best = candidates.min(by: { $0.rank < $1.rank }) else { return nil }
    let needsTry = best.canThrow || !best.arguments.isEmpty
    call = "\(needsTry ? "try " : "")\(name)(\(best.arguments.joined(separator: ", ")))"
  }

  /// Whether all that a class names after the colon is known to be a protocol. A macro cannot see what a name is.
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

  /// An initializer that may be callable with recorded properties alone.
  private struct Candidate {
    var arguments: [String] = []
    var canThrow: Bool
    private var unknown = 0

    /// The lowest is the best.
    var rank: (Int, Int) { (unknown, -arguments.count) }

    init?(_ initializer: InitializerDeclSyntax, _ properties: Set<String>) {
      let effects = initializer.signature.effectSpecifiers
      canThrow = effects?.throwsClause != nil
      guard initializer.optionalMark == nil, initializer.genericParameterClause == nil,
        initializer.genericWhereClause == nil, effects?.asyncSpecifier == nil,
        !initializer.attributes.all.contains(where: { $0.shortName == "available" })
      else { return nil }
      for parameter in initializer.signature.parameterClause.parameters {
        let name = TokenSyntax.identifier((parameter.secondName ?? parameter.firstName).text).bareName
        let isPlain =
          parameter.ellipsis == nil && !parameter.type.is(AttributedTypeSyntax.self)
          && parameter.type.as(SomeOrAnyTypeSyntax.self)?.someOrAnySpecifier.tokenKind != .keyword(.some)
        let isKnown = properties.contains(name)
        if isPlain, isKnown || parameter.defaultValue == nil {
          if !isKnown { unknown += 1 }
          let label = parameter.firstName.tokenKind == .wildcard ? "" : "\(parameter.firstName.text): "
          arguments.append("\(label)source.argument(\"\(name)\")")
        } else if parameter.defaultValue == nil {
          return nil
        }
      }
    }
  }
}
