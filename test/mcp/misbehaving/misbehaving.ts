/** Commands that start the misbehaving server, directly or as `npx` starts servers. */
import { fileURLToPath } from 'node:url';
import type { Command } from '../wire/stdio-process.ts';

const FILE = fileURLToPath(import.meta.resolve('./stdio-server.fixture.ts'));

export function misbehaving(...options: readonly string[]): Command {
  return [process.execPath, FILE, ...options];
}

/** `npx` starts a shell, and the shell starts the server. A signal to the shell alone leaves the server running. */
export function behindShell(...options: readonly string[]): Command {
  const words = misbehaving(...options).map((word) => `'${word}'`);
  return ['sh', '-c', `${words.join(' ')}; exit $?`];
}
