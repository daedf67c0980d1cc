/** A folder that paths must stay in. */
export type Folder = {
  /** `/srv/data`, `c:/data` or, from the folder that the tool works in, `data` or `.`. */
  readonly kind: 'unix' | 'drive' | 'relative';
  /** Without `.`. For a folder on a drive, the drive is the first, and all are in lower case, as Windows compares. */
  readonly names: readonly string[];
};

/**
 * Whether a path is in one of the folders for every program that could open it. A path that programs read in different ways
 * is in no folder, so it is refused.
 */
export function isWithin(folders: readonly Folder[], text: string): boolean {
  const path = readFolder(text);
  return path !== null && folders.some((folder) => isInside(folder, path));
}

/** Whether the outer folder contains the whole inner folder. */
export function isInside(outer: Folder, inner: Folder): boolean {
  return outer.kind === inner.kind && outer.names.every((name, at) => inner.names[at] === name);
}

/**
 * Letters, digits and the few signs that shells, URLs and copying tools read as themselves. So a path has no `%` to decode,
 * no `:` of a host or stream, no `*`, no `$`, no quote and no line break.
 */
const PLAIN = /^[\p{L}\p{M}\p{Nd} _.,+=@#()/\\-]+$/u;
/** NFKC gives all forms of a letter one form. After NFKC, the path may have only the same letters, digits and signs. */
const NOT_COMPOSED = /[^\p{L}\p{M}\p{Nd} _.,+=@#()/\\-]/u;
/** Windows takes these names for devices in every folder, also with an extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:[ .]|$)/i;

/** The path as all programs read it; null if programs read it in different ways. */
export function readFolder(text: string): Folder | null {
  const drive = /^[a-z]:(?=[/\\])/i.exec(text)?.[0].slice(0, 1).toLowerCase();
  const rest = drive === undefined ? text : text.slice(2);
  if (!PLAIN.test(rest) || NOT_COMPOSED.test(rest.normalize('NFKC'))) return null;
  // On Unix a backslash is part of a name. On Windows it separates names.
  if (drive === undefined && rest.includes('\\')) return null;
  const names = rest.replaceAll('\\', '/').split('/');
  const isRooted = names[0] === '';
  // `//host/share` is on another host for Windows.
  if (isRooted && names.length > 1 && names[1] === '' && names.some((name) => name !== '')) return null;
  const steps = names.filter((name) => name !== '' && name !== '.');
  if (!steps.every(isPlainName)) return null;
  if (drive !== undefined) return { kind: 'drive', names: [drive, ...steps].map(asciiLowerCase) };
  if (!isRooted && /^[-~]/.test(rest)) return null;
  return { kind: isRooted ? 'unix' : 'relative', names: steps };
}

/** Other letters are compared as they are: which of them Windows takes for one depends on its version. */
function asciiLowerCase(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * `..` after the name of a link leads out of the folder. Windows ignores dots and blanks at the end of a name. Windows also
 * gives long names short ones with `~`, which `PLAIN` does not contain.
 */
function isPlainName(name: string): boolean {
  return !/^ |[. ]$/.test(name) && !DEVICE.test(name);
}
