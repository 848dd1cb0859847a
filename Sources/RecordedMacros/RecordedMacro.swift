import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Recorded`: adds the registrar, the table of properties and the conformance, and marks every stored
/// `var` with `@RecordedProperty`.
package struct RecordedMacro {
  /// How expansions name the module, so that a type of the user never stands in the way.
  static let module = "Projection"
}

extension RecordedMacro: MemberMacro {
  package static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let type = declaration.as(ClassDeclSyntax.self) else {
      context.diagnose(.needsClass(node, declaration))
      return []
    }
    for problem in problems(in: type.memberBlock.members) { context.diagnose(problem) }
    return members(of: type, conformingTo: protocols).declarations
  }

  /// The superclass conforms already when the compiler asks for no conformance.
  static func members(of type: ClassDeclSyntax, conformingTo protocols: [TypeSyntax]) -> RecordedMembers {
    RecordedMembers(type, inheritsRecording: type.inheritanceClause != nil && protocols.isEmpty)
  }

  private static func problems(in members: MemberBlockItemListSyntax) -> [Problem] {
    members.flatMap { member -> [Problem] in
      if let variable = member.decl.as(VariableDeclSyntax.self) {
        if variable.isStoredStatic { return [.notRecorded(variable)] }
        if variable.isLeftAlone { return [] }
        if !variable.isTrackable { return [.notTrackable(variable)] }
        return Problem.takenForActor(variable).map { [$0] } ?? []
      }
      guard let condition = member.decl.as(IfConfigDeclSyntax.self) else { return [] }
      return condition.clauses.flatMap { clause -> [Problem] in
        if case .decls(let members)? = clause.elements { problems(in: members) } else { [] }
      }
    }
  }
}

extension RecordedMacro: MemberAttributeMacro {
  package static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let type = declaration.as(ClassDeclSyntax.self),
      let variable = member.as(VariableDeclSyntax.self),
      !variable.isConstant, !variable.isLeftAlone, variable.isTrackable,
      !variable.attributes.contains(.property),
      let name = variable.bindings.first?.pattern.names.first
    else { return [] }
    let logged = LoggedMember.all(in: type.memberBlock.members).flatMap(\.properties)
    let sameName = logged.filter { $0.name.text == name.text && !$0.isConstant }
    // Two clauses of an `#if` may declare the same name: the place in the source tells them apart.
    let earlier = sameName.count > 1 ? positionAmongSameName(variable, name, in: type) : 0
    guard earlier < sameName.count else { return [] }
    let number = sameName[earlier].number
    // What a superclass logs is counted at run time.
    let label = type.inheritanceClause == nil ? "" : "own: "
    return ["@RecordedProperty(\(raw: label)\(literal: number))"]
  }

  private static func positionAmongSameName(
    _ variable: VariableDeclSyntax, _ name: TokenSyntax, in type: ClassDeclSyntax
  ) -> Int {
    let finder = VariableFinder(name: name.text)
    finder.walk(type.memberBlock)
    return finder.found.firstIndex { $0.trimmedDescription == variable.trimmedDescription } ?? 0
  }
}

extension RecordedMacro: ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    if protocols.isEmpty || !declaration.is(ClassDeclSyntax.self) { return [] }
    let conformance: DeclSyntax = """
      extension \(type.trimmed): nonisolated \(raw: module).RecordedObject {}
      """
    guard var result = conformance.as(ExtensionDeclSyntax.self) else { return [] }
    result.attributes = declaration.attributes.filter { element in
      if case .attribute(let attribute) = element { attribute.shortName == "available" } else { false }
    }
    return [result]
  }
}
