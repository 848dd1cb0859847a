import SwiftSyntax

/// A stored property that the log knows: a tracked `var` or a `let`.
struct LoggedProperty {
  /// As written, with backticks.
  var name: TokenSyntax
  /// Its position among the logged properties of its class, in the order of declaration.
  var number: Int
  var isConstant: Bool
  var isRedacted: Bool
  /// Whether the log may hold a hash of its value: `@Redacted(.hashed)`.
  var isHashed: Bool
  /// Whether the user gave it `willSet` or `didSet`.
  var hasObservers: Bool

  /// The attribute that isolates it otherwise than its class, if it has one.
  var isolation: AttributeSyntax?

  /// Whether using it draws a warning.
  var isDeprecated = false

  /// The stored property that holds its value. A constant's name may also be that of a parameter.
  var storage: String { isConstant ? "self.\(name.text)" : "_\(name.bareName)" }
}

/// The logged properties of a class as declared: those in `#if` keep their conditions, because the numbers
/// must not depend on what is compiled.
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
          result += properties(of: variable, &next).map(LoggedMember.property)
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

  private static func properties(of variable: VariableDeclSyntax, _ next: inout Int) -> [LoggedProperty] {
    variable.bindings.flatMap(\.pattern.names).map { name in
      defer { next += 1 }
      return LoggedProperty(
        name: name, number: next, isConstant: variable.isConstant,
        isRedacted: variable.attributes.contains(.redacted), isHashed: variable.isHashed,
        hasObservers: variable.bindings.contains { $0.accessorBlock != nil },
        isolation: variable.isolation, isDeprecated: variable.isDeprecated)
    }
  }
}

extension VariableDeclSyntax {
  fileprivate var isDeprecated: Bool {
    attributes.all.contains { attribute in
      attribute.shortName == "available"
        && attribute.tokens(viewMode: .sourceAccurate).contains { $0.text == "deprecated" }
    }
  }

  fileprivate var isHashed: Bool {
    let argument = attributes.first(.redacted)?.firstArgument?.as(MemberAccessExprSyntax.self)
    return argument?.declName.baseName.text == "hashed"
  }

  /// Whether `@RecordedProperty` can take it; what it cannot take gets a diagnostic.
  var isTrackable: Bool {
    if isConstant { return true }
    return !hasModifier(.lazy) && propertyWrapper == nil && bindings.count == 1
      && bindings.first?.pattern.is(IdentifierPatternSyntax.self) == true
  }
}
