/**
 * Tests what an operator does with a plane of separate servers and processes. The operator uses the command and the
 * metrics of each process.
 */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createKafkaBus } from '@mandate/bus/kafka';
import { personKeysAt } from '@mandate/privacy';
import { silentLogger } from '@mandate/runtime';
import { agentKey, readDecisionsRecord, TOPICS, topicOfTenant } from '@mandate/schemas';
import {
  describeWithOwnServers,
  IS_SHORT,
  plainProducer,
  startRedis,
  temporaryFolder,
  waitUntil,
} from '@mandate/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { jsonLines, runMandate } from '../cli/run-mandate.ts';
import { environmentOf, type Servers, serverPlane, startServers } from './support/server-plane.ts';

const MANDATES = `version: 1
id: all
agents: ["*"]
toolPolicies: { look: { cost: 0.01 }, pay: { cost: 0.02, requiresConfirmation: true } }
`;

type Finding = { server: string; what: string; state: string; detail: string; remedy: string | null };

async function metricsOf({ url }: { url: string }): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

/** Returns the names of the metrics in the text of /metrics. Alarms and dashboards use the same names. */
function namesIn(metrics: string): string[] {
  return [
    ...new Set(
      [...metrics.matchAll(/^(mandate_\w+?)(?:_bucket|_sum|_count)?\{/gm)].map(([, name = '']) => name),
    ),
  ];
}

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'an operator', () => {
  let servers: Servers;
  let environment: Record<string, string>;
  beforeAll(async () => {
    servers = await startServers();
    environment = environmentOf(servers);
  });
  afterAll(() => servers?.[Symbol.asyncDispose]());

  async function migrate(args: readonly string[] = [], env: Record<string, string> = {}) {
    const ran = await runMandate(['migrate', '--json', ...args], { env: { ...environment, ...env } });
    const findings = jsonLines<Finding>(ran.stdout);
    const statesOf = (server: string) => [
      ...new Set(findings.filter((found) => found.server === server).map(({ state }) => state)),
    ];
    const states = { kafka: statesOf('kafka'), redis: statesOf('redis'), clickhouse: statesOf('clickhouse') };
    return { exitCode: ran.exitCode, states, findings };
  }

  test('checks the servers, prepares them and checks them again; each step can be repeated', async () => {
    const bare = { kafka: ['wrong'], redis: ['ok'], clickhouse: ['wrong'] };
    expect(await migrate(['--check'])).toMatchObject({ exitCode: 3, states: bare });
    // The preparation had to make all topics and tables. So the check before it had made none.
    const made = { kafka: ['made'], redis: ['ok'], clickhouse: ['made'] };
    expect(await migrate()).toMatchObject({ exitCode: 0, states: made });

    const again = await migrate([], { MANDATE_DECIDER_TENANT_TOPICS: 'acme' });
    expect(again).toMatchObject({ exitCode: 0, states: { redis: ['ok'], clickhouse: ['ok'] } });
    const news = again.findings.filter(({ state }) => state !== 'ok');
    expect(news).toMatchObject([{ what: 'mandate.actions.v1.acme', state: 'made' }]);
    const well = { kafka: ['ok'], redis: ['ok'], clickhouse: ['ok'] };
    expect(await migrate(['--check'])).toMatchObject({ exitCode: 0, states: well });
  });

  test.skipIf(IS_SHORT)(
    'reports a server that would lose data, and a server that does not answer',
    async () => {
      await using forgetful = await startRedis({
        appendonly: true,
        config: { 'maxmemory-policy': 'allkeys-lru' },
      });
      const unfit = await migrate(['--check', '--redis', forgetful.url]);
      expect(unfit).toMatchObject({ exitCode: 3, states: { redis: ['wrong'] } });
      expect(unfit.findings.find(({ server }) => server === 'redis')).toMatchObject({
        detail: expect.stringContaining('allkeys-lru'),
        remedy: expect.stringContaining('noeviction'),
      });
      const away = await migrate(['--check', '--kafka', '127.0.0.1:1', '--clickhouse', 'http://127.0.0.1:1']);
      expect(away).toMatchObject({
        exitCode: 1,
        states: { kafka: ['unknown'], redis: ['ok'], clickhouse: ['unknown'] },
      });
      expect(away.findings).toHaveLength(3);
    },
  );

  test.skipIf(IS_SHORT)(
    'opens a tenant with its own topic while deciders run, and restarts nothing, even if a decider dies',
    async () => {
      const log = silentLogger();
      const { MANDATE_KAFKA_BROKERS: brokers = '' } = environment;
      const bus = await createKafkaBus({
        brokers: brokers.split(','),
        clientId: 'test',
        log,
        replicationFactor: 1,
        minInSyncReplicas: 1,
      });
      onTestFinished(() => bus.close());
      await Promise.all(Object.values(TOPICS).map((topic) => bus.makeTopic(topic)));
      const plane = serverPlane(servers, MANDATES);
      // With this setting, processes do not create topics on first use. The control service creates the topic when the
      // tenant is opened.
      const alone = { MANDATE_KAFKA_CREATE_TOPICS: 'false' };
      const start = async (service: 'control' | 'decider') => {
        const settings = service === 'control' ? alone : { ...alone, SESSION_TIMEOUT_MS: '6000' };
        const started = await plane.start(service, settings);
        onTestFinished(async () => void (await started.kill()));
        return started;
      };
      const [control, dies] = await Promise.all([start('control'), start('decider'), start('decider')]);

      const api = plane.api(control.url, await plane.issueKey('default', ['operate:all']));
      await api.post('/v1/tenants', { version: 1, id: 'initech', directTopic: true });
      /**
       * For each action, its first decisions: the code by the decision's id. There may be several: if a decider dies
       * before its commit, the next decider decides the same records again.
       */
      const decided = new Map<string, Map<string, string>>();
      const reader = await bus.read({
        topics: [TOPICS.decisions],
        from: 'earliest',
        onRecords(records) {
          for (const record of records.map(({ value }) => readDecisionsRecord(value))) {
            if (record.event !== 'action.decided' || record.decision.tenant !== 'initech') continue;
            const { id, actionId, code, kind } = record.decision;
            if (kind === 'first') decided.set(actionId, (decided.get(actionId) ?? new Map()).set(id, code));
          }
        },
      });
      onTestFinished(() => reader.stop());

      const topic = topicOfTenant('initech');
      await waitUntil('the topic', () => bus.ranges(topic).catch(() => null));
      const producer = await plainProducer(servers.kafka.brokers);
      const publish = async (from: number, count: number) => {
        const messages = Array.from({ length: count }, (_, n) => {
          const [id, agentId] = [`i-${from + n}`, `bot-${n}`];
          const action = { id, agentId, type: 'tool_call', tool: 'look' };
          return {
            key: agentKey('initech', agentId),
            value: JSON.stringify({ event: 'action.requested', action }),
          };
        });
        await producer.send({ topic, messages });
      };
      await publish(0, 40);
      await waitUntil('all of them decided', () => decided.size === 40);
      await publish(40, 40);
      await dies.kill('SIGKILL');
      await publish(80, 40);
      await waitUntil('those decided, by who is left', () => decided.size === 120);
      for (const codes of decided.values()) expect([...codes.values()]).toEqual(['ALLOWED']);
      const { findings } = await migrate(['--check']);
      expect(findings).toContainEqual(expect.objectContaining({ what: topic, state: 'ok' }));

      // The decider may not have read yet that the tenant is closed.
      await api.delete('/v1/tenants/initech');
      await waitUntil('what comes to the topic of a closed tenant is refused', async () => {
        const id = decided.size;
        await publish(id, 1);
        const codes = await waitUntil('its answer', () => decided.get(`i-${id}`));
        return [...codes.values()].join() === 'TENANT_CLOSED';
      });
    },
  );

  test('runs every command against separate services, from the addresses of two services', async () => {
    const plane = serverPlane(servers, MANDATES);
    const key = await plane.issueKey('default');
    const start = async (service: Parameters<typeof plane.start>[0]) => {
      const started = await plane.start(service);
      onTestFinished(async () => void (await started.kill()));
      return started;
    };
    const [gateway, decider, recorder, query] = await Promise.all([
      start('gateway'),
      start('decider'),
      start('recorder'),
      start('query'),
    ]);
    const addresses = { MANDATE_URL: gateway.url, MANDATE_QUERY_URL: query.url };
    const mandate = (args: readonly string[], env: Record<string, string> = addresses) =>
      runMandate(args, { env: { MANDATE_API_KEY: key, ...env } });
    const publish = (tool: string, id: string) =>
      mandate(['publish', '--agent', 'bot', '--tool', tool, '--id', id, '--wait', '60s']);

    expect(await publish('look', 'a-1')).toMatchObject({ exitCode: 0 });
    expect(await publish('pay', 'p-1')).toMatchObject({ exitCode: 3 });
    const waiting = await waitUntil('what waits, in the audit', async () => {
      const [found] = jsonLines<{ id: string }>((await mandate(['approvals', 'list', '--json'])).stdout);
      return found?.id;
    });
    expect((await mandate(['agents', 'list'])).stdout).toMatch(/^bot +\$0\.01 /m);
    expect((await mandate(['spend'])).stdout).toMatch(/^bot +\$0\.01 /m);

    // A new gateway has no past decisions in memory, so the answers must come from the audit.
    await gateway.kill();
    const next = await start('gateway');
    addresses.MANDATE_URL = next.url;
    expect((await mandate(['approvals', 'list'])).stdout).toMatch(/^dec_\w+ {2}pay {2}of {2}bot$/m);
    expect(await mandate(['approvals', 'approve', waiting])).toMatchObject({ exitCode: 0 });
    expect(await publish('pay', 'p-1')).toMatchObject({ exitCode: 0 });
    await waitUntil('nothing to wait any more', async () =>
      (await mandate(['approvals', 'list'])).stdout.startsWith('nothing waits'),
    );

    await producedBadly(servers, 'bot-d');
    const owner = {
      ...addresses,
      MANDATE_API_KEY: await plane.issueKey('default', ['operate:all', 'audit', 'publish']),
    };
    const letter = await waitUntil('the dead letter', async () => {
      const [found] = jsonLines<{ id: string; partition: number; offset: number }>(
        (await mandate(['dead-letters', 'list', '--json'], owner)).stdout,
      );
      return found;
    });
    const place = `${letter.partition}/${letter.offset}`;
    const shown = await mandate(['dead-letters', 'show', place, '--json'], owner);
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
    const record = JSON.parse(JSON.parse(shown.stdout).text);
    const file = join(temporaryFolder(), 'record.json');
    writeFileSync(file, JSON.stringify({ ...record, action: { ...record.action, type: 'tool_call' } }));
    const fix = ['dead-letters', 'republish', place, '--file', file];
    expect(await mandate(fix, owner)).toMatchObject({ exitCode: 0 });
    expect((await mandate(fix, owner)).stderr).toContain('ALREADY_REPUBLISHED');
    await waitUntil('what became of it, in the audit', async () =>
      (await mandate(['dead-letters', 'show', letter.id], owner)).stdout.includes(
        ': d-1 ALLOW ALLOWED, dec_',
      ),
    );

    const reconciled = await mandate(['reconcile', '--kafka', servers.kafka.brokers.join(',')]);
    expect(reconciled).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('drift 0') });
    const pruned = await mandate([
      'audit',
      'prune',
      '--keep-months',
      '1',
      '--clickhouse',
      servers.clickhouse.url,
    ]);
    expect(pruned).toMatchObject({ exitCode: 0, stdout: 'nothing is that old\n' });
    expect((await mandate(['kill', 'bot'])).stdout).toMatch(/^killed /);

    const withoutQuery = await mandate(['decisions', 'list'], { MANDATE_URL: next.url });
    expect(withoutQuery).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('MANDATE_QUERY_URL') });
    const wrongWay = await mandate(['agents', 'list'], { MANDATE_URL: query.url });
    expect(wrongWay).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is not the gateway') });

    await tellAllThatAlarmsNeed({ gateway: next, decider, recorder, query });
  });

  test.skipIf(IS_SHORT)(
    'if one gateway forgets a person, the other gateway forgets the person a moment later',
    async () => {
      const planes = [serverPlane(servers, MANDATES), serverPlane(servers, MANDATES)] as const;
      const [folder, otherFolder] = planes.map(({ data }) => data.DATA_PATH) as [string, string];
      const file = join(folder, 'person-keys');
      for (const at of [folder, otherFolder]) {
        writeFileSync(join(at, 'privacy.yaml'), 'version: 1\nfields: [{ path: principal.id, do: seal }]\n');
      }
      const key = await planes[0].issueKey('default', ['persons']);
      copyFileSync(join(folder, 'keys.json'), join(otherFolder, 'keys.json'));
      const gateway = await planes[0].start('gateway');
      copyFileSync(file, join(otherFolder, 'person-keys'));
      const other = await planes[1].start('gateway');

      const keys = personKeysAt(file);
      await keys.open();
      const sealed = [keys.seal('default', 'mia_li_3668', 'of mia'), keys.seal('default', 'ben', 'of ben')];
      const readAt = async ({ url }: { url: string }) =>
        (await planes[0].api(url, key).post<{ unsealed: unknown }>('/v1/persons/unseal', { sealed }))
          .unsealed;
      expect(await readAt(other)).toEqual([{ text: 'of mia' }, { text: 'of ben' }]);
      const env = { MANDATE_URL: gateway.url, MANDATE_API_KEY: key };
      const erase = ['persons', 'erase', '-', '--yes', '--reason', 'ticket'];
      expect(await runMandate(erase, { env, stdin: 'mia_li_3668\n' })).toMatchObject({
        exitCode: 0,
        stderr: '',
      });
      const forgotten = [{ erased: true }, { text: 'of ben' }];
      expect(await readAt(gateway)).toEqual(forgotten);
      await waitUntil('the other gateway has read of it', async () =>
        isDeepStrictEqual(await readAt(other), forgotten),
      );
    },
  );
});

