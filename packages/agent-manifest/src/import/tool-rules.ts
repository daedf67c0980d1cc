/**
 * Turns argument rules of other files, such as `Bash(git *)`, into JSON Schemas of the arguments. If a schema cannot
 * express the exact meaning, it is stricter.
 */
import type { ArgumentSchema } from './imported-agent.ts';

/** The meaning of a `*` in a glob: any text. In an allowed command: any text that cannot start another command. */
const ANY = '[\\s\\S]*';
const IN_ONE_COMMAND = '[^;&|<>$`(){}\\n\\r\\\\]*';

function regexOf(glob: string, star: string, isCaseless = false): string {
  return [...glob]
    .map((character) => {
      if (character === '*') return star;
      if (isCaseless && /[a-z]/i.test(character))
        return `[${character.toLowerCase()}${character.toUpperCase()}]`;
      return character.replace(/[\\^$.*+?()[\]{}|]/, '\\$&');
    })
    .join('');
}

/** The schema of an object in which the field is present and matches the pattern. */
function matching(field: string, pattern: string): ArgumentSchema {
  return { type: 'object', required: [field], properties: { [field]: { type: 'string', pattern } } };
}

/**
 * The pattern of a command that a glob allows. `git:*` is the older form of `git *`: the word alone, or followed by
 * more text.
 */
export function allowedCommand(glob: string): string {
  const prefix = glob.endsWith(':*') ? glob.slice(0, -2) : null;
  if (prefix !== null) return `${regexOf(prefix, IN_ONE_COMMAND)}(?: ${IN_ONE_COMMAND})?`;
  return regexOf(glob, IN_ONE_COMMAND);
}

/** The schema of arguments in which the field matches one of the patterns from its beginning to its end. */
export function oneOf(field: string, patterns: readonly string[]): ArgumentSchema {
  return matching(field, `^(?:${patterns.join('|')})$`);
}

/**
 * The schema of arguments with a command that does not contain the denied text anywhere. The beginning is not enough, because
 * one line of a shell can contain several commands.
 */
export function withoutCommand(field: string, glob: string): ArgumentSchema {
  const words = glob.replace(/:?\*+$/, '').trim();
  const pattern = words === '' ? '' : `(?:^|[^A-Za-z0-9_-])${regexOf(words, ANY, true)}`;
  return { not: matching(field, pattern) };
}

/** The schema of arguments in which not all fields match their globs. The letter case does not count. */
export function notAll(globs: readonly (readonly [field: string, glob: string])[]): ArgumentSchema {
  const each = globs.map(([field, glob]) => matching(field, `^${regexOf(glob, ANY, true)}$`));
  return { not: { allOf: each } };
}

/**
 * The pattern of a path that a glob allows: `**` crosses folders, `*` does not. `/src` begins in the working folder,
 * `//etc` at the root. Null for a path below the home folder, which is not known here.
 */
export function allowedFile(glob: string): string | null {
  if (glob.startsWith('~')) return null;
  const fromRoot = glob.startsWith('//') ? '/' : '';
  const parts = glob.replace(/^(?:\.\/|\/{1,2})/, '').split('/');
  const patterns = parts.map((part, at) => {
    const isLast = at === parts.length - 1;
    if (part === '**') return isLast ? `(?:${FOLDER}/)*${FOLDER}` : `(?:${FOLDER}/)*`;
    return regexOf(part, '[^/\\\\]*') + (isLast ? '' : '/');
  });
  return fromRoot + patterns.join('');
}

const FOLDER = '[^/\\\\]+';

/** The schema of arguments in which the path does not leave its folder with `..`. */
export function withoutClimbing(field: string): ArgumentSchema {
  return { not: matching(field, '(?:^|[/\\\\])\\.\\.(?:[/\\\\]|$)') };
}

/** The pattern of addresses of one host. */
export function allowedHost(domain: string): string {
  const host = domain.startsWith('*.')
    ? `(?:[A-Za-z0-9-]+\\.)+${regexOf(domain.slice(2), '')}`
    : regexOf(domain, '');
  return `https?://${host}(?::[0-9]+)?(?:[/?#][^\\s\\\\]*)?`;
}
