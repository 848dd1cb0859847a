/// Zero, empty, false or nil, where a type has such a value.
func blank<T>(_ type: T.Type = T.self) -> T? {
  switch T.self {
  case is Void.Type: return () as? T
  case is Bool.Type: return false as? T
  case let type as any ExpressibleByNilLiteral.Type: return none(type) as? T
  case let type as any AdditiveArithmetic.Type: return zero(type) as? T
  case let type as any RangeReplaceableCollection.Type: return type.init() as? T
  case let type as any SetAlgebra.Type: return type.init() as? T
  case let type as any ExpressibleByDictionaryLiteral.Type: return empty(type) as? T
  default: return nil
  }
}

private func none<T: ExpressibleByNilLiteral>(_ type: T.Type) -> T { nil }

private func zero<T: AdditiveArithmetic>(_ type: T.Type) -> T { .zero }

private func empty<T: ExpressibleByDictionaryLiteral>(_ type: T.Type) -> T { [:] }
