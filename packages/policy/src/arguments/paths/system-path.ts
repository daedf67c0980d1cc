import type { PathPiece } from './path-pieces.ts';
import {
  HARMLESS_DEVICES,
  SECRET_NAMES,
  SECRET_SEQUENCES,
  SHARED_ENV_FILES,
  UNIX_FOLDERS,
  WINDOWS_FOLDERS,
} from './places.ts';
import { beginsIn, climbsOut, pathTable, segmentsOf } from './segments.ts';

const UNIX = pathTable(UNIX_FOLDERS);
const WINDOWS = pathTable(WINDOWS_FOLDERS);
const SECRETS = pathTable([...SECRET_NAMES, ...SECRET_SEQUENCES]);
const DEVICES = new Set(HARMLESS_DEVICES);
const SHARED = new Set(SHARED_ENV_FILES);
/**
 * Matches names of key files. In running text these names have no other meaning, so they are refused even without a
 * slash.
 */
const KEY_FILE = /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/;

const DEVICE_NAME = /^(?:\/{2,}[.?]|\/\?\?)\//;
/** Matches `//host/share`. */
const ON_HOST = /^\/\/[\w.@$-]+\/./;
/**
 * Matches a user's home folder, or a variable that contains a folder, at the beginning of a path. Such a path is
 * absolute, but it is unknown where it leads.
 */
const FROM_VARIABLE = /^(?:~[^/]*|\$[a-z_]\w*|%\w+%)(?:\/|$)/;
const SYSTEM_VARIABLES = new Set(['systemroot', 'windir']);
/** URL schemes for files on a machine. A URL with any other scheme is a web address. */
const FILE_SCHEMES = new Set([
  ...['file', 'sftp', 'scp', 'ssh', 'rsync', 'smb', 'cifs', 'nfs', 'afp', 'unix', 'netdoc', 'npipe'],
]);

const SYSTEM = 'no path into a system folder';
const SECRET = 'no path to secrets';
const CLIMBS = 'no ".." that climbs out';
const UP = 'no ".." in an absolute path';
const OTHER_HOST = 'no path on another host';

/**
 * Returns a description of the forbidden path, or null if the path is allowed.
 *
 * @param piece in lower case, with `/` for every slash
 */
export function forbiddenPath({ text, isAlone }: PathPiece): string | null {
  if (!text.includes('/')) {
    if (!isAlone) return KEY_FILE.test(text) ? SECRET : null;
    if (text === '..') return CLIMBS;
  }
  const parts = text.split(':');
  if (parts.some((part) => DEVICE_NAME.test(part))) return 'no path by a device name';
  const isWeb = isUrl(parts[0] ?? '', parts[1]) && !FILE_SCHEMES.has(parts[0] ?? '');
  // A colon may follow a scheme, a host, a drive or an item of a list. A path may follow the colon.
  for (const [at, part] of parts.entries()) {
    if (isWeb && !part.startsWith('/')) continue;
    const fault = faultOfPart(part, at === 0 ? null : (parts[at - 1] ?? ''), isAlone);
    if (fault !== null) return fault;
  }
  return !isWeb && climbsOut(segmentsOf(text)) ? CLIMBS : null;
}

/** True for a URL with a host. A `file:` URL without a host means this machine. */
function isUrl(scheme: string, rest: string | undefined): boolean {
  return /^[a-z][a-z0-9+.-]+$/.test(scheme) && rest !== undefined && /^\/\/[^/]/.test(rest);
}

/** @param before the text before the colon that precedes this part; null for the first part */
function faultOfPart(part: string, before: string | null, isAlone: boolean): string | null {
  if (before === null) return faultOfPath(part, isAlone);
  if (/(?:^|\/)[a-z]$/.test(before)) return faultOnDrive(part);
  if (isUrl(before, part)) return FILE_SCHEMES.has(before) ? faultOfFileUrl(before, part) : null;
  if (before === 'file') return faultOfPath(`/${part}`, false);
  const isVariable = before.endsWith('$env') && SYSTEM_VARIABLES.has(segmentsOf(part)[0] ?? '');
  return isVariable ? SYSTEM : faultOfPath(part, false);
}

function faultOfFileUrl(scheme: string, rest: string): string | null {
  const slash = rest.indexOf('/', 2);
  const host = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  if (scheme === 'file' && host !== 'localhost' && !/^[a-z]$/.test(host)) return OTHER_HOST;
  return slash < 0 ? null : faultOfPath(rest.slice(slash), false);
}

function faultOnDrive(path: string): string | null {
  const segments = segmentsOf(path);
  if (segments.includes('..')) return UP;
  return beginsIn(WINDOWS, segments) ? SYSTEM : secretIn(segments);
}

function faultOfPath(path: string, isAlone: boolean): string | null {
  const option = /^-+[a-z]*\//.exec(path);
  const plain = option === null ? path : path.slice(option[0].length - 1);
  const isVariable = FROM_VARIABLE.test(plain);
  const segments = segmentsOf(plain);
  if (!plain.startsWith('/') && !isVariable) return climbsOut(segments) ? CLIMBS : secretIn(segments);
  if (segments.includes('..')) return UP;
  const [first = '', ...rest] = segments;
  const variable = isVariable ? first.replaceAll(/[$%]/g, '') : null;
  if (variable !== null) return faultInVariable(variable, rest);
  if (isInSystem(segments)) return SYSTEM;
  // In running text two slashes begin a comment of code, so they count as a host only in some cases.
  const isOnHost = ON_HOST.test(plain) && (isAlone || rest[0]?.endsWith('$') === true);
  return isOnHost ? OTHER_HOST : secretIn(segments);
}

function faultInVariable(variable: string, rest: readonly string[]): string | null {
  if (variable === '~root' || SYSTEM_VARIABLES.has(variable)) return SYSTEM;
  if (variable === 'systemdrive' && beginsIn(WINDOWS, rest)) return SYSTEM;
  if (variable === 'programdata' && beginsIn(WINDOWS, [variable, ...rest])) return SYSTEM;
  return secretIn([variable, ...rest]);
}

/**
 * True for a path into a system folder. Includes folders on a drive of Windows in the spelling of ported Unix tools:
 * /c/…, /mnt/c/…, /cygdrive/c/…
 */
function isInSystem(segments: readonly string[]): boolean {
  const [first = '', second = ''] = segments;
  if (first === 'dev' && segments.length === 2 && DEVICES.has(second)) return false;
  if (beginsIn(UNIX, segments) || beginsIn(WINDOWS, segments)) return true;
  const drive = first === 'mnt' || first === 'cygdrive' ? 1 : 0;
  return segments[drive]?.length === 1 && beginsIn(WINDOWS, segments, drive + 1);
}

function secretIn(segments: readonly string[]): string | null {
  for (const [at, name] of segments.entries()) {
    if (beginsIn(SECRETS, segments, at) || (/[.~]/.test(name) && isSecretFile(name))) return SECRET;
  }
  return null;
}

/** True for a file with secrets, for a copy of such a file, and for `.env.local`. */
function isSecretFile(name: string): boolean {
  if (name.startsWith('.env.')) return !SHARED.has(name.slice(name.lastIndexOf('.') + 1));
  const original = name.replace(/(?:~|\.(?:bak|backup|copy|old|orig|save|swp|tmp))$/, '');
  return original !== name && SECRETS.get(original)?.some((path) => path.length === 1) === true;
}
