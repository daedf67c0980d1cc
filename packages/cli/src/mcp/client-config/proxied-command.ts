/**
 * The command of a server behind the proxy: the command of the proxy, `mcp`, its options, `--`, and the command of the
 * server. So the command of the server can be found again.
 */

/** The program, also as a file of a clone, and with a version after its name as npx takes it. */
const MANDATE = /(?:^|[\\/])mandate(?:\.mjs|\.cmd)?(?:@[^\\/]*)?$/;

/**
 * Returns the index of the `--` after which the command of the server begins. Null if the words do not start the proxy.
 *
 * @param words a command with its arguments
 */
export function endOfProxy(words: readonly string[]): number | null {
  const named = words.findIndex((word) => MANDATE.test(word));
  const at = words.findIndex(
    (word, index) =>
      index > 0 &&
      word === 'mcp' &&
      // The proxy may have been started under another name. An import writes `--agent` first.
      (words[index + 1] === '--agent' || (named !== -1 && named < index)),
  );
  const end = at === -1 ? -1 : words.indexOf('--', at);
  return end === -1 || end === words.length - 1 ? null : end;
}

/** Returns the value of an option of the proxy. Null if the option is not given. */
export function optionOfProxy(words: readonly string[], option: string): string | null {
  const own = words.slice(0, endOfProxy(words) ?? 0);
  const at = own.findLastIndex((word) => word === option || word.startsWith(`${option}=`));
  if (at === -1) return null;
  return own[at] === option ? (own[at + 1] ?? null) : (own[at]?.slice(option.length + 1) ?? null);
}
