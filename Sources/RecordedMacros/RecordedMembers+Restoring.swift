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
      cases(members) { property in
        let name = property.isDeprecated ? property.storage : property.name.text
        return property.isConstant ? nil : "visitor.visit(self, \\.\(name))"
      })
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

  /// The types of properties, as far as they are written.
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

  /// Whether a class may have initializers that are not seen here: in an `#if`, or added by another macro.
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

    /// The lowest is the best.
    var rank: (Int, Int, Int) { (unknown, ofOtherType, -arguments.count) }

    init?(_ initializer: InitializerDeclSyntax, _ properties: Set<String>, _ types: [String: String]) {
      let effects = initializer.signature.effectSpecifiers
      canThrow = effects?.throwsClause != nil
      guard initializer.optionalMark == nil, initializer.genericParameterClause == nil,
        initializer.genericWhereClause == nil, effects?.asyncSpecifier == nil,
        // It may be unavailable, or isolated otherwise than the class.
        !initializer.attributes.all.contains(where: {
          $0.shortName == "available" || $0.shortName.first?.isUppercase == true
        })
      else { return nil }
      for parameter in initializer.signature.parameterClause.parameters {
        let name = TokenSyntax.identifier((parameter.secondName ?? parameter.firstName).text).bareName
        let isPlain =
          parameter.ellipsis == nil && !parameter.type.is(AttributedTypeSyntax.self)
          && parameter.type.as(SomeOrAnyTypeSyntax.self)?.someOrAnySpecifier.tokenKind != .keyword(.some)
        let isKnown = properties.contains(name)
        if isPlain, isKnown || parameter.defaultValue == nil {
          if !isKnown { unknown += 1 }
          if let type = types[name], type != parameter.type.explicit.trimmedDescription { ofOtherType += 1 }
          let label = parameter.firstName.tokenKind == .wildcard ? "" : "\(parameter.firstName.text): "
          // With its type, for another initializer may have the same labels.
          arguments.append("\(label)(source.argument(\"\(name)\") as \(parameter.type.castable))")
        } else if parameter.defaultValue == nil {
          return nil
        }
      }
    }
  }
}

extension TypeSyntax {
  /// Without an exclamation mark.
  fileprivate var explicit: TypeSyntax {
    self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self)?.wrappedType ?? self
  }

  /// As it may stand behind `as`.
  fileprivate var castable: String {
    explicit.trimmedDescription + (self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) ? "?" : "")
  }
}
