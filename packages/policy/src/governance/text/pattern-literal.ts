/**
 * Returns the only character that a part of a pattern matches: the part itself, or the character that an escape means.
 * Null if the part is a class, because a class matches several characters.
 */
export function literalOf(source: string): string | null {
  if (source.startsWith('[') || source === '.') return null;
  if (!source.startsWith('\\') || source.length === 1) return source;
  const kind = source.charAt(1);
  if (kind === 'u' || kind === 'x') return fromHex(source);
  if (kind === 'c') return String.fromCodePoint(source.charCodeAt(2) % 32);
  const control = CONTROLS[kind];
  if (control !== undefined) return control;
  return /[wWdDsSpP]/.test(kind) ? null : kind;
}

const CONTROLS: Readonly<Record<string, string>> = {
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  0: '\0',
  // `\b` is a backspace only within a class. Elsewhere it is a boundary.
  b: '\b',
};

function fromHex(source: string): string {
  const units = (source.match(/[0-9a-fA-F]+/g) ?? []).map((hex) => Number.parseInt(hex, 16));
  return String.fromCodePoint(units[0] ?? 0).concat(
    units.length > 1 ? String.fromCharCode(units[1] ?? 0) : '',
  );
}
