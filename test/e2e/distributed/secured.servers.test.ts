/**
 * Runs every service in its own process, configured only by its environment. The servers refuse clients without TLS,
 * a certificate and a password: Kafka with each SASL mechanism, Redis with infra/redis/users.acl, ClickHouse with
 * infra/clickhouse. If a server refuses a process, the process must end and say why and what to do. It must not show
 * a password.
 */

import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS_DIRECTORY, migrate, openAudit } from '@mandate/audit';
import { createApiClient } from '@mandate/client';
import { dataFolder } from '@mandate/runtime';
import { clickhouseSettings } from '@mandate/runtime/settings';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import {
  type Authority,
  describeWithOwnServers,
  newAuthority,
  SERVICES,
  type ServiceName,
  spawnService,
  startClickHouse,
  startKafka,
  startRedis,
  startService,
  waitUntil,
} from '@mandate/testing';
import { afterAll, beforeAll, expect, onTestFailed, test, vi } from 'vitest';
import { tlsInFrontOf } from './support/tls-front.ts';

const INFRA = join(import.meta.dirname, '../../../infra');
const CLICKHOUSE_USERS = ['migrator', 'recorder', 'query'] as const;
const PASSWORD = {
  kafka: 'brokers-1-2-3',
  ledger: 'of the "ledger" ✓',
  migrator: 'of the "migrator" ✓',
  recorder: 'of the "recorder" ✓',
  query: 'of the "query" ✓',
};
/** A user that the ClickHouse server itself needs. No client can log in as this user. */
const ADMIN = `<clickhouse>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks></default></users>
</clickhouse>`;
const WRONG = 'nobody-has-this-one';

