import { describeSeen } from '../argument-fault.ts';
import { everyString, pointerTo } from '../every-string.ts';
import { FIELD_NAMES, stringsOfFields } from '../judged-strings.ts';
import type { NamedValidator } from '../named-validator.ts';
import { pathPieces } from './path-pieces.ts';
import { pathText } from './path-text.ts';
import { forbiddenPath } from './system-path.ts';

/**
 * Refuses arguments in which a string, value or name of a field, holds a path to where a machine keeps its own affairs
 * or its users' secrets (./places.ts lists them). With `fields` it judges the strings in fields of these names only.
 *
 * It is a list of what is refused, for strings that may hold anything. Where a tool takes paths, the validator `paths`
 * lets through the folders that the tool needs, and nothing else.
 *
 * A string is read as a whole, and word by word where words are parted by white space, quotes, brackets and the
 * punctuation of shells and lists: `cat /etc/passwd` is refused like `/etc/passwd`. A word counts as a path only if it
 * has a slash, so `see etc/passwd docs and/or more` is just text, and so is a web address. What is refused:
 *
 * - an absolute path into a system folder, however it is spelled: doubled slashes, `/./`, either slash,
 *   percent-encoded, in full-width letters, as `file:` URL, with Windows' short names and endings;
 * - a `..` in an absolute path, wherever it leads, and in a relative one if it climbs above where it starts;
 * - a folder or file of secrets anywhere in a path: `.ssh`, `.npmrc`, `id_rsa`, …;
 * - paths on other hosts (`\\host\share`), and device names (`\\?\…`, `\\.\…`);
 * - a NUL, at which half of the world's software stops reading.
 *
 * Shells write to `/dev/null` and its like all the time, so those pass. It reads text; it cannot know links, variables
 * or patterns that a shell would expand. A tool that runs a shell needs a sandbox as well.
 */
export const noSystemPaths: NamedValidator = {
  describe:
    'no path into system folders or to secrets, and no ".." that climbs out; may be given the fields: { noSystemPaths: { fields: [path] } }',
  parameters: {
    type: 'object',
    required: ['fields'],
    additionalProperties: false,
    properties: { fields: FIELD_NAMES },
  },
  parametersRequired: false,
  create(parameters) {
    const { fields } = (parameters ?? {}) as { fields?: unknown };
    const judged = stringsOfFields(fields, everyString);
    return (args, effort) => {
      for (const found of judged(args, effort)) {
        const expected = faultIn(found.text);
        if (expected !== null) {
          return {
            pointer: pointerTo(found),
            expected,
            seen: describeSeen(found.text),
            rule: 'noSystemPaths',
          };
        }
      }
      return null;
    };
  },
};

/** `\\host\share`, as Windows writes it. With slashes of the other kind it may be a comment of code. */
const OTHER_HOST = /(?:^|[\s"'`,;|&<>(){}[\]=@])\\\\[\w.@$-]{2,}[\\/][\w$]/;

function faultIn(text: string): string | null {
  // Without any of these no path can be spelled; most strings end here.
  if (!/[/\\.%\0\u0080-\uffff]|id_[der]|_netrc/i.test(text)) return null;
  const plain = pathText(text);
  if (plain === null) return 'no text that is percent-encoded over and over';
  if (plain.includes('\0')) return 'no NUL character';
  if (OTHER_HOST.test(plain)) return 'no path on another host';
  // A shell reads ${HOME} as $HOME.
  const slashed = plain.replaceAll('\\', '/').replaceAll(/\$\{(\w+)\}/g, '$$$1');
  for (const piece of pathPieces(slashed)) {
    const fault = forbiddenPath(piece);
    if (fault !== null) return fault;
  }
  return null;
}
