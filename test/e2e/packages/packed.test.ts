/** Tests the packages as they would be published: what is in them, and that they work without this repository. */
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { IS_SHORT, startProcess } from '@mandate/testing';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PUBLISHED } from '../../../scripts/build/published.ts';
import { ROOT } from '../../copy-of-repository.ts';
import { codeBlock, installWithoutRegistry, linkLibraries, type Packed, packAll } from './packed.ts';

const run = promisify(execFile);
const temporary = mkdtempSync(join(tmpdir(), 'mandate-packages-'));
type Installed = Packed & { project: string; folder: string; manifest: Record<string, unknown> };
const packages = new Map<string, Installed>();

beforeAll(async () => {
  for (const packed of await packAll(temporary)) {
    const project = join(temporary, 'projects', packed.name);
    const folder = installWithoutRegistry(packed, project);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    packages.set(packed.name, { ...packed, project, folder, manifest });
  }
});
afterAll(() => rmSync(temporary, { recursive: true }));

function named(name: string) {
  const found = packages.get(name);
  if (found === undefined) throw new Error(`${name} was not packed`);
  return found;
}

describe.each(PUBLISHED.map(({ name }) => name))('%s', (name) => {
  test('is a package without mistakes', async () => {
    const { folder } = named(name);
    const { messages, pkg } = await publint({ pkgDir: folder, pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test('imports no package that is not published', () => {
    const { folder } = named(name);
    const files = globSync('**/*.{js,ts}', { cwd: folder });
    expect(files.length).toBeGreaterThan(2);
    const imported = files.flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      const specifiers = text.matchAll(
        /(?:^(?:import|export)\b[^'"]*|\bimport\()["'](@mandate\/[^"']+)["']/gm,
      );
      return [...specifiers].map(([, specifier]) => `${file} imports ${specifier}`);
    });
    // Only the demo is not in the package. Its command says so.
    expect(imported.filter((one) => !one.endsWith(' imports @mandate/demo'))).toEqual([]);
  });

  test('has a description, a licence, a changelog and a README', () => {
    const { folder, manifest } = named(name);
    expect(globSync('*.md', { cwd: folder }).toSorted()).toEqual(['CHANGELOG.md', 'README.md']);
    expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toContain('Apache License');
    expect(manifest).toMatchObject({ name, license: 'Apache-2.0', type: 'module' });
    expect(manifest).not.toHaveProperty('private');
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).not.toContain('](../');
  });
});

describe('@mandate/sdk', () => {
  test('has types that TypeScript finds for every import of an ES module', async () => {
    const tarball = new Uint8Array(readFileSync(named('@mandate/sdk').tarball));
    const checked = await checkPackage(createPackageFromTarballData(tarball));
    expect(checked.types).toEqual({ kind: 'included' });
    expect('problems' in checked ? checked.problems.filter(concernsEsm) : []).toEqual([]);
  });

  test('needs no server and no client of a server', () => {
    const { manifest } = named('@mandate/sdk');
    const { dependencies, peerDependencies, peerDependenciesMeta } = manifest as Record<string, object>;
    // Some of them find personal data and profane words. They are loaded only for a mandate that filters answers.
    expect(Object.keys(dependencies ?? {}).length).toBeLessThanOrEqual(9);
    expect(dependencies).not.toHaveProperty('fastify');
    const optional = Object.entries(peerDependenciesMeta ?? {}).filter(([, meta]) => meta.optional === true);
    expect(optional.map(([peer]) => peer)).toEqual(Object.keys(peerDependencies ?? {}));
    expect(Object.keys(peerDependencies ?? {})).toEqual(
      expect.arrayContaining(['ioredis', 'kafkajs', 'openai']),
    );
  });

  test('runs the script of its README', async () => {
    const { project, folder } = named('@mandate/sdk');
    const file = join(project, 'example.mts');
    writeFileSync(file, codeBlock(folder, 'ts'));
    const { stdout } = await run(process.execPath, [file]);
    expect(stdout).toBe(codeBlock(folder, 'text'));
    expect(stdout).toContain('COST_LIMIT_EXCEEDED');
  });

  test('has declarations without errors for a strict program, before any framework is installed', async () => {
    const { folder } = named('@mandate/sdk');
    expect(await typeErrors(codeBlock(folder, 'ts'))).toEqual([]);
  });

  test.skipIf(IS_SHORT)('has declarations without errors for the users of each subpath', async () => {
    const { project, manifest } = named('@mandate/sdk');
    linkLibraries(Object.keys(manifest.peerDependencies as object), project);
    const subpaths = Object.keys(manifest.exports as object).filter((path) => path !== './package.json');
    const lines = subpaths.map(
      (path, n) => `import * as all${n} from '@mandate/sdk${path.slice(1)}';\nall${n};\n`,
    );
    expect(await typeErrors(lines.join(''))).toEqual([]);
  });

  /** Returns the errors of a program in itself and in the declarations of the SDK. */
  async function typeErrors(program: string): Promise<string[]> {
    const { project } = named('@mandate/sdk');
    writeFileSync(join(project, 'program.mts'), program);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      module: 'nodenext',
      target: 'es2022',
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    };
    const settings = { compilerOptions, files: ['program.mts'] };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(settings));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [compiler, '-p', project]).catch((error) => error);
    return stdout.split('\n').filter((line: string) => /@mandate\/sdk\/|program\.mts/.test(line));
  }
});

describe('mandate', () => {
  const command = (...args: string[]) =>
    run(process.execPath, [join(named('mandate').folder, 'bin.js'), ...args]).catch((error) => error);

  test('prints its version, and says that it has no demo', async () => {
    const { stdout } = await command('--version');
    expect(stdout.trim()).toBe(named('mandate').manifest.version);
    expect(await command('demo')).toMatchObject({ code: 1, stderr: expect.stringContaining('has no demo') });
  });

  test('starts a plane, which decides an action and stops at SIGTERM', async () => {
    const bin = join(named('mandate').folder, 'bin.js');
    const plane = startProcess(
      bin,
      ['up', '--json', '--data', join(temporary, 'data'), '--port', '0'],
      process.env,
    );
    try {
      const { url, keys } = await plane.says('stdout', (line) => JSON.parse(line));
      const ask = (tool: string) =>
        command(
          'publish',
          '--json',
          '--url',
          url,
          '--key',
          keys[0].key,
          '--agent',
          'researcher',
          '--tool',
          tool,
        );
      expect(JSON.parse((await ask('search_web')).stdout).decision).toMatchObject({ verdict: 'ALLOW' });
      expect(await ask('delete_files')).toMatchObject({ code: 3 });
      expect([await plane.kill('SIGTERM'), plane.errors()]).toEqual([0, '']);
    } finally {
      await plane.kill('SIGKILL');
    }
  });
});

/** The package has ES modules only, so its problems with older forms of resolution are known. */
function concernsEsm(problem: Problem): boolean {
  return !('resolutionKind' in problem) || !['node10', 'node16-cjs'].includes(problem.resolutionKind);
}
