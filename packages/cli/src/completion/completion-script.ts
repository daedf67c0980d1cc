/**
 * Completion scripts. Words come from the commands of the program. Names of agents and tools come from the plane
 * (plane-names.ts). For any other value the shell offers files.
 *
 * The name of an agent may contain any text, so a shell only compares such names. `compgen -W` would expand them.
 */
import type { Named, OptionWords, Words } from './words.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function completionScript(shell: Shell, words: readonly Words[]): string {
  return SCRIPTS[shell](words);
}

const SCRIPTS: Readonly<Record<Shell, (words: readonly Words[]) => string>> = {
  bash: (words) => `_mandate_names() {
  local name
  while IFS= read -r name; do
    [[ $name == "$2"* ]] && COMPREPLY+=("$name")
  done < <("\${COMP_WORDS[0]}" completion names "$1" 2>/dev/null)
}
_mandate() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words=
  local at=\${COMP_WORDS[1]} word
  for word in "\${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
    case "$at $word" in
${steps(words)}
    esac
  done
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names(words)} --help --version" -- "$current"))
    return
  fi
  case "$at $previous" in
${words.flatMap(valued).map(bashValues).join('\n')}
  esac
  case $at in
${words.map((word) => `    '${word.path}') words="${offers(word)}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case $at in
${words.flatMap(bashArgument).join('\n')}
  esac
}
complete -o default -F _mandate mandate
`,
  zsh: (words) => `#compdef mandate
_mandate_names() {
  compadd -- \${(f)"$("$words[1]" completion names $1 2>/dev/null)"}
}
_mandate() {
  if (( CURRENT == 2 )); then
    local -a commands=(${words
      .filter(isTop)
      .map((word) => `'${word.path}:${zshText(word.summary)}'`)
      .join(' ')})
    _describe command commands
    return
  fi
  local at=$words[2] word
  for word in $words[3,CURRENT-1]; do
    case "$at $word" in
${steps(words)}
    esac
  done
  case "$at $words[CURRENT-1]" in
${words.flatMap(valued).map(zshValues).join('\n')}
  esac
  case $at in
${words.map((word) => `    '${word.path}') compadd -- ${offers(word)}${word.names === null ? '' : `; _mandate_names ${word.names}`} ;;`).join('\n')}
  esac
  _files
}
compdef _mandate mandate
`,
  fish: (words) => `${words.flatMap(fishLines).join('\n')}
`,
};

function bashArgument({ path, names }: Words): string[] {
  return names === null ? [] : [`    '${path}') _mandate_names ${names} "$current" ;;`];
}

function bashValues({ path, option }: Valued): string {
  if (option.names !== null) {
    return `    '${path} ${option.long}') _mandate_names ${option.names} "$current"; return ;;`;
  }
  if (option.values.length === 0) return `    '${path} ${option.long}') return ;;`;
  const values = option.values.join(' ');
  return `    '${path} ${option.long}') COMPREPLY=($(compgen -W "${values}" -- "$current")); return ;;`;
}

function zshValues({ path, option }: Valued): string {
  const values = option.values.length === 0 ? '_files' : `compadd -- ${option.values.join(' ')}`;
  const offer = option.names === null ? values : `_mandate_names ${option.names}`;
  return `    '${path} ${option.long}') ${offer}; return ;;`;
}

function fishLines({ path, summary, next, names, options }: Words): string[] {
  const behind = path
    .split(' ')
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join('; and ');
  return [
    ...(isTop({ path })
      ? [`complete -c mandate -f -n __fish_use_subcommand -a ${path} -d '${fishText(summary)}'`]
      : []),
    ...next.map((word) => `complete -c mandate -n '${behind}' -a ${word}`),
    ...(names === null ? [] : [`complete -c mandate -f -n '${behind}' -a '${fishNames(names)}'`]),
    ...options.map(({ long, values, takesValue, names }) => {
      const offer = names === null ? values.join(' ') : fishNames(names);
      const value = offer !== '' ? ` -x -a '${offer}'` : takesValue ? ' -r' : '';
      return `complete -c mandate -n '${behind}' -l ${long.slice(2)}${value}`;
    }),
  ];
}

function fishNames(names: Named): string {
  return `(mandate completion names ${names} 2>/dev/null)`;
}

type Valued = { path: string; option: OptionWords };

function valued({ path, options }: Words): Valued[] {
  return options.filter(({ takesValue }) => takesValue).map((option) => ({ path, option }));
}

function isTop({ path }: Pick<Words, 'path'>): boolean {
  return !path.includes(' ');
}

/** Returns the cases of the script's loop over the typed words. Each case adds one command name to the path. */
function steps(words: readonly Words[]): string {
  const paths = words.filter((word) => !isTop(word)).map(({ path }) => path);
  return paths.map((path) => `      '${path}') at='${path}' ;;`).join('\n');
}

function names(words: readonly Words[]): string {
  return words
    .filter(isTop)
    .map(({ path }) => path)
    .join(' ');
}

function offers({ next, options }: Words): string {
  return [...next, ...options.map(({ long }) => long)].join(' ');
}

function zshText(text: string): string {
  return text.replaceAll("'", "'\\''").replaceAll(':', '\\:');
}

function fishText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}
