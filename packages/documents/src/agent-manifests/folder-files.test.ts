import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAgentManifest } from '@mandate/agent-manifest';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { filesInFolder } from './folder-files.ts';

const HEAD = 'apiVersion: coreason.ai/v2\nkind: Agent\nmetadata: { name: Helper }\ndefinitions:\n';
const TOOL = '{ type: tool, name: T, uri: "mcp://t", risk_level: safe }\n';

/** Makes a folder `m` with a manifest, and lets the caller put more beside it and outside. */
function codesOf(
  definitions: string,
  make: (folder: string, outside: string) => void = () => undefined,
): string[] {
  const outside = temporaryFolder();
  const folder = join(outside, 'm');
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.yaml'), HEAD + definitions);
  make(folder, outside);
  const read = loadAgentManifest(filesInFolder(folder), 'a.yaml', { models: [] });
  return read.ok ? [] : read.faults.map(({ code, path }) => `${code} ${path}`);
}

const REF = '  t: { $ref: b.yaml }\n';
const AT = 'definitions.t.$ref';

test('reads a file of the folder, also through a link that stays in it', () => {
  expect(codesOf(REF, (folder) => writeFileSync(join(folder, 'b.yaml'), TOOL))).toEqual([]);
  const linked = codesOf(REF, (folder) => {
    mkdirSync(join(folder, '..data'));
    writeFileSync(join(folder, '..data', 'real.yaml'), TOOL);
    symlinkSync('..data/real.yaml', join(folder, 'b.yaml'));
  });
  expect(linked).toEqual([]);
});

test.each<[string, string, (folder: string, outside: string) => void]>([
  ['nothing', 'REF_MISSING', () => undefined],
  ['a file in the place of a folder', 'REF_MISSING', (folder) => writeFileSync(join(folder, 'x'), '')],
  ['a folder', 'REF_NOT_A_DEFINITION', (folder) => mkdirSync(join(folder, 'b.yaml'))],
  ['a pipe', 'REF_NOT_A_DEFINITION', (folder) => execFileSync('mkfifo', [join(folder, 'b.yaml')])],
  ['a device', 'PATH_OUTSIDE', (folder) => symlinkSync('/dev/zero', join(folder, 'b.yaml'))],
  [
    'a link to a file outside',
    'PATH_OUTSIDE',
    (folder, outside) => {
      writeFileSync(join(outside, 'b.yaml'), TOOL);
      symlinkSync('../b.yaml', join(folder, 'b.yaml'));
    },
  ],
  [
    'an absolute link to a file outside',
    'PATH_OUTSIDE',
    (folder, outside) => {
      writeFileSync(join(outside, 'b.yaml'), TOOL);
      symlinkSync(join(outside, 'b.yaml'), join(folder, 'b.yaml'));
    },
  ],
  ['a link to nothing outside', 'PATH_OUTSIDE', (folder) => symlinkSync('../none', join(folder, 'b.yaml'))],
  [
    'links in a circle',
    'PATH_OUTSIDE',
    (folder) => {
      symlinkSync('c.yaml', join(folder, 'b.yaml'));
      symlinkSync('b.yaml', join(folder, 'c.yaml'));
    },
  ],
  [
    'a file of more than 1 MiB',
    'YAML_INVALID',
    (folder) => writeFileSync(join(folder, 'b.yaml'), `${TOOL}# ${'x'.repeat(1_100_000)}`),
  ],
  [
    'bytes that are no text',
    'YAML_INVALID',
    (folder) => writeFileSync(join(folder, 'b.yaml'), Uint8Array.of(0xff, 0xfe)),
  ],
])('refuses a reference to %s', (name, code, make) => {
  const reference = name === 'a file in the place of a folder' ? '  t: { $ref: x/b.yaml }\n' : REF;
  expect(codesOf(reference, make)).toEqual([`${code} ${AT}`]);
});

test('refuses a folder that is a link to a folder outside, with or without a file in it', () => {
  const make = (folder: string, outside: string) => {
    mkdirSync(join(outside, 'other'));
    writeFileSync(join(outside, 'other', 'b.yaml'), TOOL);
    symlinkSync('../other', join(folder, 'x'));
  };
  expect(codesOf('  t: { $ref: x/b.yaml }\n', make)).toEqual([`PATH_OUTSIDE ${AT}`]);
  const agent = `  a: { type: agent, name: A, role: r, goal: g, knowledge: [x/b.yaml, x/none.txt, none.txt, ${'a/'.repeat(30_000)}b] }\n`;
  expect(codesOf(agent, make)).toEqual([
    'PATH_OUTSIDE definitions.a.knowledge.0',
    'PATH_OUTSIDE definitions.a.knowledge.1',
  ]);
});

test('refuses a path that a file in the folder climbs out with, and a folder with a similar name', () => {
  const make = (folder: string, outside: string) => {
    writeFileSync(join(folder, 'b.yaml'), '{ $ref: ../m2/c.yaml }');
    mkdirSync(join(outside, 'm2'));
    writeFileSync(join(outside, 'm2', 'c.yaml'), TOOL);
    symlinkSync('../m2', join(folder, 'm2'));
  };
  expect(codesOf(REF, make)).toEqual([`PATH_OUTSIDE ${AT}`]);
  expect(codesOf('  t: { $ref: m2/c.yaml }\n', make)).toEqual([`PATH_OUTSIDE ${AT}`]);
});

test.skipIf(process.getuid?.() === 0)('reports a file that this user may not read', () => {
  const make = (folder: string) => {
    writeFileSync(join(folder, 'b.yaml'), TOOL);
    chmodSync(join(folder, 'b.yaml'), 0);
  };
  expect(codesOf(REF, make)).toEqual([`REF_NOT_A_DEFINITION ${AT}`]);
});
