/** Folders, by the names that lead to them from a root, all that lies in them included. */
const SYSTEM = Map.groupBy(
  [
    'etc',
    'proc',
    'sys',
    'dev',
    'boot',
    'root',
    'var/run',
    'run/secrets',
    'run/docker.sock',
    'var/spool/cron',
    'private/etc',
    'private/var/run',
    'library/keychains',
    'system/library',
  ].map((path) => path.split('/')),
  ([first]) => first,
);
const WINDOWS = ['windows', 'winnt', 'system volume information', '$recycle.bin'];
/** Names that mark a folder or file of secrets wherever it stands. */
const SECRETS = new Set([
  '.ssh',
  '.aws',
  '.gnupg',
  '.kube',
  '.azure',
  '.docker',
  '.netrc',
  '.pgpass',
  '.git-credentials',
]);
/** A home folder, or a variable that holds some folder: absolute, though nobody here knows where. */
const FROM_VARIABLE = /^(?:~[^/]*|\$[a-z_]\w*|%\w+%)(?:\/|$)/;
const DOT = 0x2e;
const BLANK = 0x20;
const DEVICE_NAMES = ['//?/', '//./', '/??/'];

/**
 * Says what must not be in a path, or null if there is nothing against it. `path` is lower case and has `/` for every
 * slash (see ./path-text.ts).
 */
export function forbiddenPath(path: string): string | null {
  if (path.startsWith('/') && DEVICE_NAMES.some((start) => path.startsWith(start)))
    return 'no path by a device name';
  if (/(?:%|env:)(?:systemroot|windir)/.test(path)) return 'no path into a system folder';
  const hasDots = path.includes('.');
  if (hasDots && path.split('/').some((segment) => SECRETS.has(segment.trim())))
    return 'no path to a folder of secrets';
  const climbs = hasDots && climbsOut(path.split('/').map(folded));
  if (!path.includes(':')) return onHost(path) ?? (climbs ? 'no ".." that climbs out' : null);
  // A colon parts a scheme, a host or a list from the path that follows, or a drive from its folders.
  let before = '';
  for (const piece of path.split(':')) {
    const fault = /(?:^|\/)[a-z]$/.test(before) ? onDrive(piece) : behindColon(before, piece);
    if (fault !== null) return fault;
    before = piece;
  }
  return climbs ? 'no ".." that climbs out' : null;
}

function behindColon(before: string, piece: string): string | null {
  // With no host between its slashes a URL means this machine.
  const isUrl = /^[a-z][a-z0-9+.-]+$/.test(before) && /^\/\/[^/]/.test(piece);
  if (!isUrl) return onHost(piece);
  if (before !== 'file') return null;
  // file://host/path: the path counts, whatever the host.
  const path = piece.indexOf('/', 2);
  return onHost(piece) ?? (path < 0 ? null : onHost(piece.slice(path)));
}

function onHost(path: string): string | null {
  const option = /^-+[a-z]*\//.exec(path);
  const rooted = path.startsWith('/') || option !== null || FROM_VARIABLE.test(path);
  // Most of what is read is running text: nothing is made of it.
  if (!rooted && !path.includes('.')) return null;
  const segments = (option ? path.slice(option[0].length - 1) : path).split('/').map(folded).filter(isStep);
  if (!rooted) return climbsOut(segments) ? 'no ".." that climbs out' : null;
  if (segments.some(isUp)) return 'no ".." in an absolute path';
  if (segments[0] === '~root') return 'no path into a system folder';
  if (path.startsWith('//') && segments[1]?.endsWith('$')) return 'no administrative share';
  // /c/… and /mnt/c/… are how ports of Unix tools spell a drive of Windows.
  const drive = segments[0] === 'mnt' ? 1 : 0;
  if (segments[drive]?.length === 1 && WINDOWS.includes(segments[drive + 1] ?? ''))
    return 'no path into a system folder';
  const isSystem = SYSTEM.get(segments[0])?.some((folder) =>
    folder.every((name, at) => segments[at] === name),
  );
  return isSystem ? 'no path into a system folder' : null;
}

function onDrive(path: string): string | null {
  const segments = path.split('/').map(folded).filter(isStep);
  if (segments.some(isUp)) return 'no ".." in an absolute path';
  return WINDOWS.includes(segments[0] ?? '') ? 'no path into a system folder' : null;
}

/** @param segments folded */
function climbsOut(segments: readonly string[]): boolean {
  let depth = 0;
  for (const segment of segments) {
    if (!isStep(segment)) continue;
    depth += isUp(segment) ? -1 : 1;
    if (depth < 0) return true;
  }
  return false;
}

/** Windows forgets dots and spaces at the end of a name, so `.. ` goes up and `windows.` is `windows`. */
function folded(segment: string): string {
  const last = segment.charCodeAt(segment.length - 1);
  if (last !== DOT && last !== BLANK) return segment;
  if (/^[. ]*$/.test(segment)) return /^ *\.\.(?: [. ]*)?$/.test(segment) ? '..' : segment.trim();
  return segment.replace(/^(.*[^. ])[. ]*$/s, '$1');
}

function isUp(segment: string): boolean {
  return segment === '..';
}

function isStep(segment: string): boolean {
  return segment !== '' && segment !== '.';
}
