/**
 * Each service has its own Kafka user with only the rights of infra/docker/kafka-acls.mjs, as in docker-compose.yml. The
 * broker refuses everything else. A run of an agent manifest uses every service of this plane.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError, createApiClient } from '@mandate/client';
import { dataFolder } from '@mandate/runtime';
import type { ApiScope } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import {
  describeWithOwnServers,
  type ServiceName,
  startKafka,
  startRedis,
  startService,
  waitUntil,
} from '@mandate/testing';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { runMandate } from '../cli/run-mandate.ts';
import { openRunScene, REFUND, runCalls, USAGE } from '../runs/run-scene.ts';
import { environmentOf } from './support/server-plane.ts';

const ACLS = join(import.meta.dirname, '../../../infra/docker/kafka-acls.mjs');
const LOGIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required';
const USERS = ['broker', 'migrator', 'gateway', 'decider', 'control', 'alerter', 'runner'];
const passwordOf = (user: string) => `password-of-${user}`;

const asUser = (user: string) => ({
  MANDATE_KAFKA_SASL_MECHANISM: 'plain',
  MANDATE_KAFKA_SASL_USERNAME: user,
  MANDATE_KAFKA_SASL_PASSWORD: passwordOf(user),
});

/** The settings of docker-compose.yml for the security of the broker. */
const SECURED = {
  'listener.security.protocol.map': 'PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT',
  'listener.name.plaintext.plain.sasl.jaas.config': `${LOGIN} username="broker" password="${passwordOf('broker')}" ${USERS.map((user) => `user_${user}="${passwordOf(user)}"`).join(' ')};`,
  'sasl.enabled.mechanisms': 'PLAIN',
  'sasl.mechanism.inter.broker.protocol': 'PLAIN',
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'super.users': 'User:broker;User:ANONYMOUS',
};

const HELLO = {
  ...REFUND,
  metadata: { name: 'hello', version: '1.0.0' },
  interface: { inputs: {} },
  definitions: { writer: REFUND.definitions.writer },
  workflow: { start: 'say', steps: { say: { type: 'agent', agent: 'writer' } } },
};

describeWithOwnServers(
  ['kafka', 'redis'],
  'Kafka users with the rights of infra/docker/kafka-acls.mjs',
  () => {
    test('suffice for every service, and a run is performed', async () => {
      const held = new AsyncDisposableStack();
      onTestFinished(() => held.disposeAsync());
      const scene = await openRunScene({ script: { text: 'Hello.', usage: USAGE } });
      held.defer(() => scene.close());
      const kafka = held.use(await startKafka({ config: SECURED }));
      const redis = held.use(await startRedis({ appendonly: true, config: { appendfsync: 'everysec' } }));
      const brokers = { ...environmentOf({ kafka, redis }), MANDATE_KAFKA_CREATE_TOPICS: 'false' };
      execFileSync(process.execPath, [ACLS], { env: { ...brokers, ...asUser('broker') }, stdio: 'pipe' });
      const migrated = await runMandate(['migrate', '--json'], {
        env: { ...brokers, ...asUser('migrator') },
      });
      expect(migrated).toMatchObject({ exitCode: 0 });

      const folder = dataFolder(join(scene.folder, 'plane'));
      mkdirSync(folder.path);
      writeFileSync(folder.mandates, 'version: 1\nid: none\nagents: [nobody]\n');
      const issue = async (scopes: ApiScope[], agents: string[]) => {
        const { key, record } = issueApiKey({ tenant: 'default', scopes, agents, name: scopes.join() });
        await fileKeyStore(folder.keys).add(record);
        return key;
      };
      const start = async (service: ServiceName, settings: Record<string, string> = {}) => {
        const own = { ...brokers, ...asUser(service), DATA_PATH: folder.path, ...settings };
        const started = await startService(service, own);
        onTestFailed(() => console.error(`The ${service} said last:\n${started.errors().slice(-4_000)}`));
        return started;
      };
      const key = await issue(['operate', 'author', 'audit'], []);
      const [gateway, decider, control, alerter] = await Promise.all(
        (['gateway', 'decider', 'control', 'alerter'] as const).map((service) => start(service)),
      );
      const runner = await start('runner', {
        PLANE_URL: gateway?.url ?? '',
        CONFIG_PATH: scene.runnerFile,
        API_KEY: await issue(['publish', 'report', 'release'], ['hello', 'hello.*']),
      });
      const api = createApiClient({
        ...{
          url: gateway?.url ?? '',
          controlUrl: control?.url,
          alerterUrl: alerter?.url,
          runnerUrl: runner.url,
        },
        key,
      });
      const calls = runCalls(() => api);
      await calls.publish(HELLO);
      // The runner reads the manifest from the log, a moment after the control service has answered.
      const id = await waitUntil('the runner to know the manifest', () =>
        calls.run('hello').catch((error: unknown) => {
          if (error instanceof ApiError && error.code === 'MANIFEST_NOT_PUBLISHED') return null;
          throw error;
        }),
      );
      expect((await calls.until(id, 'completed')).outputs).toBe('Hello.');
      await waitUntil('the alerter to have read the decisions', async () => {
        const { alerts } = await api.get<{ alerts: unknown[] }>('/v1/alerts', { rule: 'first_use' });
        return alerts.length > 0;
      });
      for (const started of [gateway, decider, control, alerter, runner]) {
        expect((await fetch(`${started?.url}/readyz`)).status).toBe(200);
        expect(await started?.kill()).toBe(0);
      }
    });
  },
);
