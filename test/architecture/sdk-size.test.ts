/** Tests what a program loads when it imports a subpath of the SDK, as it would be published. */
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import type { OutputChunk } from 'rolldown';
import { expect, test } from 'vitest';
import { bundle, librariesOf, nameOf } from '../../scripts/build/bundle.ts';
import { PUBLISHED } from '../../scripts/build/published.ts';

const KIB = 1_024;

/** The most that a minified subpath may have, with the files that it loads at once. Without its libraries. */
const MOST_BYTES: Readonly<Record<string, number>> = {
  // Limits on tokens need 7 KiB here, and the tools that answers ask for 4 KiB, with their limits. What a
  // policy states about its tools needs 1 KiB.
  '.': 516 * KIB,
  // The aim is 20 KiB. The turns of `./turn` need 0.5 KiB here: their scope, absent arguments and obligations.
  './plane': 42 * KIB,
  // Contains the client of the log, and the schemas of all records.
  './kafka': 400 * KIB,
};
/** The most of any other subpath. */
const MOST_OF_ADAPTER = 40 * KIB;

/** Clients of servers. They are loaded when a call needs them. */
const CLIENTS = ['ioredis', 'kafkajs'];

test('a subpath of the SDK is small, and loads no client of a server', async () => {
  const sdk = PUBLISHED.find(({ name }) => name === '@mandate/sdk');
  if (sdk === undefined) throw new Error('The SDK is not published');
  const chunks = await bundle(sdk, join(temporaryFolder(), 'sdk'), { minify: true });
  const peers = Object.keys(sdk.manifest.peerDependencies ?? {});
  for (const subpath of Object.keys(sdk.manifest.exports ?? {})) {
    const loaded = loadedBy(`${nameOf(subpath)}.js`, chunks);
    const libraries = librariesOf(loaded.map((chunk) => ({ ...chunk, dynamicImports: [] })));
    // An adapter may load the framework that it is for. Plane mode leaves all parsing to the plane.
    const never = subpath === './plane' ? [...libraries] : subpath === '.' ? peers : CLIENTS;
    expect([subpath, never.filter((name) => libraries.has(name))]).toEqual([subpath, []]);
    const bytes = loaded.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
    expect(bytes, `bytes of ${subpath}`).toBeLessThan(MOST_BYTES[subpath] ?? MOST_OF_ADAPTER);
  }
});

/** Returns a file and the files that it imports, without those that it imports later. */
function loadedBy(entry: string, chunks: readonly OutputChunk[]): OutputChunk[] {
  const names = new Set([entry]);
  for (const name of names) {
    const chunk = chunks.find(({ fileName }) => fileName === name);
    for (const imported of chunk?.imports ?? []) names.add(imported);
  }
  return chunks.filter(({ fileName }) => names.has(fileName));
}
