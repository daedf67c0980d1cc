#!/usr/bin/env node
// The `mandate` command. This file runs on any version of Node. If that version is too old to run TypeScript, the
// Node that is installed with the package runs the command.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const main = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src', 'main.ts');

if (Number(process.versions.node.split('.')[0]) >= 24) {
  await import(pathToFileURL(main).href);
} else {
  const node = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');
  if (!existsSync(node)) {
    console.error('mandate: needs Node 24; `npm ci` in the folder of package-lock.json installs it');
    process.exit(1);
  }
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}
