/**
 * True if a pattern is anchored at both ends: each of its alternatives begins with `^` or `.*`, and ends with `$` or
 * `.*`. Any other pattern also matches longer texts, and its author may not expect this.
 *
 * @param pattern must be a valid pattern
 */
export function isAnchored(pattern: string): boolean {
  return alternativesIn(pattern).every((alternative) => {
    const inner = ONE_GROUP.exec(alternative)?.[1];
    if (inner !== undefined && isBalanced(inner)) return isAnchored(inner);
    return /^(?:\^|\.\*)/.test(alternative) && ENDS.test(alternative);
  });
}

/**
 * Matches an alternative that may be one group. It is one group if the content between the parentheses is balanced.
 */
const ONE_GROUP = /^\((?:\?:|\?<[^>]*>)?(.*)\)$/su;
/** Matches a `$` or `.*` at the end that is not escaped: the number of backslashes before it is even. */
const ENDS = /(?:^|[^\\])(?:\\\\)*(?:\$|\.\*)$/su;

/** Matches one character of a pattern. An escape and a class each count as one character. */
const TOKEN = /\\.|\[(?:\\.|[^\\\]])*\]|[^\\]/gsu;

function alternativesIn(pattern: string): readonly string[] {
  const alternatives = [''];
  let depth = 0;
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token === '|' && depth === 0) alternatives.push('');
    else alternatives.push(`${alternatives.pop()}${token}`);
  }
  return alternatives;
}

/** True if each parenthesis that closes in the text was opened in the text. */
function isBalanced(inner: string): boolean {
  let depth = 0;
  for (const [token] of inner.matchAll(TOKEN)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