type Environment = Record<string, string>;

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'servers that require TLS and passwords', () => {
  const held = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'mandate-secured-'));
  held.defer(() => rmSync(folder, { recursive: true, force: true }));
  const place = dataFolder(folder);
  let authority: Authority;
  let stranger: Authority;
  let plainPort: number;
  /** The settings that all services get. Each service ignores those that it does not use. */
  let environment: Environment;

  beforeAll(async () => {
    [authority, stranger] = await Promise.all([newAuthorityAs('ours'), newAuthorityAs('others')]);
    const [kafka, redis, clickhouse] = await Promise.all([
      startKafka({ secured: { authority, username: 'mandate', password: PASSWORD.kafka } }),
      startRedis({ tls: authority, config: redisSetUp() }),
      startClickHouse({ usersFile: clickhouseUsers() }),
    ]);
    held.use(kafka);
    held.use(redis);
    held.use(clickhouse);
    vi.unstubAllEnvs();
    const front = await tlsInFrontOf(clickhouse.port, authority);
    held.defer(() => front.stop());
    plainPort = clickhouse.port;
    environment = {
      DATA_PATH: folder,
      MANDATE_KAFKA_BROKERS: kafka.brokers.join(','),
      MANDATE_KAFKA_CREATE_TOPICS: 'true',
      MANDATE_KAFKA_REPLICATION_FACTOR: '1',
      MANDATE_KAFKA_MIN_IN_SYNC_REPLICAS: '1',
      MANDATE_KAFKA_TLS: 'true',
      ...certificatesFor('KAFKA'),
      MANDATE_KAFKA_SASL_USERNAME: 'mandate',
      MANDATE_KAFKA_SASL_PASSWORD: PASSWORD.kafka,
      MANDATE_REDIS_URL: redis.url,
      MANDATE_REDIS_USERNAME: 'ledger',
      MANDATE_REDIS_PASSWORD: PASSWORD.ledger,
      ...certificatesFor('REDIS'),
      MANDATE_CLICKHOUSE_URL: front.url,
      ...certificatesFor('CLICKHOUSE'),
    };
    writeFileSync(
      place.mandates,
      'version: 1\nid: all\nagents: ["*"]\ntoolPolicies: { look: { cost: 0.01 } }\n',
    );
    const audit = await openAudit(settingsAs('migrator'), { path: '' });
    await migrate(audit, MIGRATIONS_DIRECTORY);
    await audit.close();
  }, 120_000);
  afterAll(() => held.disposeAsync());

  function newAuthorityAs(name: string): Promise<Authority> {
    mkdirSync(join(folder, name));
    return newAuthority(join(folder, name));
  }

  const certificatesFor = (area: string): Environment => ({
    [`MANDATE_${area}_TLS_CA_PATH`]: authority.caPath,
    [`MANDATE_${area}_TLS_CERT_PATH`]: authority.client.certPath,
    [`MANDATE_${area}_TLS_KEY_PATH`]: authority.client.keyPath,
  });

  function redisSetUp(): Record<string, string> {
    const aclfile = join(folder, 'users.acl');
    const users = readFileSync(join(INFRA, 'redis/users.acl'), 'utf8');
    writeFileSync(
      aclfile,
      users.replace(`\${LEDGER_SHA256}`, sha256(PASSWORD.ledger)).replace(`\${OPERATOR_SHA256}`, sha256('')),
    );
    return { appendonly: 'yes', appendfsync: 'everysec', aclfile };
  }

  function clickhouseUsers(): string {
    cpSync(join(INFRA, 'clickhouse/users.d'), join(folder, 'users.d'), { recursive: true });
    for (const user of CLICKHOUSE_USERS) {
      vi.stubEnv(`MANDATE_CLICKHOUSE_${user.toUpperCase()}_SHA256`, sha256(PASSWORD[user]));
    }
    const file = join(folder, 'users.xml');
    writeFileSync(file, ADMIN);
    return file;
  }

  const clickhouseUser = (user: (typeof CLICKHOUSE_USERS)[number]): Environment => ({
    MANDATE_CLICKHOUSE_USER: `mandate_${user}`,
    MANDATE_CLICKHOUSE_PASSWORD: PASSWORD[user],
  });

  const settingsAs = (user: (typeof CLICKHOUSE_USERS)[number]) => {
    const given = Object.entries({ ...environment, ...clickhouseUser(user) })
      .filter(([name]) => name.startsWith('MANDATE_CLICKHOUSE_'))
      .map(([name, value]) => [name.replace('MANDATE_', ''), value]);
    return clickhouseSettings.parse(Object.fromEntries(given));
  };

  const mechanism = (name: string): Environment => ({ MANDATE_KAFKA_SASL_MECHANISM: name });

  /** The settings of each service, with different SASL mechanisms. */
  const settingsOf: Record<ServiceName, () => Environment> = {
    gateway: () => ({ ...environment, ...mechanism('scram-sha-256') }),
    decider: () => ({ ...environment, ...mechanism('scram-sha-512') }),
    recorder: () => ({ ...environment, ...mechanism('plain'), ...clickhouseUser('recorder') }),
    query: () => ({ ...environment, ...mechanism('plain'), ...clickhouseUser('query') }),
    alerter: () => ({ ...environment, ...mechanism('scram-sha-256') }),
    control: () => ({ ...environment, ...mechanism('scram-sha-512') }),
    runner: () => ({ ...environment, ...mechanism('scram-sha-256') }),
    'model-gateway': () => ({ ...environment, ...mechanism('scram-sha-512') }),
    console: () => ({ ...environment, ...mechanism('scram-sha-256') }),
  };

  test('an action is published, decided and recorded, and the query service and the alerter answer', async () => {
    const [gateway, decider, recorder, query, alerter, control, runner, models, pages] = await Promise.all(
      SERVICES.map(async (service) => {
        const started = await startService(service, settingsOf[service]());
        onTestFailed(() => console.error(`The ${service} said last:\n${started.errors().slice(-4_000)}`));
        return started;
      }),
    );
    const { key, record } = issueApiKey({
      tenant: 'default',
      scopes: ['publish', 'audit', 'operate', 'admin'],
      agents: ['*'],
      name: 'me',
    });
    await fileKeyStore(place.keys).add(record);
    const api = (service: { url: string } | undefined, of = key) =>
      createApiClient({ url: service?.url ?? '', key: of });

    const action = { id: 'act-1', agentId: 'bot', type: 'tool_call', tool: 'look' };
    const published = await api(gateway).post('/v1/actions?waitMs=30000', action);
    expect(published).toMatchObject({ decision: { verdict: 'ALLOW', chargedMicros: 10_000 } });
    await waitUntil('the decision to be on record', async () => {
      const { decisions } = await api(query).get<{ decisions: unknown[] }>('/v1/audit/decisions', {});
      return decisions.length === 1;
    });
    await waitUntil('that this was read to be on record too', async () => {
      const { reads } = await api(query).get<{ reads: unknown[] }>('/v1/audit/reads', {
        route: '/v1/audit/decisions',
      });
      return reads.length > 0;
    });
    await waitUntil('the alert that the agent uses the tool for the first time', async () => {
      const { alerts } = await api(alerter).get<{ alerts: unknown[] }>('/v1/alerts', { rule: 'first_use' });
      return alerts.length === 1;
    });
    const viewer = await api(control).post<{ id: string; key: string }>('/v1/keys', {
      name: 'ann',
      role: 'viewer',
    });
    const looks = () =>
      Promise.allSettled([
        api(control, viewer.key).get('/v1/agents', {}),
        api(gateway, viewer.key).get('/v1/agents/bot/kill-status', {}),
        api(query, viewer.key).get('/v1/audit/decisions', {}),
        api(alerter, viewer.key).get('/v1/alerts', {}),
        api(runner, viewer.key).get('/v1/runs', {}),
      ]);
    await waitUntil('every service to let in who was issued a key', async () =>
      (await looks()).every(({ status }) => status === 'fulfilled'),
    );
    await api(control).delete(`/v1/keys/${viewer.id}`);
    await waitUntil('none to do so when it is revoked', async () =>
      (await looks()).every((look) => look.status === 'rejected' && look.reason.status === 401),
    );
    for (const started of [gateway, decider, recorder, query, alerter, control, runner, models, pages]) {
      expect((await fetch(`${started?.url}/readyz`)).status).toBe(200);
      expect(await started?.kill()).toBe(0);
      expect(started?.errors()).not.toContain('does not end by itself');
      expectNoPassword(started?.errors() ?? '');
    }
  });

  const WHO_THEY_TRUST = (area: string) => new RegExp(`authority.*MANDATE_${area}_TLS_CA_PATH`);
  const WHO_WE_ARE = (area: string) => new RegExp(`MANDATE_${area}_TLS_CERT_PATH`);
  const NO_TLS = /does not use TLS/;

  type Refusal = [
    what: string,
    service: keyof typeof settingsOf,
    settings: () => Environment,
    remedy: RegExp,
  ];
  const refusals = (area: 'KAFKA' | 'REDIS' | 'CLICKHOUSE', service: keyof typeof settingsOf): Refusal[] => [
    [
      `${area}: an authority that is not theirs`,
      service,
      () => ({ [`MANDATE_${area}_TLS_CA_PATH`]: stranger.caPath }),
      WHO_THEY_TRUST(area),
    ],
    [
      `${area}: a certificate that they do not know`,
      service,
      () => ({
        [`MANDATE_${area}_TLS_CERT_PATH`]: stranger.client.certPath,
        [`MANDATE_${area}_TLS_KEY_PATH`]: stranger.client.keyPath,
      }),
      WHO_WE_ARE(area),
    ],
  ];

  test.each<[string, Refusal[]]>([
    [
      'Kafka',
      [
        ['a wrong password', 'decider', () => ({ MANDATE_KAFKA_SASL_PASSWORD: WRONG }), /SASL_PASSWORD/],
        ...refusals('KAFKA', 'decider'),
        [
          'a port without TLS',
          'decider',
          () => ({ MANDATE_KAFKA_BROKERS: `127.0.0.1:${plainPort}` }),
          NO_TLS,
        ],
      ],
    ],
    [
      'Redis',
      [
        ['a wrong password', 'gateway', () => ({ MANDATE_REDIS_PASSWORD: WRONG }), /MANDATE_REDIS_PASSWORD/],
        ...refusals('REDIS', 'gateway'),
        [
          'a port without TLS',
          'gateway',
          () => ({ MANDATE_REDIS_URL: `rediss://127.0.0.1:${plainPort}` }),
          NO_TLS,
        ],
      ],
    ],
    [
      'ClickHouse',
      [
        [
          'a wrong password',
          'query',
          () => ({ MANDATE_CLICKHOUSE_PASSWORD: WRONG }),
          /the user, the password/,
        ],
        ...refusals('CLICKHOUSE', 'recorder'),
        [
          'a port without TLS',
          'query',
          () => ({ MANDATE_CLICKHOUSE_URL: `https://127.0.0.1:${plainPort}` }),
          NO_TLS,
        ],
      ],
    ],
  ])('%s: a process that is refused ends, and says what to do', async (_, cases) => {
    const ended = await Promise.all(
      cases.map(async ([what, service, settings]) => {
        const started = spawnService(service, { ...settingsOf[service](), PORT: '0', ...settings() });
        return { what, exit: await started.exited, said: started.errors() };
      }),
    );
    for (const [at, { what, exit, said }] of ended.entries()) {
      expect({ what, exit }).toEqual({ what, exit: 1 });
      expect(remedyIn(said), what).toMatch(cases[at]?.[3] ?? /never/);
      expectNoPassword(said);
    }
  });

  /** Returns the remedy from the error message with which the process ended. */
  function remedyIn(said: string): string {
    const lines = said.split('\n').filter((line) => line.startsWith('{'));
    return (
      lines.map((line) => JSON.parse(line)).findLast(({ level }) => level === 'error')?.err?.remedy ?? ''
    );
  }

  function expectNoPassword(said: string): void {
    for (const password of [...Object.values(PASSWORD), WRONG]) {
      expect(said).not.toContain(password);
      expect(said).not.toContain(encodeURIComponent(password));
      expect(said).not.toContain(Buffer.from(password).toString('base64'));
    }
  }
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
