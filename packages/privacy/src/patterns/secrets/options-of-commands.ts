/** Finds passwords after options that mean something else in other commands: `curl -u user:password`, `sshpass -p …`. */
import { type Finder, MASK, type Span } from '../piece.ts';

const VALUE = `[^\\s"'\\\\${MASK}]`;
const OPTION = new RegExp(
  `[ \\t](?:(?<user>-u|--user|--proxy-user)[ =]{0,4}|(?<glued>-p(?=[^ \\t-]))|-[ap][ \\t]{1,4})["']?(?<value>${VALUE}{4,256})`,
  'g',
);
const TAKES_USER = /\b(?:curl|wget|http|xh)\b[^\r\n]*$/;
const TAKES_PASSWORD = /\b(?:sshpass|redis-cli|docker login|podman login|helm registry login)\b[^\r\n]*$/;
/** Matches commands that accept a password after `-p` without a space. */
const TAKES_GLUED = /\b(?:sshpass|mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\r\n]*$/;
const COMMAND = 256;

export const findOptionsOfCommands: Finder = (text) => {
  const found: Span[] = [];
  for (const { index, 0: written, groups } of text.matchAll(OPTION)) {
    const command = text.slice(Math.max(0, index - COMMAND), index);
    const value = groups?.value ?? '';
    const isCredential =
      groups?.user === undefined
        ? (groups?.glued === undefined ? TAKES_PASSWORD : TAKES_GLUED).test(command)
        : /^[^:]*:[^:]/.test(value) && TAKES_USER.test(command);
    const end = index + written.length;
    if (isCredential) found.push({ start: end - value.length, end });
  }
  return found;
};
