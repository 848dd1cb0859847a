import ReplayTool

@main
enum Main {
  static func main() { Tool.main() }
}
