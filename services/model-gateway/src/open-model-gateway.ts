import type { ReadinessCheck } from '@mandate/runtime';
import { type HttpRoutes, openUpstreams, type ProcessParts } from '@mandate/server';
import type { z } from 'zod';
import { type CallerPlanes, callerPlanesAt } from './callers/caller-planes.ts';
import { OpenCalls } from './calls/open-calls.ts';
import type { modelGatewaySettings } from './config.ts';
import { measureCalls } from './measures.ts';
import type { ModelsFile } from './models/models-file.ts';
import { modelRoutes } from './routes/model-routes.ts';

type Settings = Pick<z.output<typeof modelGatewaySettings>, 'MODELS_MAX_CALLS'>;

export type OpenedModelGateway = {
  routes: HttpRoutes;
  readiness: () => Promise<readonly ReadinessCheck[]>;
  /** Lets the plane at this address decide the calls. Until then calls are refused. */
  decideAt(planeUrl: string): void;
};

/** How long running calls may take to end when the gateway stops. */
const STOP_GRACE_MS = 3_000;

/**
 * Opens the model gateway in a process. A plane calls `decideAt` once it listens, because the gateway asks the plane for
 * each call.
 *
 * @param parts.reporterKeyOf the key that reports the outcomes of a tenant. Null: the keys of its callers report them
 */
export function openModelGateway(
  config: Readonly<Settings>,
  parts: Pick<ProcessParts, 'log' | 'metrics' | 'closing'> & {
    file: ModelsFile;
    reporterKeyOf: (tenant: string) => string | null;
  },
): OpenedModelGateway {
  const { file, log, metrics, closing, reporterKeyOf } = parts;
  const calls = new OpenCalls(config.MODELS_MAX_CALLS);
  const upstreams = closing(openUpstreams(), (opened) => opened.close());
  let planes: CallerPlanes | null = null;
  // The outcomes of the last calls are reported before the gateway ends.
  const stop = async () => {
    await calls.end(STOP_GRACE_MS);
    await planes?.close();
  };
  const gateway = {
    ...{ upstreams, calls, log, stop },
    models: file.models,
    planes: () => planes,
    measures: measureCalls(metrics, calls),
  };
  return {
    routes: modelRoutes(gateway),
    readiness: async () => [file.readiness()],
    decideAt(planeUrl) {
      planes = closing(callerPlanesAt(planeUrl, reporterKeyOf, log), stop);
    },
  };
}
