/** The lockfile and the image use one version of Node. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');

test('the image is built on the version of Node that package.json pins', () => {
  const pinned: { devDependencies: { node: string } } = JSON.parse(read('package.json'));
  const [, built] = /^ARG NODE_VERSION=(.+)$/m.exec(read('Dockerfile')) ?? [];
  expect(built).toBe(pinned.devDependencies.node);
});
