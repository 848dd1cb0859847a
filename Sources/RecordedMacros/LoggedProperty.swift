import SwiftSyntax

/// A stored property that is logged: a tracked `var` or a `let`.
struct LoggedProperty {
  /// The name as written, including backticks.
  let name: TokenSyntax
  /// Its index among the logged properties of its class, in the order of declaration.
  let number: Int
  let declaration: VariableDeclSyntax

  var isConstant: Bool { declaration.isConstant }
  var isRedacted: Bool { declaration.attributes.contains(.redacted) }

  /// Whether the log may hold a hash of its value: `@Redacted(.hashed)`.
  var isHashed: Bool {
    let argument = declaration.attributes.first(.redacted)?.firstArgument?.as(MemberAccessExprSyntax.self)
    return argument?.declName.baseName.text == "hashed"
  }

  /// Whether it has a `willSet` or `didSet`.
  var hasObservers: Bool { declaration.bindings.contains { $0.accessorBlock != nil } }

  /// The attribute that gives it another isolation than its class, if there is one.
  var isolation: AttributeSyntax? { declaration.isolation }

  /// Whether using it causes a deprecation warning.
  var isDeprecated: Bool {
    declaration.attributes.all.contains { attribute in
      attribute.shortName == "available"
        && attribute.tokens(viewMode: .sourceAccurate).contains { $0.text == "deprecated" }
    }
  }

  /// The stored property with its value. The name of a constant may also be that of a parameter, so `self.`
  /// precedes it.
  var storage: String { isConstant ? "self.\(name.text)" : "_\(name.bareName)" }
}

/// The logged properties of a class as declared. Those within `#if` keep their conditions, because their
/// numbers must not depend on what is compiled.
enum LoggedMember {
  case property(LoggedProperty)
  case conditional([(header: String, members: [LoggedMember])])

  /// The properties of all clauses.
  var properties: [LoggedProperty] {
    switch self {
    case .property(let property): [property]
    case .conditional(let clauses): clauses.flatMap { $0.members.flatMap(\.properties) }
    }
  }

  /// The logged properties among `members`, numbered.
  static func all(in members: MemberBlockItemListSyntax) -> [LoggedMember] {
    var next = 0
    return collect(members, &next)
  }

  private static func collect(_ members: MemberBlockItemListSyntax, _ next: inout Int) -> [LoggedMember] {
    var result: [LoggedMember] = []
    for member in members {
      if let variable = member.decl.as(VariableDeclSyntax.self) {
        if !variable.isLeftAlone && variable.isTrackable {
          for name in variable.bindings.flatMap(\.pattern.names) {
            result.append(.property(LoggedProperty(name: name, number: next, declaration: variable)))
            next += 1
          }
        }
      } else if let condition = member.decl.as(IfConfigDeclSyntax.self) {
        var clauses: [(String, [LoggedMember])] = []
        for clause in condition.clauses {
          guard case .decls(let members)? = clause.elements else { continue }
          let header = "\(clause.poundKeyword.trimmed) \(clause.condition?.trimmedDescription ?? "")"
          clauses.append((header, collect(members, &next)))
        }
        if clauses.contains(where: { !$0.1.isEmpty }) { result.append(.conditional(clauses)) }
      }
    }
    return result
  }
}
