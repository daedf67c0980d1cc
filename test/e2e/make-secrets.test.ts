/** infra/docker/make-secrets.sh makes each file that docker-compose.yml needs, once. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');

test('makes every secret of docker-compose.yml, with a Kafka password for each user that has rights', async () => {
  const folder = temporaryFolder();
  for (const part of ['infra/docker/make-secrets.sh', 'infra/redis/users.acl'])
    cpSync(join(ROOT, part), join(folder, part));
  const make = () => execFileSync('sh', ['infra/docker/make-secrets.sh'], { cwd: folder, stdio: 'pipe' });
  make();
  const secret = (name: string) => readFileSync(join(folder, 'infra/docker/secrets', name), 'utf8');

  const { secrets, services } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), {
    merge: true,
  }) as {
    secrets: Record<string, { file: string }>;
    services: Record<string, { env_file?: string[]; secrets?: string[] }>;
  };
  const files = [
    ...Object.values(secrets).map(({ file }) => file),
    ...Object.values(services).flatMap(({ env_file: files = [] }) => files),
  ];
  expect(files.length).toBeGreaterThan(15);
  for (const file of files) expect([file, existsSync(join(folder, file))]).toEqual([file, true]);
  for (const name of Object.values(services).flatMap((service) => service.secrets ?? []))
    expect(Object.keys(secrets)).toContain(name);

  const { acl } = (await import(join(ROOT, 'infra/docker/kafka-acls.mjs'))) as {
    acl: { principal: string }[];
  };
  for (const user of new Set(acl.map(({ principal }) => principal.replace('User:', '')))) {
    const [, password = ''] = /SASL_PASSWORD=(\w{64})\n/.exec(secret(`kafka-${user}.env`)) ?? [];
    expect(secret('kafka-users.conf')).toContain(`user_${user}="${password}"`);
  }

  const before = secret('kafka-users.conf');
  make();
  expect(secret('kafka-users.conf')).toBe(before);
});
