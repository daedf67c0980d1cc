/**
 * Finds the members of a JSON object in its text, so that a value can be replaced while every other byte stays. The text
 * must be valid JSON.
 */

/** A member, and where its value begins and ends in the text. */
type Member = { name: string; start: number; end: number };

/** `begin`: where the first member begins, after the brace. */
export type ObjectText = { begin: number; members: readonly Member[] };

const BLANK = /[ \t\r\n,:]*/y;
const PLAIN_VALUE = /[^ \t\r\n,}\]]*/y;
const NESTING = /["{}[\]]/g;

/** Returns null if the text is no object. */
export function objectText(json: string): ObjectText | null {
  const begin = afterBlanks(json, 0) + 1;
  if (json[begin - 1] !== '{') return null;
  const members: Member[] = [];
  for (let at = afterBlanks(json, begin); json[at] === '"'; ) {
    const nameEnd = endOfString(json, at);
    const start = afterBlanks(json, nameEnd);
    const end = endOfValue(json, start);
    members.push({ name: JSON.parse(json.slice(at, nameEnd)), start, end });
    at = afterBlanks(json, end);
  }
  return { begin, members };
}

/**
 * Returns a name that occurs twice. Some servers read the first of two equal names, and others the last one. Some
 * ignore upper and lower case. So the model that was decided might not be the model that is called.
 */
export function repeatedName({ members }: ObjectText): string | null {
  const seen = new Set<string>();
  for (const { name } of members) {
    // Some letters have two lower-case forms, such as the long s.
    const folded = name.toUpperCase().toLowerCase();
    if (seen.has(folded)) return name;
    seen.add(folded);
  }
  return null;
}

function afterBlanks(json: string, at: number): number {
  BLANK.lastIndex = at;
  BLANK.test(json);
  return BLANK.lastIndex;
}

function endOfValue(json: string, start: number): number {
  const first = json[start];
  if (first === '"') return endOfString(json, start);
  if (first !== '{' && first !== '[') {
    PLAIN_VALUE.lastIndex = start;
    PLAIN_VALUE.test(json);
    return PLAIN_VALUE.lastIndex;
  }
  let depth = 0;
  let at = start;
  do {
    NESTING.lastIndex = at;
    const found = NESTING.exec(json);
    if (found === null) return json.length;
    at = found[0] === '"' ? endOfString(json, found.index) : found.index + 1;
    if (found[0] === '{' || found[0] === '[') depth += 1;
    else if (found[0] !== '"') depth -= 1;
  } while (depth > 0);
  return at;
}

/** @param start the place of the first quotation mark */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return json.length;
}
