/**
 * Starts a gateway that is alone in its process, as in production, on a log and a ledger that the caller provides.
 */
import { join } from 'node:path';
import type { Bus } from '@mandate/bus';
import { createGateway } from '@mandate/gateway';
import type { KillBroadcast, Ledger } from '@mandate/ledger';
import { personKeysAt } from '@mandate/privacy';
import { silentLogger, systemClock } from '@mandate/runtime';
import { DEFAULTS, quotasInForce } from '@mandate/schemas';
import { createHttpServer, createMetrics, issueApiKey, memoryKeyStore, serveHttp } from '@mandate/server';
import { temporaryFolder } from './temporary-log.ts';

export type GatewayAlone = AsyncDisposable & {
  url: string;
  /** The API key of the operator. */
  key: string;
};

const BOUNDS = {
  GATEWAY_MAX_WAITING: 400,
  GATEWAY_MAX_UNDECIDED: 400,
  GATEWAY_RECENT_ANSWERS: 100,
  GATEWAY_RECENT_BYTES: 2 ** 20,
  GATEWAY_MAX_UNLOGGED: 1_000,
};

export async function gatewayAlone(on: {
  bus: Bus;
  ledger: Ledger;
  kills: KillBroadcast;
}): Promise<GatewayAlone> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const [log, metrics, clock] = [silentLogger(), createMetrics({ service: 'bench' }), systemClock];
  // Each kill of the bench counts as a change, because its agents do not exist. So the quotas on changes must be
  // high.
  const quotas = quotasInForce({ changes: { perSecond: 1_000_000_000, perDay: 1_000_000_000 } });
  const gateway = createGateway(
    {
      ancestryOf: () => ({ ancestors: [], formerAncestors: [] }),
      controlRevision: () => 0,
      register: { statusOf: () => null, names: () => [] },
      quotas: () => quotas,
      isClosed: () => false,
      forbidsOwnApproval: () => false,
      isOfTenantLimits: () => false,
      ...on,
      log,
      metrics,
      clock,
      budgetsOf: () => [],
      permits: (_tenant, _caller, tools) => tools.map(() => null),
      findDecision: null,
      redact: (action) => action,
      redactText: (text) => text,
      fingerprint: () => null,
      personKeys: personKeysAt(join(folder.path, 'persons')),
      sealsPersons: () => false,
      onPrivacyEdit: () => {},
    },
    BOUNDS,
  );
  const running = await gateway.start();
  stack.defer(() => running.stop());
  const { key, record } = issueApiKey({
    tenant: DEFAULTS.tenant,
    scopes: ['operate'],
    agents: ['*'],
    name: 'op',
  });
  const keys = memoryKeyStore([record]);
  const server = await createHttpServer({
    service: 'bench',
    version: '0',
    log,
    metrics,
    keys,
    quotas: () => quotas,
    readiness: gateway.readiness,
  });
  await server.register(gateway.routes);
  const { url, stop } = await serveHttp(server, { host: '127.0.0.1', port: 0 });
  stack.defer(stop);
  const held = stack.move();
  return { url, key, [Symbol.asyncDispose]: () => held.disposeAsync() };
}
