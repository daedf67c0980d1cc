import { describeSeen } from './argument-fault.ts';
import { everyString, pointerTo } from './every-string.ts';
import type { NamedValidator } from './named-validator.ts';
import { pathText } from './path-text.ts';
import { forbiddenPath } from './system-path.ts';

/**
 * Refuses arguments in which any string, value or name of a field, holds a path to where a machine keeps its own
 * affairs or its users' secrets.
 *
 * A string is read as a whole, and word by word where words are parted by white space, quotes, brackets and the
 * punctuation of shells and lists: `cat /etc/passwd` is refused like `/etc/passwd`. A word counts as a path only if
 * it has a slash, so `see etc/passwd docs and/or more` is just text, and so is a web address. What is refused:
 *
 * - an absolute path into a system folder (./system-path.ts lists them), however it is spelled: doubled slashes,
 *   `/./`, either slash, percent-encoded, in full-width letters, as `file:` URL;
 * - a `..` in an absolute path, wherever it leads, and in a relative one if it climbs above where it starts;
 * - a folder of secrets anywhere in a path: `.ssh`, `.aws`, …;
 * - Windows device names (`\\?\…`, `\\.\…`) and administrative shares (`\\host\c$`);
 * - a NUL, at which half of the world's software stops reading.
 *
 * It reads text; it cannot know links, variables or patterns that a shell would expand. A tool that runs a shell needs
 * a sandbox as well.
 */
export const noSystemPaths: NamedValidator = {
  describe: 'no path into system folders or folders of secrets, and no ".." that climbs out',
  parameters: null,
  parametersRequired: false,
  create: () => (args, effort) => {
    for (const found of everyString(args, effort)) {
      const expected = faultIn(found.text);
      if (expected !== null) {
        return { pointer: pointerTo(found), expected, seen: describeSeen(found.text), rule: 'noSystemPaths' };
      }
    }
    return null;
  },
};

const WORD_ENDS = /[\s"'`,;|&<>(){}[\]=@]+/;

function faultIn(text: string): string | null {
  // Without any of these no path can be spelled; most strings end here.
  if (!/[/\\.%\0\u0080-\uffff]/.test(text)) return null;
  const plain = pathText(text);
  if (plain === null) return 'no text that is percent-encoded over and over';
  if (plain.includes('\0')) return 'no NUL character';
  const whole = forbiddenPath(plain.trim());
  if (whole !== null) return whole;
  for (const word of plain.split(WORD_ENDS)) {
    const fault = word.includes('/') ? forbiddenPath(word) : null;
    if (fault !== null) return fault;
  }
  return null;
}
