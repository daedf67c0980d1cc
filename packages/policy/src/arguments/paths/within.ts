/** A folder that contains all allowed paths. */
export type Folder = {
  /**
   * `unix`: from the root, such as `/srv/data`. `drive`: such as `c:/data`. `relative`: from the tool's working
   * folder, such as `data` or `.`.
   */
  readonly kind: 'unix' | 'drive' | 'relative';
  /**
   * The names of the path, without `.`. For a folder on a drive, the first name is the drive. All names of such a
   * folder are in lower case, because Windows ignores case.
   */
  readonly names: readonly string[];
};

/**
 * True if a path is in one of the folders for every program that could open the path. A path that programs read in
 * different ways counts as outside.
 */
export function isWithin(folders: readonly Folder[], text: string): boolean {
  const path = readFolder(text);
  return path !== null && folders.some((folder) => isInside(folder, path));
}

/** True if the outer folder contains the whole inner folder. */
export function isInside(outer: Folder, inner: Folder): boolean {
  return outer.kind === inner.kind && outer.names.every((name, at) => inner.names[at] === name);
}

/**
 * Matches letters, digits and the few signs that have no special meaning in shells, URLs and copying tools. So a path
 * has no `%` to decode, no `:` of a host or stream, no `*`, no `$`, no quote and no line break.
 */
const PLAIN = /^[\p{L}\p{M}\p{Nd} _.,+=@#()/\\-]+$/u;
/**
 * Matches any character that `PLAIN` does not allow. The text is checked again after NFKC, which changes all forms of
 * a letter to one form.
 */
const NOT_COMPOSED = /[^\p{L}\p{M}\p{Nd} _.,+=@#()/\\-]/u;
/** Matches device names of Windows. Windows reads them as devices in every folder, also with an extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:[ .]|$)/i;

/** Returns the folder that the text names. Null if programs read the text in different ways. */
export function readFolder(text: string): Folder | null {
  const drive = /^[a-z]:(?=[/\\])/i.exec(text)?.[0].slice(0, 1).toLowerCase();
  const rest = drive === undefined ? text : text.slice(2);
  if (!PLAIN.test(rest) || NOT_COMPOSED.test(rest.normalize('NFKC'))) return null;
  // On Unix a backslash is part of a name. On Windows it separates names.
  if (drive === undefined && rest.includes('\\')) return null;
  const names = rest.replaceAll('\\', '/').split('/');
  const isRooted = names[0] === '';
  // Windows reads `//host/share` as a path on another host.
  if (isRooted && names.length > 1 && names[1] === '' && names.some((name) => name !== '')) return null;
  const steps = names.filter((name) => name !== '' && name !== '.');
  if (!steps.every(isPlainName)) return null;
  if (drive !== undefined) return { kind: 'drive', names: [drive, ...steps].map(asciiLowerCase) };
  if (!isRooted && /^[-~]/.test(rest)) return null;
  return { kind: isRooted ? 'unix' : 'relative', names: steps };
}

/**
 * Changes ASCII letters to lower case. Other letters stay, because versions of Windows disagree about which of them
 * are equal.
 */
function asciiLowerCase(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * True if a name has one meaning. `..` is refused, because after a link it leads out of the folder. Dots and blanks
 * at the end are refused, because Windows ignores them. Short names of Windows contain `~`, which `PLAIN` refuses
 * already.
 */
function isPlainName(name: string): boolean {
  return !/^ |[. ]$/.test(name) && !DEVICE.test(name);
}
