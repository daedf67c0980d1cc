import { GROUPS, TOPICS } from '@mandate/schemas';
import { describe, expect, it } from 'vitest';
import { ROOT } from './repository.ts';
import { isForTests, readTree } from './tree.ts';

const HOME = 'schemas/src/topics.ts';
const NAMES = [...Object.values(TOPICS), ...Object.values(GROUPS)];
const NAME = new RegExp(
  `['"\`](${NAMES.map((name) => name.replaceAll('.', '\\.')).join('|')}|mandate\\.[a-z]+\\.v\\d)`,
);

/** Returns the lines outside of tests that contain the name of a topic or a consumer group, as `path:line`. */
function spelled(files: ReadonlyMap<string, string>): string[] {
  return [...files]
    .filter(([path]) => path !== HOME && !isForTests(path))
    .flatMap(([path, text]) =>
      text.split('\n').flatMap((line, index) => (NAME.test(line) ? [`${path}:${index + 1}`] : [])),
    );
}

describe('the name of a topic or a consumer group', () => {
  it('are written in one file only', () => {
    expect(spelled(readTree(ROOT).files)).toEqual([]);
  });

  it.each([...NAMES, 'mandate.control.v1', `${TOPICS.actions}.acme`])(
    'are found if another file contains them: %s',
    (name) => {
      expect(spelled(new Map([['packages/bus/src/a.ts', `\nconst topic = '${name}';`]]))).toEqual([
        'packages/bus/src/a.ts:2',
      ]);
      expect(spelled(new Map([[HOME, `'${name}'`]]))).toEqual([]);
      expect(spelled(new Map([['packages/bus/src/a.test.ts', `'${name}'`]]))).toEqual([]);
    },
  );
});
