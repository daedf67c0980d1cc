/** Tests what is loaded by a program that imports only `@mandate/sdk/plane`. */
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { type OutputChunk, rolldown } from 'rolldown';
import { describe, expect, test } from 'vitest';

const KB = 1_000;

async function bundled(): Promise<OutputChunk> {
  const input = join(import.meta.dirname, 'index.ts');
  const build = await rolldown({ input, platform: 'browser' });
  const { output } = await build.generate({ format: 'iife', name: 'sdk', minify: true });
  expect(output).toHaveLength(1);
  return output[0];
}

describe('plane mode alone', () => {
  test('is small, and loads neither a library nor the engine, nor a module of Node', async () => {
    const { code, imports, moduleIds } = await bundled();
    expect(imports).toEqual([]);
    const packages = moduleIds.map((id) => /(node_modules|packages|schemas).*/.exec(id)?.[0] ?? id);
    const foreign = packages.filter((id) => !/^(packages\/(sdk|runtime)|schemas)\//.test(id));
    expect(foreign).toEqual([]);
    // Asking for the permitted tools takes 0.1 KB of the compressed size. Without the obligations of decisions, the
    // size is 40 KB: the SDK fills in absent arguments, and refuses obligations that it does not know.
    expect(code.length).toBeLessThan(41 * KB);
    expect(gzipSync(code).length).toBeLessThan(15.2 * KB);
  });

  test('runs where there are only the interfaces of the web, and no code may be made from text', async () => {
    const { code } = await bundled();
    const web = { AbortController, AbortSignal, TextDecoder, URL, URLSearchParams, crypto, performance };
    const context = createContext(
      { ...web, fetch, setTimeout, clearTimeout, console },
      { codeGeneration: { strings: false, wasm: false } },
    );
    const call = `${code};
      const mandate = new sdk.Mandate({ agentId: 'bot', planeUrl: 'http://127.0.0.1:9', timeoutMs: 1 });
      mandate.createExecutor().run('pay', {}, () => 'paid').catch((error) => [error.code, error.cause.code]);`;
    expect(await runInContext(call, context)).toEqual(['INTERNAL_ERROR', 'PLANE_UNAVAILABLE']);
  });
});
