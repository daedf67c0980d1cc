/** Runs plane mode in workerd, the runtime of edge workers. It has no modules of Node and no files. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPlane, startProcess, temporaryFolder } from '@mandate/testing';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { bundle } from '../../../scripts/build/bundle.ts';
import { PUBLISHED } from '../../../scripts/build/published.ts';

const sdk = PUBLISHED.find(({ name }) => name === '@mandate/sdk');

/** The plane of the test is on this machine, so private addresses are allowed. */
const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "plane.js", esModule = embed "plane.js")
  ],
  compatibilityDate = "2026-01-01"
);
`;

function worker(planeUrl: string, apiKey: string): string {
  return `import { Mandate } from './plane.js';
export default {
  async fetch(request) {
    const mandate = new Mandate(${JSON.stringify({ agentId: 'researcher', planeUrl, apiKey })});
    const tools = mandate.createExecutor({});
    const tool = new URL(request.url).pathname.slice(1);
    return new Response(await tools.run(tool, {}, () => 'ran').catch(({ code }) => code));
  },
};
`;
}

test('plane mode runs in workerd, and the plane decides its calls', async () => {
  if (sdk === undefined) throw new Error('The SDK is not published');
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'built'));
  await bundle(sdk, join(folder, 'built'));
  const whole = await rolldown({ input: join(folder, 'built/plane.js'), platform: 'neutral' });
  await whole.write({ file: join(folder, 'plane.js'), format: 'esm' });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await promisify(execFile)('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', 'workerd'], {
    cwd: folder,
  });
  const plane = await startPlane({ data: join(folder, 'data') });
  writeFileSync(join(folder, 'config.capnp'), CONFIG);
  writeFileSync(join(folder, 'worker.js'), worker(plane.url, plane.keys.publisher ?? ''));
  const script = join(folder, 'serve.mjs');
  writeFileSync(script, SERVE);
  const runtime = startProcess(script, [folder], process.env);
  try {
    const port = await runtime.says('stdout', (line) => /"port":(\d+)/.exec(line)?.[1]);
    const ask = async (tool: string) => (await fetch(`http://127.0.0.1:${port}/${tool}`)).text();
    expect([await ask('search_web'), await ask('delete_files')]).toEqual(['ran', 'TOOL_NOT_ALLOWED']);
  } finally {
    await runtime.kill('SIGTERM');
    await plane.kill('SIGTERM');
  }
});

/** Starts workerd, and ends it when this process is asked to end. */
const SERVE = `import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
const folder = process.argv[2];
const { default: workerd } = createRequire(join(folder, 'package.json'))('workerd');
const child = spawn(workerd, ['serve', join(folder, 'config.capnp'), '--control-fd=1'], { stdio: ['ignore', 'inherit', 'inherit'] });
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', () => process.exit(0));
`;