/** Publishes a record with an action without a type, as a faulty foreign producer might. */
async function producedBadly({ kafka }: Servers, agentId: string): Promise<void> {
  const producer = await plainProducer(kafka.brokers);
  const value = JSON.stringify({ event: 'action.requested', action: { id: 'd-1', agentId, tool: 'look' } });
  await producer.send({ topic: TOPICS.actions, messages: [{ key: agentKey('default', agentId), value }] });
}

type Told = { url: string };

const TELLS = {
  gateway: [
    'mandate_gateway_published_total',
    'mandate_gateway_unlogged_commands',
    'mandate_gateway_waiting_answers',
    'mandate_http_request_duration_seconds',
  ],
  decider: [
    'mandate_decider_batch_seconds',
    'mandate_decider_deadletters_total',
    'mandate_decider_decisions_total',
    'mandate_decider_lag_records',
    'mandate_decider_ledger_epochs_total',
    'mandate_decider_step_seconds',
  ],
  recorder: ['mandate_recorder_flush_seconds', 'mandate_recorder_lag_records', 'mandate_recorder_rows_total'],
  query: ['mandate_http_request_duration_seconds'],
};

async function tellAllThatAlarmsNeed(processes: Record<keyof typeof TELLS, Told>): Promise<void> {
  for (const [service, names] of Object.entries(TELLS)) {
    const { url } = processes[service as keyof typeof TELLS];
    for (const path of ['/healthz', '/readyz']) expect((await fetch(`${url}${path}`)).status).toBe(200);
    const metrics = await metricsOf({ url });
    expect(namesIn(metrics)).toEqual(expect.arrayContaining([...names, 'mandate_readiness_ok']));
    expect(metrics).not.toMatch(/^mandate_readiness_ok\{.*\} 0$/m);
  }
  await waitUntil('nothing left to decide', async () => {
    const lags = [
      ...(await metricsOf(processes.decider)).matchAll(/^mandate_decider_lag_records\{.*\} (\d+)$/gm),
    ];
    return lags.length >= 8 && lags.every(([, lag]) => lag === '0');
  });
  expect(await metricsOf(processes.decider)).toMatch(/^mandate_decider_ledger_epochs_total\{.*\} 1$/m);
}
