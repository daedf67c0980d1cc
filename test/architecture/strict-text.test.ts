import { describe, expect, it } from 'vitest';
import { ROOT } from './repository.ts';
import { isForTests, readTree } from './tree.ts';

/** Code that decodes bytes as text and replaces invalid UTF-8 by U+FFFD. */
const LENIENT = [
  /\breadFile(?:Sync)?\(.*['"]utf-?8/,
  /\bnew TextDecoder\((?!.*fatal: true)/,
  /\btoString\(['"]utf-?8['"]\)/,
  /import \{[^}]*\btext\b[^}]*\} from 'node:stream\/consumers'/,
  /\bsetEncoding\(/,
];

/** The files that may replace invalid UTF-8, each with the reason. None of them uses the decoded text as a name. */
const ALLOWED: Readonly<Record<string, string>> = {
  'packages/audit/src/embedded.ts': 'a status file of the engine',
  'packages/audit/src/migration-files.ts': 'files of this repository',
  'packages/audit/src/recorded.ts': 'a copy of a record, which was read strictly, for people to look at',
  'packages/bus/src/sqlite/process-identity.ts': 'what the system says of processes',
  'packages/client/src/download.ts': 'answers of the plane',
  'packages/client/src/server-sent-events.ts': 'events of the plane',
  'packages/documents/src/manifests/manifest-folder.ts':
    'which documents a folder has; each of them is then read strictly',
  'packages/ledger/src/redis/load-script.ts': 'files of this repository',
  'packages/policy/src/arguments/mail/decoded-text.ts': 'one more form in which addresses are looked for',
  'packages/policy/src/arguments/mail/raw-message.ts':
    'base64 of an argument, where U+FFFD says that it is no text',
  'packages/policy/src/arguments/paths/path-text.ts': 'what a path in an argument stands for',
  'packages/sdk/src/adapters/read-answers.ts':
    'answers of a model provider: usage is read, and events reach the caller as the bytes that they are',
  'packages/sdk/src/plane/read-events.ts': 'events of the plane',
  'schemas/src/decode-text.ts': 'the place of a fault',
  'services/runner/src/logic/isolated-command.ts': 'files of this repository',
  'services/runner/src/logic/read-answer.ts': 'what code printed, as the end of a message',
  'services/runner/src/tools/server-connection.ts': 'what a server wrote last, for the log of the runner',
};

/**
 * Finds code that replaces invalid UTF-8. Returns each place as `path:line`. Tests, scripts and the processes that
 * tests start are not searched.
 */
function lenientIn(files: ReadonlyMap<string, string>): string[] {
  return [...files]
    .filter(
      ([path]) => /^(?:packages|services|schemas)\//.test(path) && !path.startsWith('packages/testing/'),
    )
    .filter(([path]) => !isForTests(path) && !path.includes('/system/'))
    .flatMap(([path, text]) =>
      text
        .split('\n')
        .flatMap((line, at) => (LENIENT.some((form) => form.test(line)) ? [`${path}:${at + 1}`] : [])),
    );
}

describe('text from outside', () => {
  const found = lenientIn(readTree(ROOT).files);
  const pathOf = (place: string) => place.replace(/:\d+$/, '');

  it('is decoded strictly, except in the listed files', () => {
    expect(found.filter((place) => ALLOWED[pathOf(place)] === undefined)).toEqual([]);
  });

  it('is decoded leniently in every listed file: the list has no file that does not need it', () => {
    expect(Object.keys(ALLOWED).filter((path) => !found.map(pathOf).includes(path))).toEqual([]);
  });

  it.each([
    "const a = readFileSync(path, 'utf8');",
    "const a = await fs.readFile(path, 'utf-8');",
    'const a = new TextDecoder().decode(bytes);',
    "const a = Buffer.from(line).toString('utf8');",
    "import { text } from 'node:stream/consumers';",
  ])('is found if it is decoded leniently: %s', (line) => {
    expect(lenientIn(new Map([['packages/a/src/a.ts', `\n${line}`]]))).toEqual(['packages/a/src/a.ts:2']);
  });
});
