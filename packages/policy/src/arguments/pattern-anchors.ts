/**
 * Whether a pattern says what stands at both ends of the texts it matches: each of its alternatives begins with `^` or `.*`, and
 * ends with `$` or `.*`. Any other pattern also matches longer texts, which its author may not mean.
 *
 * @param pattern that parses
 */
export function isAnchored(pattern: string): boolean {
  return alternativesIn(pattern).every((alternative) => {
    const inner = ONE_GROUP.exec(alternative)?.[1];
    if (inner !== undefined && isBalanced(inner)) return isAnchored(inner);
    return /^(?:\^|\.\*)/.test(alternative) && ENDS.test(alternative);
  });
}

/** The whole alternative is one group, if what is within is balanced. */
const ONE_GROUP = /^\((?:\?:|\?<[^>]*>)?(.*)\)$/su;
/** The last character is not escaped: an even number of backslashes stands before it. */
const ENDS = /(?:^|[^\\])(?:\\\\)*(?:\$|\.\*)$/su;

/** Characters, with escapes and classes as one each. */
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

/** Whether no group that was opened before is closed within. */
function isBalanced(inner: string): boolean {
  let depth = 0;
  for (const [token] of inner.matchAll(TOKEN)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
