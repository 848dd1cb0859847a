import EditingTraceTool

@main
enum Main {
  static func main() { EditingTraceCommand.main() }
}
