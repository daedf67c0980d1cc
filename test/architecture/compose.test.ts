/** docker-compose.yml gives each service only the rights in Kafka, the keys and the passwords that it needs. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

type Service = {
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  secrets?: string[];
  ports?: string[];
};
const compose = parse(read('docker-compose.yml'), { merge: true });
const services: Record<string, Service> = compose.services;

type Right = { principal: string; operation: number; resourceName: string; resourceType: number };
const script = join(ROOT, 'infra/docker/kafka-acls.mjs');
const { acl, signInAcl } = (await import(script)) as { acl: Right[]; signInAcl: Right[] };
const READ = 3;
const WRITE = 4;
const TOPIC = 2;

const CONTROL_TOPICS = '`mandate.control.v1`, `mandate.controlsnapshots.v1`';
const topicsIn = (cell: string) => [...cell.matchAll(/`(mandate\.[^`]+)`/g)].map(([, name]) => name).sort();

const usersThatWrite = (topic: string) =>
  acl
    .filter(({ operation, resourceName }) => operation === WRITE && topic.startsWith(resourceName))
    .map(({ principal }) => principal.replace('User:', ''));

describe('docker-compose.yml', () => {
  it.each([
    ['mandate.decisions.v1', ['gateway', 'decider']],
    ['mandate.control.v1', ['control']],
    ['mandate.controlsnapshots.v1', ['control']],
    ['mandate.snapshots.v1', ['decider', 'snapshots']],
    ['mandate.actions.v1', ['gateway']],
    ['mandate.actions.v1.acme', ['gateway']],
    ['mandate.persons.v1', ['gateway']],
    ['mandate.deadletters.v1', ['gateway', 'decider']],
    ['mandate.alerts.v1', ['alerter']],
    ['mandate.runs.v1', ['runner']],
  ])('lets only the listed services write %s', (topic, users) => {
    expect(usersThatWrite(topic)).toEqual(users);
  });

  it.each([
    ['gateway', 'gateway'],
    ['decider', 'decider'],
    ['`mandate snapshot`', 'snapshots'],
    ['recorder', 'recorder'],
    ['query service', 'query'],
    ['alerter', 'alerter'],
    ['runner', 'runner'],
    ['model gateway', 'models'],
    ['control service', 'control'],
    ['console', 'console'],
  ])('gives the %s the rights to topics that infra/kafka/README.md lists', (who, user) => {
    const row = read('infra/kafka/README.md')
      .split('\n')
      .find((line) => line.startsWith(`| ${who} |`));
    const listed = (row ?? '')
      .split('|')
      .slice(2, 5)
      .map((cell) => topicsIn(cell.replace('the two control topics', CONTROL_TOPICS)));
    const may = (operation: number) =>
      acl.flatMap((right) =>
        right.principal === `User:${user}` && right.resourceType === TOPIC && right.operation === operation
          ? [right.resourceName]
          : [],
      );
    const [reads, writes] = [may(READ), may(WRITE)];
    expect(listed).toEqual([
      reads.filter((topic) => !writes.includes(topic)).sort(),
      writes.filter((topic) => !reads.includes(topic)).sort(),
      reads.filter((topic) => writes.includes(topic)).sort(),
    ]);
  });

  it('lets a console with an identity provider also write the control topic, and nothing else', () => {
    expect(signInAcl).toMatchObject([
      { principal: 'User:console', operation: WRITE, resourceName: 'mandate.control.v1' },
    ]);
  });

  it('gives the console the address of every service that has routes', () => {
    const { environment = {}, volumes, ports } = services.console ?? {};
    for (const service of ['gateway', 'query', 'alerter', 'control', 'runner']) {
      const own = Object.entries(services)
        .find(([name]) => name === service)?.[1]
        .ports?.[0]?.split(':')
        .at(-1);
      expect(environment[`MANDATE_CONSOLE_${service.toUpperCase()}_URL`]).toBe(`http://${service}:${own}`);
    }
    expect(volumes).toEqual(['keys:/data:ro']);
    expect(ports).toEqual(['127.0.0.1:7428:7428']);
  });

  it('gives each service that uses Kafka one Kafka password, and shares no password between services', () => {
    const users = Object.entries(services).flatMap(([name, { environment, secrets = [] }]) => {
      const own = secrets.filter((secret) => /^kafka-(?!users)/.test(secret));
      expect([name, own.length]).toEqual([name, environment?.MANDATE_KAFKA_BROKERS === undefined ? 0 : 1]);
      return own;
    });
    expect(users.length).toBeGreaterThan(7);
    // The `mandate` command, which people run by hand, uses the migrator's password too. The migrator creates topics
    // and may not write records.
    expect(users.filter((user) => user !== 'kafka-migrator').length).toBe(
      new Set(users.filter((user) => user !== 'kafka-migrator')).size,
    );
    expect(
      acl.filter(({ principal, operation }) => principal === 'User:migrator' && operation === WRITE),
    ).toEqual([]);
  });

  it('mounts keys as writable only for a service that makes keys', () => {
    const writers = Object.entries(services).flatMap(([name, { volumes = [] }]) =>
      volumes.some((volume) => /^keys:[^:]+$/.test(volume)) ? [name] : [],
    );
    expect(writers.sort()).toEqual(['gateway', 'mandate']);
  });

  it('gives the mandate command the URL of every service it asks, and mounts the policies that docs/deploy.md applies', () => {
    expect(services.mandate?.environment).toMatchObject({
      MANDATE_URL: 'http://gateway:7420',
      MANDATE_QUERY_URL: 'http://query:7422',
      MANDATE_ALERTER_URL: 'http://alerter:7424',
      MANDATE_CONTROL_URL: 'http://control:7425',
      MANDATE_RUNNER_URL: 'http://runner:7426',
    });
    expect(services.mandate?.volumes).toContain('./infra/docker/policies:/policies:ro');
    expect(read('docs/deploy.md')).toContain('mandate apply -f /policies');
  });

  it('mounts only files and folders that exist', () => {
    const mounts = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.filter((one) => one.startsWith('./')),
    );
    for (const mount of mounts)
      expect([mount, existsSync(join(ROOT, mount.split(':')[0] ?? ''))]).toEqual([mount, true]);
  });

  it('issues the same API key as docs/deploy.md', () => {
    const [issue] = /mandate keys issue .*/.exec(read('docker-compose.yml')) ?? [''];
    expect(issue).toContain(' author ');
    expect(read('docs/deploy.md')).toContain(issue);
  });
});
