import { describeSeen } from '../argument-fault.ts';
import { everyString, pointerTo } from '../every-string.ts';
import { FIELD_NAMES, stringsOfFields } from '../judged-strings.ts';
import type { NamedValidator } from '../named-validator.ts';
import { pathPieces } from './path-pieces.ts';
import { pathText } from './path-text.ts';
import { forbiddenPath } from './system-path.ts';

/**
 * Refuses arguments in which a string (a value or a field name) contains a path to system files or to secrets of
 * users (./places.ts lists them). If `fields` is given, only the strings in fields with these names are checked.
 *
 * This is a list of refused paths, for strings that may contain anything. For a tool that takes paths, use the
 * validator `paths`: it accepts the folders that the tool needs, and nothing else.
 *
 * A string is read as a whole, and also word by word. White space, quotes, brackets, and the punctuation of shells
 * and lists separate words: `cat /etc/passwd` is refused like `/etc/passwd`. A word counts as a path only if it has a
 * slash. So `see etc/passwd docs and/or more` is just text. A web address is not a path either. These are refused:
 *
 * - an absolute path into a system folder in any spelling: doubled slashes, `/./`, backslashes,
 *   percent-encoding, full-width letters, a `file:` URL, or with Windows' short names and endings;
 * - a `..` in an absolute path, wherever it leads, and in a relative path if it leaves the starting folder;
 * - a folder or file of secrets anywhere in a path: `.ssh`, `.npmrc`, `id_rsa`, …;
 * - paths on other hosts (`\\host\share`), and device names (`\\?\…`, `\\.\…`);
 * - a NUL character, because much software stops reading there.
 *
 * Shells often write to `/dev/null` and similar devices, so those are accepted. The validator reads text only. It
 * cannot know links, variables or patterns that a shell would expand. A tool that runs a shell needs a sandbox as
 * well.
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
    return (args, stepBudget) => {
      for (const found of judged(args, stepBudget)) {
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

/**
 * Matches `\\host\share`, a Windows path on another host. Forward slashes are not matched, because `//` may begin a
 * comment in code.
 */
const OTHER_HOST = /(?:^|[\s"'`,;|&<>(){}[\]=@])\\\\[\w.@$-]{2,}[\\/][\w$]/;

function faultIn(text: string): string | null {
  // A fast path: most strings contain none of these characters and names, so they contain no path.
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
