/// What the argument parser's completion scripts lack.
enum CompletionScript {
  /// The text as it should be, if it is such a script.
  static func completed(_ text: String) -> String {
    if text.hasPrefix("#!/bin/bash") { return text + "\n\n" + bash }
    if text.hasPrefix("#compdef") { return zsh(text) }
    return text
  }

  /// The parser tells zsh of `--at moment` only: `--at=moment` is the same.
  private static func zsh(_ script: String) -> String {
    let lines = script.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line.contains("]:"), line.contains(/^ +\S*'\*?--[a-z-]+\[/), let end = line.firstIndex(of: "[")
      else {
        return line
      }
      return line[..<end] + "=" + line[end...]
    }
    return lines.joined(separator: "\n")
  }

  /// Bash splits words at colons and equals signs, and where it filters what is offered it takes quotes and expands
  /// braces: neither `mark:tap` nor `'rows["a"]'` would be completed. So the words are those that will be run, and what is
  /// offered is offered as it is.
  private static let bash = #"""
    # What follows replaces a function from above, and calls the rest with whole words.
    __replay_add_completions() {
        local completion
        if [[ "${1}" != -W ]]; then
            while IFS='' read -r completion; do
                COMPREPLY+=("${completion}")
            done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
            return
        fi
        local -r typed="${cur//[\\\"\']/}"
        while IFS='' read -r completion; do
            if [[ -n "${completion}" && "${completion//[\\\"\']/}" == "${typed}"* ]]; then
                COMPREPLY+=("${completion}")
            fi
        done <<<"${2}"
    }

    __replay_whole_words() {
        local -r line="${COMP_LINE:0:${COMP_POINT}}"
        local -a words=()
        local -i index
        local char word='' quote='' value
        for ((index = 0; index < ${#line}; index++)); do
            char="${line:${index}:1}"
            case "${quote}${char}" in
            \\ | \"\\)
                word+="${line:${index}:2}"
                index+=1
                ;;
            [\"\'])
                word+="${char}"
                quote="${char}"
                ;;
            \"\" | \'\')
                word+="${char}"
                quote=''
                ;;
            [[:space:]])
                [[ -n "${word}" ]] && words+=("${word}")
                word=''
                ;;
            *) word+="${char}" ;;
            esac
        done
        if [[ "${word}" == --*=* ]]; then
            words+=("${word%%=*}")
            word="${word#*=}"
        fi
        # Readline replaces the last part of a word only; what is offered must not bring the rest again.
        local before="${word%"${2}"}"
        before="${before//[\\\"\']/}"
        local -a COMP_WORDS=("${words[@]}" "${word}" "${COMP_WORDS[@]:${COMP_CWORD} + 1}")
        local -i COMP_CWORD="${#words[@]}"
        local COMP_LINE="${COMP_WORDS[*]}" typed="${words[*]} ${word}"
        local -i COMP_POINT="${#typed}"
        _replay "${1}" "${word#[\"\']}" "${words[${#words[@]} - 1]}"
        COMPREPLY=("${COMPREPLY[@]#"${before}"}")
    }

    complete -o filenames -F __replay_whole_words replay
    """#
}
