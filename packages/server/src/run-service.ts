/** Runs a service in its own process, from reading its settings to its end. All services use this function. */

import type { Logger, LogLevel, ReadinessCheck, Tracer } from '@mandate/runtime';
import { type Opening, openInOrder } from '@mandate/runtime';
import { type ConfigPort, type otlpSettings, serviceConfig } from '@mandate/runtime/settings';
import type { QuotasInForce } from '@mandate/schemas';
import type { z } from 'zod';
import type { KeyStore } from './api-keys/key-store.ts';
import type { BrowserSessions } from './http/browser-session.ts';
import { createHttpServer } from './http/create-http-server.ts';
import type { HttpRoutes } from './http/http-server-type.ts';
import { serveHttp } from './http/serve-http.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createLogger } from './pino-logger.ts';
import { type ProcessPort, runProcess } from './run-process.ts';
import { openTracer } from './tracing/open-tracer.ts';

/** The time limit for the start in milliseconds. It is long, because reading a long log takes long. */
const START_TIMEOUT_MS = 600_000;
/** The time limit for the stop in milliseconds. Requests end first, then batches, then the clients. */
const STOP_TIMEOUT_MS = 30_000;

export type ServiceSettings = {
  logLevel: LogLevel;
  host: string;
  port: number;
  /** Allowed origins. Only for a service that accepts keys. */
  corsOrigins?: readonly string[];
  requestsPerKeyPerSecond?: number;
  sockets?: number;
};

/** The settings of every service that accepts keys, without the area that begins their names. */
type ApiSettings = {
  LOG_LEVEL: LogLevel;
  HOST: string;
  PORT: number;
  CORS_ORIGINS: readonly string[];
  REQUESTS_PER_KEY_PER_SECOND: number;
  MAX_SOCKETS: number;
};

/** Reads the settings of a service that accepts keys. @param area the beginning of their names: `QUERY` of QUERY_PORT */
export function apiSettings<Area extends string>(area: Area) {
  return (
    config: {
      readonly [Name in keyof ApiSettings as `${Area}_${Name}`]: ApiSettings[Name];
    },
  ): ServiceSettings => {
    const named: Readonly<Record<string, unknown>> = config;
    const read = <Name extends keyof ApiSettings>(name: Name) =>
      named[`${area}_${name}`] as ApiSettings[Name];
    return {
      logLevel: read('LOG_LEVEL'),
      host: read('HOST'),
      port: read('PORT'),
      corsOrigins: read('CORS_ORIGINS'),
      requestsPerKeyPerSecond: read('REQUESTS_PER_KEY_PER_SECOND'),
      sockets: read('MAX_SOCKETS'),
    };
  };
}

/**
 * The parts that all services of a process share. The `open…` function of a service gets them from its main.ts or
 * from a plane.
 */
export type ProcessParts = Opening & {
  log: Logger;
  metrics: Metrics;
  /** The tracer. Null if there are no traces. */
  tracer: Tracer | null;
};

/** The input of a service's `open…` function: the shared parts and its settings. */
export type ServiceContext<Config> = ProcessParts & { config: Config };

/**
 * The routes of a service's HTTP server. It always answers health and metrics, and also `routes` if the service has
 * some.
 */
export type ServiceParts = {
  /** The store of keys. Null if the service accepts no key. Then only health and metrics answer. */
  keys: KeyStore | null;
  readiness: () => Promise<readonly ReadinessCheck[]>;
  /** Returns how much a tenant and each of its keys may write. If absent, the default quotas apply. */
  quotas?: (tenant: string) => QuotasInForce;
  routes?: HttpRoutes;
  /** The sessions of browsers. Absent if the service accepts a key only in a header. */
  sessions?: BrowserSessions;
};

/**
 * Reads the settings (see `serviceConfig`), opens the parts, and listens until SIGTERM or SIGINT. Then closes
 * everything in reverse order. Sets the exit code of `own`, which is the process object of a main.ts.
 */
export async function runService<S extends z.ZodObject<typeof otlpSettings.shape>>(
  own: ConfigPort & ProcessPort,
  service: {
    name: string;
    manifest: { description: string; version: string };
    schema: S;
    settings: (config: Readonly<z.output<S>>) => ServiceSettings;
    open: (context: ServiceContext<Readonly<z.output<S>>>) => Promise<ServiceParts>;
  },
): Promise<void> {
  const { name, manifest, schema } = service;
  const config = serviceConfig(own, { service: name, about: manifest.description, schema });
  const { logLevel, host, port, corsOrigins = [], ...limits } = service.settings(config);
  const log = createLogger({ name, level: logLevel });
  const start = () =>
    openInOrder(async (opening) => {
      const metrics = createMetrics({ service: name, processMetrics: true });
      const traced = { service: name, version: manifest.version, log, metrics };
      const tracer = opening.closing(await openTracer(config, traced), (opened) => opened?.stop());
      const { routes, ...parts } = await service.open({ ...opening, config, log, metrics, tracer });
      const server = await createHttpServer({
        service: name,
        version: manifest.version,
        log,
        metrics,
        tracer,
        corsOrigins,
        limits,
        ...parts,
      });
      if (routes !== undefined) await server.register(routes);
      return opening.running(await serveHttp(server, { host, port }));
    });
  await runProcess(own, {
    log,
    parts: [{ name, start, startTimeoutMs: START_TIMEOUT_MS, stopTimeoutMs: STOP_TIMEOUT_MS }],
  });
}
