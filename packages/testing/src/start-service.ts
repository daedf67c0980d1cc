import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type StartedProcess, startProcess } from './start-process.ts';

const ROOT = join(import.meta.dirname, '../../..');

export const SERVICES = [
  'gateway',
  'decider',
  'recorder',
  'query',
  'alerter',
  'control',
  'runner',
  'model-gateway',
  'console',
] as const;
export type ServiceName = (typeof SERVICES)[number];

/** The settings without which a service does not start, for a test that needs only a running process. */
export const REQUIRED_SETTINGS: Readonly<Record<ServiceName, Readonly<Record<string, string>>>> = {
  ...{ gateway: {}, decider: {}, recorder: {}, query: {}, alerter: {}, control: {}, 'model-gateway': {} },
  console: {},
  runner: { API_KEY: 'a-key-that-no-plane-knows' },
};

/**
 * Starts a service alone, with only `settings` in its environment. The names of its own settings leave out MANDATE_
 * and the name of the service; shared settings have their full names. The service ends with the test at the latest.
 * @param build the root of the sources that the service runs; default: this repository
 */
export function spawnService(
  service: ServiceName,
  settings: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  build = ROOT,
): StartedProcess {
  const started = startProcess(mainOf(service, build), args, serviceEnvironment(service, settings));
  onTestFinished(async () => {
    await started.kill('SIGKILL');
  });
  return started;
}

/** Returns the environment variables for `settings`, which may have short names. */
export function serviceEnvironment(
  service: ServiceName,
  settings: Readonly<Record<string, string>>,
): Record<string, string> {
  const named = Object.entries(settings).map(([name, value]) => [
    name.startsWith('MANDATE_') ? name : `MANDATE_${areaOf(service)}_${name}`,
    value,
  ]);
  return Object.fromEntries(named);
}

/** Returns how the settings of a service begin, after MANDATE_. */
export function areaOf(service: ServiceName): string {
  return service === 'model-gateway' ? 'MODELS' : service.toUpperCase();
}

/** Starts a service on a free port. Resolves once it listens. If it does not start, fails with its output. */
export async function startService(
  service: ServiceName,
  settings: Readonly<Record<string, string>>,
  build?: string,
): Promise<StartedProcess & { url: string }> {
  return listening(spawnService(service, withDefaults(service, settings), [], build));
}

/** Like `startService`, but for services of several tests: whoever calls it must kill the process. */
export async function startSharedService(
  service: ServiceName,
  settings: Readonly<Record<string, string>>,
): Promise<StartedProcess & { url: string }> {
  return listening(
    startProcess(mainOf(service, ROOT), [], serviceEnvironment(service, withDefaults(service, settings))),
  );
}

function mainOf(service: ServiceName, build: string): string {
  return join(build, `services/${service}/src/main.ts`);
}

function withDefaults(
  service: ServiceName,
  settings: Readonly<Record<string, string>>,
): Record<string, string> {
  return { PORT: '0', ...REQUIRED_SETTINGS[service], ...settings };
}

async function listening(started: StartedProcess): Promise<StartedProcess & { url: string }> {
  const url = await started.says('stderr', (line): string | undefined => {
    // Lines of ClickHouse are no JSON, and are left out.
    if (!line.startsWith('{')) return undefined;
    const { msg, url } = JSON.parse(line);
    return msg === 'listening' ? url : undefined;
  });
  return { ...started, url };
}
