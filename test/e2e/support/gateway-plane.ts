/** Starts a gateway and a decider in this process, with a real log, a real ledger, and HTTP over sockets. */

import { join } from 'node:path';
import { type Bus, createSqliteBus, type LogRecord } from '@mandate/bus';
import { startDecider } from '@mandate/decider';
import { createGateway, type GatewaySettings } from '@mandate/gateway';
import { type Ledger, localKillBroadcast } from '@mandate/ledger';
import { restoreLedger } from '@mandate/ledger-log';
import {
  budgetsInForce,
  compileActionRedaction,
  fingerprintOf,
  mandatesOfFile,
  permittedTools,
} from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { type PersonKeys, personKeysAt } from '@mandate/privacy';
import { type Running, silentLogger, systemClock, type Tracer } from '@mandate/runtime';
import {
  type ApiScope,
  type DecisionsRecord,
  quotasInForce,
  readDecisionsRecord,
  type TenantQuotas,
  TOPICS,
} from '@mandate/schemas';
import {
  createHttpServer,
  createMetrics,
  type HttpServer,
  issueApiKey,
  keyStoreOf,
  type Metrics,
  serveHttp,
} from '@mandate/server';
import { mustAnswerAsDescribed, temporaryFolder } from '@mandate/testing';
import { onTestFinished } from 'vitest';

const GRANTS = {
  publisher: { tenant: 'acme', scopes: ['publish', 'report'], agents: ['bot-*'] },
  stranger: { tenant: 'globex', scopes: ['publish', 'audit', 'operate'], agents: ['*'] },
  /** A key of an SDK that decides itself. */
  sdk: { tenant: 'acme', scopes: ['record'], agents: ['bot-*'] },
  auditor: { tenant: 'acme', scopes: ['audit'], agents: [] },
  operator: { tenant: 'acme', scopes: ['operate'], agents: [] },
  approver: { tenant: 'acme', scopes: ['approve'], agents: [] },
  /** A key that may credit the budgets of the tenant limits. */
  accountant: { tenant: 'acme', scopes: ['operate:limits'], agents: [] },
  /** A key of the tenant "plane", which may not act for agents of other tenants. */
  runner: { tenant: 'plane', scopes: ['operate', 'operate:all'], agents: [] },
  protector: { tenant: 'acme', scopes: ['persons'], agents: [] },
  owner: {
    tenant: 'acme',
    scopes: ['publish', 'report', 'release', 'audit', 'operate', 'operate:all'],
    agents: ['*'],
  },
} satisfies Record<string, { tenant: string; scopes: ApiScope[]; agents: string[] }>;

export type KeyName = keyof typeof GRANTS;

const SETTINGS: GatewaySettings = {
  GATEWAY_MAX_WAITING: 5_000,
  GATEWAY_MAX_UNDECIDED: 400,
  GATEWAY_RECENT_ANSWERS: 10_000,
  GATEWAY_RECENT_BYTES: 64 * 1024 * 1024,
  GATEWAY_MAX_UNLOGGED: 100,
};

export type Plane = {
  url: string;
  bus: Bus;
  ledger: Ledger;
  server: HttpServer;
  metrics: Metrics;
  gateway: Running;
  personKeys: PersonKeys;
  /** Returns the secret of a key. */
  key(name: KeyName): string;
  revoke(name: KeyName): void;
  /** Starts the decider. After the decider was stopped, starts another one. */
  decide(): Promise<Running>;
  /** The parsed records of the actions topic, by partition and offset. */
  published(): Promise<unknown[]>;
  /** The records of the decisions topic. */
  decided(): Promise<DecisionsRecord[]>;
  call(
    key: KeyName | null,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    signal?: AbortSignal | null,
  ): Promise<Reply>;
};

type Reply = { status: number; headers: Headers; body: Answered };
/** A JSON answer. Only the fields that the tests read have types. */
type Answered = Record<string, unknown> & { code?: string; decision?: Record<string, unknown> | null };

