/**
 * The command of a server behind the proxy: the command of the proxy, `mcp`, its options, `--`, and the command of the
 * server. So the command of the server can be found again. For a server with a URL, an option names the URL, and there
 * is no `--`.
 */

/** The name of the program, also as a file of a clone, and with a version after its name as in npx commands. */
const MANDATE = /(?:^|[\\/])mandate(?:\.mjs|\.cmd)?(?:@[^\\/]*)?$/;

/**
 * Returns the index of the `--` after which the command of the server begins. Null if the words do not start the proxy.
 *
 * @param words a command with its arguments
 */
export function endOfProxy(words: readonly string[]): number | null {
  const at = startOfProxy(words);
  const end = at === -1 ? -1 : words.indexOf('--', at);
  return end === -1 || end === words.length - 1 ? null : end;
}

/** Returns the index of `mcp`. */
function startOfProxy(words: readonly string[]): number {
  const named = words.findIndex((word) => MANDATE.test(word));
  return words.findIndex(
    (word, index) =>
      index > 0 &&
      word === 'mcp' &&
      // The proxy may have been started under another name. An import writes `--agent` first.
      (words[index + 1] === '--agent' || (named !== -1 && named < index)),
  );
}

/** True if the words start the proxy for a server with a URL. Such a command has no `--`. */
export function remoteProxy(words: readonly string[]): boolean {
  const at = startOfProxy(words);
  if (at === -1 || words.includes('--', at)) return false;
  return words.slice(at).some((word) => /^--upstream(?:-env)?(?:=|$)/.test(word));
}

/**
 * Returns the value after each use of an option of the proxy.
 *
 * @param values the list from which values are returned. Default: the words themselves. Otherwise the arguments without
 * the command
 */
export function optionsOfProxy(words: readonly string[], option: string): string[];
export function optionsOfProxy<Value>(
  words: readonly string[],
  option: string,
  values: readonly Value[],
): Value[];
export function optionsOfProxy(words: readonly string[], option: string, values: readonly unknown[] = words) {
  const offset = words.length - values.length;
  return words.flatMap((word, at) => {
    const value = values[at + 1 - offset];
    return word === option && value !== undefined ? [value] : [];
  });
}

/** Returns the value of an option of the proxy. Null if the option is not given. */
export function optionOfProxy(words: readonly string[], option: string): string | null {
  const own = words.slice(0, remoteProxy(words) ? words.length : (endOfProxy(words) ?? 0));
  const at = own.findLastIndex((word) => word === option || word.startsWith(`${option}=`));
  if (at === -1) return null;
  return own[at] === option ? (own[at + 1] ?? null) : (own[at]?.slice(option.length + 1) ?? null);
}
