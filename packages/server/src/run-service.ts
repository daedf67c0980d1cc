/** Runs a service in its own process, from its settings to its end. This is the same for all services. */

import type { Logger, LogLevel, ReadinessCheck, Tracer } from '@mandate/runtime';
import { type Opening, openInOrder } from '@mandate/runtime';
import { type ConfigPort, type otlpSettings, serviceConfig } from '@mandate/runtime/settings';
import type { TenantLimitsInForce } from '@mandate/schemas';
import type { z } from 'zod';
import type { KeyStore } from './api-keys/key-store.ts';
import { createHttpServer } from './http/create-http-server.ts';
import type { HttpRoutes } from './http/http-server-type.ts';
import { serveHttp } from './http/serve-http.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createLogger } from './pino-logger.ts';
import { type ProcessPort, runProcess } from './run-process.ts';
import { openTracer } from './tracing/open-tracer.ts';

/** Folding a long log takes long. */
const START_TIMEOUT_MS = 600_000;
/** Requests end first, then batches, then the clients. */
const STOP_TIMEOUT_MS = 30_000;

export type ServiceSettings = {
  logLevel: LogLevel;
  host: string;
  port: number;
  /** For a service that accepts keys. */
  corsOrigins?: readonly string[];
  requestsPerKeyPerSecond?: number;
  sockets?: number;
};

/**
 * What all services of a process share. The `open…` function of a service gets it from its main.ts or from a plane.
 */
export type ProcessParts = Opening & {
  log: Logger;
  metrics: Metrics;
  /** Null without traces. */
  tracer: Tracer | null;
};

/** What a service gets in order to open its parts. */
export type ServiceContext<Config> = ProcessParts & { config: Config };

/** What the HTTP server of the service answers: always health and metrics, and `routes` if the service has some. */
export type ServiceParts = {
  /** Null: the service accepts no key, and only health and metrics answer. */
  keys: KeyStore | null;
  readiness: () => Promise<readonly ReadinessCheck[]>;
  /** How much each tenant and each of its keys may write. Absent: the defaults. */
  tenantLimits?: (tenant: string) => TenantLimitsInForce;
  routes?: HttpRoutes;
};

/**
 * Reads the settings (see `serviceConfig`), opens the parts and listens until SIGTERM or SIGINT. Then closes
 * everything in reverse order. Sets the exit code of `own`, the process, which a main.ts passes.
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