export async function startGatewayPlane(options: {
  mandates: string;
  settings?: Partial<GatewaySettings>;
  tracer?: Tracer | null;
  /** The folder with the log and the keys of persons. If absent, the gateway gets a new folder. */
  folder?: string;
  /** True if people may not answer for their own actions. */
  forbidsOwnApproval?: boolean;
  /** True if a budget belongs to the tenant limits. If absent, no budget does. */
  isOfTenantLimits?: Parameters<typeof createGateway>[0]['isOfTenantLimits'];
  /** The register of agents, with registered and retired agents. If absent, no agent is registered. */
  register?: Parameters<typeof createGateway>[0]['register'];
  /** Quotas of what each tenant may write. */
  quotas?: TenantQuotas;
  /** What the audit knows of the usage of agents. If absent, there is no audit. */
  findUsage?: Parameters<typeof createGateway>[0]['findUsage'];
  /** If true, persons can be erased. */
  seals?: boolean;
  /** Replaces the gateway's log and ledger, so that a test can watch them or make them fail. */
  between?: (parts: { bus: Bus; ledger: Ledger }) => { bus: Bus; ledger: Ledger | null };
}): Promise<Plane> {
  const log = silentLogger();
  const folder = options.folder ?? temporaryFolder();
  const bus = await createSqliteBus({ path: join(folder, 'log.sqlite'), log });
  const personKeys = personKeysAt(join(folder, 'person-keys'));
  const { ledger } = await restoreLedger({ bus, clock: systemClock, log });
  const loaded = loadMandates(options.mandates);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const mandates = mandatesOfFile(loaded.mandates, 1);
  const redact = compileActionRedaction();
  const fingerprint: Parameters<typeof createGateway>[0]['fingerprint'] = (original, redacted) =>
    fingerprintOf(original, redacted, 'the key of this test');
  const metrics = createMetrics({ service: 'test' });

  const quotas = quotasInForce(options.quotas);
  const given = options.between?.({ bus, ledger }) ?? { bus, ledger };
  const gateway = createGateway(
    {
      ...given,
      kills: localKillBroadcast(),
      ancestryOf: () => ({ ancestors: [], formerAncestors: [] }),
      controlRevision: () => 0,
      register: options.register ?? { statusOf: () => null, names: () => [] },
      quotas: () => quotas,
      isClosed: () => false,
      forbidsOwnApproval: () => options.forbidsOwnApproval === true,
      isOfTenantLimits: options.isOfTenantLimits ?? (() => false),
      redact,
      redactText: (text) => text,
      fingerprint,
      budgetsOf: (tenant, agentId) => budgetsInForce(mandates, tenant, agentId, systemClock()),
      permits: (tenant, caller, tools) => permittedTools(mandates, tenant, caller, tools, systemClock()),
      findUsage: options.findUsage,
      findDecision: null,
      personKeys,
      sealsPersons: () => options.seals ?? false,
      onPrivacyEdit: () => {},
      log,
      metrics,
      clock: systemClock,
    },
    { ...SETTINGS, ...options.settings },
  );
  const keys = new Map(
    Object.entries(GRANTS).map(([name, grant]) => [name, issueApiKey({ ...grant, name })]),
  );
  const live = new Map([...keys.values()].map(({ record }) => [record.id, record]));
  const server = await createHttpServer({
    service: 'test',
    version: '0.0.0',
    log,
    metrics,
    tracer: options.tracer ?? null,
    keys: keyStoreOf(live),
    quotas: () => quotas,
    readiness: gateway.readiness,
  });
  await mustAnswerAsDescribed(server);
  await server.register(gateway.routes);
  const running = await gateway.start();
  running.finished?.catch(() => {});
  const { url, stop } = await serveHttp(server, { host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await stop();
    await running.stop();
    await bus.close();
  });

  return {
    url,
    bus,
    ledger,
    server,
    metrics,
    gateway: running,
    personKeys,
    key: (name) => keys.get(name)?.key ?? '',
    revoke: (name) => void live.delete(keys.get(name)?.record.id ?? ''),
    decide: () =>
      startDecider({
        bus,
        ledger,
        redact,
        log,
        metrics,
        clock: systemClock,
        deadlines: true,
        control: () => mandates,
      }),
    published: async () =>
      (await recordsOf(bus, TOPICS.actions)).map(({ value }) => JSON.parse(textOf(value))),
    decided: async () =>
      (await recordsOf(bus, TOPICS.decisions)).map(({ value }) => readDecisionsRecord(value)),
    async call(key, method, target, body, headers = {}, signal = null) {
      const secret = key === null ? undefined : keys.get(key)?.key;
      const response = await fetch(new URL(target, url), {
        method,
        signal,
        headers: {
          ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as Answered,
      };
    },
  };
}

/** Returns all records of a topic, by partition and offset. */
export async function recordsOf(bus: Bus, topic: string): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  const reader = await bus.read({
    topics: [topic],
    from: 'earliest',
    onRecords: (batch) => void records.push(...batch),
  });
  await reader.caughtUp;
  await reader.stop();
  return records.toSorted(
    ({ position: one }, { position: other }) => one.partition - other.partition || one.offset - other.offset,
  );
}

function textOf(value: Uint8Array): string {
  return new TextDecoder().decode(value);
}
