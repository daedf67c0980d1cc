import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type StartedProcess, startProcess } from './start-process.ts';

const ROOT = join(import.meta.dirname, '../../..');

export const SERVICES = ['gateway', 'decider', 'recorder', 'query', 'alerter', 'control'] as const;
export type ServiceName = (typeof SERVICES)[number];

/**
 * A service by itself, with only `settings` in its environment. Its own settings are named without MANDATE_ and the
 * service's name, and settings that it shares with others by their whole names. It ends with the test at the latest.
 * @param build the root of the sources that it runs; default: this repository
 */
export function spawnService(
  service: ServiceName,
  settings: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  build = ROOT,
): StartedProcess {
  const file = join(build, `services/${service}/src/main.ts`);
  const named = Object.entries(settings).map(([name, value]) => [
    name.startsWith('MANDATE_') ? name : `MANDATE_${service.toUpperCase()}_${name}`,
    value,
  ]);
  const started = startProcess(file, args, Object.fromEntries(named));
  onTestFinished(async () => {
    await started.kill('SIGKILL');
  });
  return started;
}

/** Starts a service on any free port. Resolves once it listens. Fails with its output if it does not start. */
export async function startService(
  service: ServiceName,
  settings: Readonly<Record<string, string>>,
  build?: string,
): Promise<StartedProcess & { url: string }> {
  const started = spawnService(service, { PORT: '0', ...settings }, [], build);
  const url = await started.says('stderr', (line): string | undefined => {
    // ClickHouse writes lines of its own.
    if (!line.startsWith('{')) return undefined;
    const { msg, url } = JSON.parse(line);
    return msg === 'listening' ? url : undefined;
  });
  return { ...started, url };
}
