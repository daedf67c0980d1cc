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

type Right = { principal: string; operation: number; resourceName: string };
const script = join(ROOT, 'infra/docker/kafka-acls.mjs');
const { acl } = (await import(script)) as { acl: Right[] };
const WRITE = 4;

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
  ])('lets only the listed services write %s', (topic, users) => {
    expect(usersThatWrite(topic)).toEqual(users);
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
