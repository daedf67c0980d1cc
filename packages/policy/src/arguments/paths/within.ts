/** A folder that contains all allowed paths. */
export type Folder = {
  /**
   * Examples: `unix` is `/srv/data`, `drive` is `c:/data`, and `relative` is `data` or `.`, from the tool's working
   * folder.
   */
  readonly kind: 'unix' | 'drive' | 'relative';
  /**
   * The names of the path, without `.`. For a folder on a drive, the first name is the drive, and all names are in
   * lower case, because Windows ignores case.
   */
  readonly names: readonly string[];
};

/**
 * True if a path is in one of the folders for every program that could open it. A path that programs read in
 * different ways counts as outside.
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
 * Letters, digits and the few signs that have no special meaning in shells, URLs and copying tools. So a path has no
 * `%` to decode, no `:` of a host or stream, no `*`, no `$`, no quote and no line break.
 */
const PLAIN = /^[\p{L}\p{M}\p{Nd} _.,+=@#()/\\-]+$/u;
/** NFKC gives all forms of a letter one form. After NFKC, the path may have only the same letters, digits and signs. */
const NOT_COMPOSED = /[^\p{L}\p{M}\p{Nd} _.,+=@#()/\\-]/u;
/** Windows takes these names for devices in every folder, also with an extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:[ .]|$)/i;

/** Returns the path in the one way that all programs read it. Null if programs read it in different ways. */
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

/** Lowers ASCII letters only. Which other letters Windows treats as equal depends on its version. */
function asciiLowerCase(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * True if a name has one meaning. `..` after the name of a link leads out of the folder. Windows ignores dots and
 * blanks at the end of a name. Windows also gives long names short names with `~`, which `PLAIN` does not contain.
 */
function isPlainName(name: string): boolean {
  return !/^ |[. ]$/.test(name) && !DEVICE.test(name);
}
